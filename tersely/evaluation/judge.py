"""Pairwise human judgements: a comparison of two systems, its answers in SQLite, and their statistics.

An annotator sees one source with two summaries at a time, and answers two questions, fidelity and fluency, with first,
second or equal. For each annotator, a seed decides the order of the items and which summary comes first; no answer
changes either. Each answer is committed at once, so that nothing is lost when the page or the program is closed.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tersely.errors import FileError, InputError, short_repr
from tersely.evaluation.agreement import Votes, VoteStatistics, summarize_votes

QUESTIONS = {
    "fidelity": "Which is more faithful to the source?",
    "fluency": "Which reads better?",
}
VOTES = {"first": 1, "equal": 0, "second": -1}  # for the summary that is shown first
MAX_NAME = 80

_SCHEMA = """
CREATE TABLE IF NOT EXISTS comparison (name_a TEXT, name_b TEXT, seed INTEGER);
CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, source TEXT, summary_a TEXT, summary_b TEXT);
CREATE TABLE IF NOT EXISTS answer (
    item INTEGER REFERENCES item, annotator TEXT, question TEXT, vote INTEGER, answered REAL,
    PRIMARY KEY (item, annotator, question));
"""


class Item(NamedTuple):
    """A source and the two summaries."""

    source: str
    summary_a: str
    summary_b: str


class Judge:
    """A comparison in a database file. Every statement opens the file again, so any thread may call any method."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileError(f"{self.path}: no such file of judgements; start with `tersely judge SOURCES A B`")
        try:
            ((self.name_a, self.name_b, self._seed),) = self._execute("SELECT name_a, name_b, seed FROM comparison")
            rows = self._execute("SELECT source, summary_a, summary_b FROM item ORDER BY id")
        except (sqlite3.DatabaseError, ValueError):  # not SQLite, other tables, or nothing in them
            raise FileError(f"{self.path} is not a file of judgements") from None
        self.items = [Item(*row) for row in rows]
        self.n_items = len(self.items)

    @classmethod
    def create(cls, path: str | Path, names: tuple[str, str], items: Sequence[Item], seed: int = 0) -> Judge:
        """A new comparison, or the one in the file if it is the same."""
        path = Path(path)
        if not items:
            raise InputError("nothing to judge: there are no sources")
        if path.exists():
            judge = cls(path)
            if (judge.name_a, judge.name_b) != names or judge.items != list(items):
                raise InputError(f"{path} holds another comparison: remove it, or choose another file with --db")
            return judge
        try:
            with closing(sqlite3.connect(path)) as db, db:
                db.executescript(_SCHEMA)
                db.execute("INSERT INTO comparison VALUES (?, ?, ?)", (*names, seed))
                db.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", [(i, *item) for i, item in enumerate(items)])
        except sqlite3.OperationalError as error:
            raise FileError(f"{path}: cannot be written ({error})") from None
        return cls(path)

    def _execute(self, statement: str, *values: Any) -> list[Any]:
        """The rows that a statement gives."""
        with closing(sqlite3.connect(self.path, timeout=10)) as db, db:  # the inner `db` commits
            return db.execute(statement, values).fetchall()

    def order(self, annotator: str) -> list[int]:
        """The items in the order of this annotator."""
        return [int(i) for i in self._rng(annotator, "order").permutation(self.n_items)]

    def is_swapped(self, annotator: str, item: int) -> bool:
        """Whether this annotator sees the second system's summary first."""
        return bool(self._rng(annotator, f"item {item}").integers(2))

    def _rng(self, annotator: str, purpose: str) -> np.random.Generator:
        digest = hashlib.sha256(f"{self._seed}\n{annotator}\n{purpose}".encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:8], "big"))

    def view(self, annotator: str, position: int | None = None) -> dict[str, Any]:
        """What an annotator sees: the item at a position of their order, or the first without all answers."""
        name = checked_name(annotator)
        order = self.order(name)
        rows = self._execute("SELECT item, question, vote FROM answer WHERE annotator = ?", name)
        given = {(item, question): vote for item, question, vote in rows}
        unanswered = [i for i, item in enumerate(order) if any((item, q) not in given for q in QUESTIONS)]
        state: dict[str, Any] = {"annotator": name, "total": self.n_items, "done": self.n_items - len(unanswered)}
        if position is None:
            if not unanswered:
                return {**state, "finished": True, "position": self.n_items}
            position = unanswered[0]
        number = self._item(order, position)
        shown = self.items[number]
        sign = -1 if self.is_swapped(name, number) else 1
        choices = {sign * vote: choice for choice, vote in VOTES.items()}
        answers = {q: choices[given[number, q]] for q in QUESTIONS if (number, q) in given}
        return {
            **state,
            "finished": False,
            "position": position,
            "source": shown.source,
            "summaries": [shown.summary_a, shown.summary_b][::sign],
            "questions": QUESTIONS,
            "answers": answers,
        }

    def answer(self, annotator: str, position: int, question: str, choice: str) -> None:
        """Save one answer; a second answer to the same question replaces the first."""
        name = checked_name(annotator)
        if question not in QUESTIONS or choice not in VOTES:
            known = f"{', '.join(QUESTIONS)}; {', '.join(VOTES)}"
            raise InputError(f"unknown answer {short_repr(question)}, {short_repr(choice)}: known are {known}")
        item = self._item(self.order(name), position)
        vote = -VOTES[choice] if self.is_swapped(name, item) else VOTES[choice]
        self._execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?)", item, name, question, vote, time.time())

    def _item(self, order: list[int], position: int) -> int:
        if not 0 <= position < self.n_items:
            raise InputError(f"no item at position {short_repr(position)}: there are {self.n_items}")
        return order[position]

    def votes(self, question: str) -> list[Votes]:
        """Each item's votes on a question: +1 for the first system, 0 for a tie, -1 for the second."""
        items: list[dict[str, int]] = [{} for _ in range(self.n_items)]
        rows = self._execute("SELECT item, annotator, vote FROM answer WHERE question = ?", question)
        for item, annotator, vote in rows:
            items[item][annotator] = vote
        return list(items)

    def annotators(self) -> list[str]:
        return [name for (name,) in self._execute("SELECT DISTINCT annotator FROM answer ORDER BY annotator")]

    def report(self) -> dict[str, VoteStatistics]:
        return {question: summarize_votes(self.votes(question)) for question in QUESTIONS}


def checked_name(annotator: str) -> str:
    """An annotator's name without surrounding space; an error if it is empty or too long.

    >>> checked_name(" Ann ")
    'Ann'
    """
    name = annotator.strip()
    if not 1 <= len(name) <= MAX_NAME or name.encode(errors="ignore").decode() != name:  # a lone surrogate is ignored
        raise InputError(f"invalid name {short_repr(annotator)}: expected 1 to {MAX_NAME} characters")
    return name
