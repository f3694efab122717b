"""Tables for `tersely batch`, and what came of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tiny_bundle import WORDS

Batch = Callable[..., tuple[int, str, str]]  # the command: exit code, stdout, stderr
AtText = Callable[..., AbstractContextManager[None]]  # do something while the command shortens a text
Stopped = Callable[..., None]  # the command, stopped after so many texts
OFTEN = ("--save-every", 0)  # every block is a part
PLAIN = [word for word in WORDS if word.isalpha() and word != "no"]  # each can stand alone


def sentence(number: int) -> str:
    """A sentence of the bundle's words, another one for each number."""
    words = [PLAIN[number // len(PLAIN) ** k % len(PLAIN)] for k in range(4)]
    return " ".join([*words, "ship", "ran", "aground"])


def write_csv(path: Path, rows: int) -> Path:
    """A table with a number, a sentence and a note in each row."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["id", "text", "note"])
        writer.writerows([number, sentence(number), f"note, {number}"] for number in range(rows))
    return path


def read_jsonl(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8", "surrogateescape").splitlines()]


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write_jsonl(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
