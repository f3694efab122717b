"""A Hugging Face dataset, shortened batch by batch."""

from pathlib import Path

from datasets import Dataset

import tersely

lines = Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines()
shorten = tersely.load()


def add_summaries(rows: dict[str, list[str]]) -> dict[str, list[str]]:
    """A column more: datasets hands over some rows at once."""
    return {"summary": [str(summary) for summary in shorten.batch(rows["text"], words=8)]}


# A Summarizer pickles as the path of its bundle, so that num_proc=8 works as well.
dataset = Dataset.from_dict({"text": lines}).map(add_summaries, batched=True, batch_size=100)
print(*dataset["summary"], sep="\n")
