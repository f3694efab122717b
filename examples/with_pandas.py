"""A column of a pandas frame, shortened."""

from pathlib import Path

import pandas as pd

import tersely

lines = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines()
frame = pd.DataFrame({"text": lines})

shorten = tersely.load()
frame["headline"] = frame["text"].map(lambda text: shorten(text, words=8))  # a Summary is a str
frame["push"] = list(shorten.batch(frame["text"], chars=40, workers=2))  # the same by two processes, in order

print(frame[["headline", "push"]].to_string())
