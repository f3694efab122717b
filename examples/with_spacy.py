"""The sentences of a text, shortened in a spaCy pipeline."""

from pathlib import Path

import spacy

nlp = spacy.blank("en")
nlp.add_pipe("sentencizer")
nlp.add_pipe("tersely", config={"words": 8})  # found by its entry point: nothing to import

doc = nlp(" ".join(Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").split("\n")))
for sentence in doc.sents:
    summary = sentence._.tersely
    print(f"{summary.score:6.2f}  {summary}")
print(doc._.tersely.replace("\n", " / "))
