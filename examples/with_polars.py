"""A column of a polars frame, shortened."""

from pathlib import Path

import polars as pl

import tersely

lines = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines()
frame = pl.DataFrame({"text": lines})

shorten = tersely.load()
frame = frame.with_columns(
    # polars takes nothing but plain strings: str makes one of a Summary
    pl.col("text").map_elements(lambda text: str(shorten(text, words=8)), return_dtype=pl.String).alias("headline"),
    pl.Series("push", map(str, shorten.batch(frame["text"], chars=40, workers=2))),  # by two processes, in order
)

for headline, push in frame.select("headline", "push").iter_rows():
    print(headline, "|", push)
