"""Stage 3: lengths, and the candidates that meet them."""
