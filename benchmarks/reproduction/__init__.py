"""The paper, reproduced: which systems run on which data, what is stored of it, and the page that is made from that."""
