"""Judgements on a sheet of text, for a reader who has no browser: written blind, read back into the database.

The sheet has the items in the reader's own order, with the summaries in the order drawn for that reader, and no name of
a system. The reader writes 1, 2 or = after each question. Only what is answered is read, so a sheet can be read twice.
"""

from __future__ import annotations

import re
from pathlib import Path

from tersely.errors import InputError
from tersely.evaluation.judge import QUESTIONS, Judge, checked_name
from tersely.files import read_lines, write_text

_CHOICES = {"1": "first", "2": "second", "=": "equal"}
_READER, _ITEM = re.compile(r"reader: (.+)"), re.compile(r"item (\d+)")


def write_sheet(judge: Judge, annotator: str, path: Path) -> None:
    """Write the sheet of one reader."""
    name = checked_name(annotator)
    asked = [f"{question}: {meaning}" for question, meaning in QUESTIONS.items()]
    lines = ["Write 1, 2 or = (equal) after each question.", *asked, f"reader: {name}", ""]
    for position in range(judge.n_items):
        item = judge.view(name, position)
        first, second = item["summaries"]
        lines += [f"item {position + 1}", f"  source: {item['source']}", f"  1: {first}", f"  2: {second}"]
        lines += [*(f"{question}: " for question in QUESTIONS), ""]
    write_text(path, "\n".join(lines))


def read_sheet(judge: Judge, path: Path) -> int:
    """Keep the answers of a sheet; how many there were."""
    reader: str | None = None
    position: int | None = None
    n_answers = 0
    for number, line in enumerate(read_lines(path), start=1):
        if found := _READER.fullmatch(line.rstrip()):
            reader = found[1]
        elif found := _ITEM.fullmatch(line.rstrip()):
            position = int(found[1]) - 1
        elif position is not None and reader is not None:
            question, colon, choice = line.partition(":")
            if not colon or question not in QUESTIONS or not choice.strip():
                continue
            if choice.strip() not in _CHOICES:
                raise InputError(f"{path}, line {number}: write 1, 2 or = after {question}, not {choice.strip()!r}")
            judge.answer(reader, position, question, _CHOICES[choice.strip()])
            n_answers += 1
    if reader is None:
        raise InputError(f"{path} is no sheet of judgements: it names no reader")
    return n_answers
