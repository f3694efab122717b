"""Judgements in a text file, for an annotator without a browser: written without the names of the systems, filled in,
and read back into the database.

The sheet has the same order of items and summaries as the page has for this annotator, who writes 1, 2 or = after each
question. Questions without an answer are skipped, and a sheet can be read several times.
"""

from __future__ import annotations

import re
from pathlib import Path

from tersely.errors import FileError, InputError, short_repr
from tersely.evaluation.judge import QUESTIONS, Judge, checked_name
from tersely.system.files import read_lines, write_text

_CHOICES = {"1": "first", "2": "second", "=": "equal"}
_READER, _ITEM = re.compile(r"reader: (.+)"), re.compile(r"item (\d+)")


def write_sheet(judge: Judge, annotator: str, path: Path) -> None:
    """Write the sheet of one annotator. A file that exists is left: it may have answers."""
    if path.exists():
        raise FileError(f"{path} exists already: give another file, or delete it")
    name = checked_name(annotator)
    legend = [f"{question}: {meaning}" for question, meaning in QUESTIONS.items()]
    lines = ["Write 1, 2 or = (equal) after each question.", *legend, f"reader: {name}", ""]
    for position in range(judge.n_items):
        item = judge.view(name, position)
        first, second = item["summaries"]
        lines += [f"item {position + 1}", f"  source: {item['source']}", f"  1: {first}", f"  2: {second}"]
        lines += [*(f"{question}: " for question in QUESTIONS), ""]
    write_text(path, "\n".join(lines))


def read_sheet(judge: Judge, path: Path) -> int:
    """Save the answers of a sheet; returns how many there were."""
    annotator: str | None = None
    position: int | None = None
    n_answers = 0
    for number, line in enumerate(read_lines(path), start=1):
        if found := _READER.fullmatch(line.rstrip()):
            annotator = found[1]
        elif found := _ITEM.fullmatch(line.rstrip()):
            position = int(found[1]) - 1
        elif position is not None and annotator is not None:
            question, colon, choice = line.partition(":")
            choice = choice.strip()
            if not colon or question not in QUESTIONS or not choice:
                continue
            if choice not in _CHOICES:
                raise InputError(f"{path}, line {number}: write 1, 2 or = after {question}, not {short_repr(choice)}")
            judge.answer(annotator, position, question, _CHOICES[choice])
            n_answers += 1
    if annotator is None:
        raise InputError(f"{path} is not a sheet of judgements: it has no line `reader: NAME`")
    return n_answers
