"""Stage 2: what a bundle knows of its language by hand, as data: word lists, and kinds of needs (`language.json`).

    {"lists": {"bare": "be, been, being", "fixed": "such as, each other"},
     "needs": [{"kind": "preposition", "cost": 3, "path": "down case", "example": "It sank [near] the *port*."}]}

An entry of a list is a word, or a phrase. A kind of need is a path over the tree, from a word to the one that it needs,
with conditions on the first word (`word`), on those between (`through`) and on the last (`needed`); `unmarked`: no
punctuation mark is between the two; `prose`: headlines do without it. docs/grammar.md explains all of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tersely.errors import short_repr
from tersely.sentence.labels import LABELS

ANY = "any"  # label
_KEYS = {"kind", "cost", "path", "word", "through", "needed", "unmarked", "prose", "example"}
_LABELLED, _PLAIN, _PHRASE = ("up", "down"), ("next", "previous"), "phrase"
MOST_COST = 100.0


class BadLanguage(ValueError):
    """The data of a language is not valid; the message says why."""


@dataclass(frozen=True)
class Step:
    """A step of a path: `up` to the head, `down` to a dependent, to the `next` or `previous` word, along a `phrase`."""

    way: str
    names: tuple[str, ...] = ()  # labels of the dependency, or lists of phrases


@dataclass(frozen=True)
class Condition:
    """What holds of a word: it is `in` lists, `as` its label is, `having` dependents with labels, or `with` words."""

    test: str
    names: tuple[str, ...] = ()  # of lists, or labels
    labels: tuple[str, ...] = ()  # of the dependents that are in the lists
    negated: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of need."""

    name: str
    cost: float
    paths: tuple[tuple[Step, ...], ...]  # any of them
    word: tuple[Condition, ...]  # all of them, and so on
    through: tuple[Condition, ...]
    needed: tuple[Condition, ...]
    unmarked: bool
    prose: bool  # headlines do without it
    example: str  # a sentence: the word between asterisks needs the word in brackets


@dataclass(frozen=True, eq=False)
class Language:
    """Word lists by name, and kinds of needs; a list that a language lacks is empty."""

    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)
    kinds: tuple[Kind, ...] = ()
    _known: dict[tuple[str, ...], tuple[frozenset[str], tuple[tuple[str, ...], ...]]] = field(
        default_factory=dict, init=False, repr=False
    )

    def __getitem__(self, name: str) -> frozenset[str]:
        return self.lists.get(name, frozenset())

    def words(self, names: tuple[str, ...]) -> frozenset[str]:
        """The entries of several lists."""
        return self._joined(names)[0]

    def phrases(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """The phrases among them, word by word."""
        return self._joined(names)[1]

    def _joined(self, names: tuple[str, ...]) -> tuple[frozenset[str], tuple[tuple[str, ...], ...]]:
        if names not in self._known:
            entries = frozenset().union(*(self[name] for name in names))
            self._known[names] = entries, tuple(tuple(entry.split()) for entry in sorted(entries) if " " in entry)
        return self._known[names]


def read_language(content: bytes) -> Language:
    """The language in a file's content.

    >>> language = read_language(b'{"lists": {"bare": "be, been"}, "needs": []}')
    >>> sorted(language["bare"]), language["polite"]
    (['be', 'been'], frozenset())
    """
    try:
        data = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadLanguage("it is not JSON in UTF-8") from None
    if not isinstance(data, dict) or not isinstance(data.get("lists"), dict):
        raise BadLanguage("it has no object lists")
    if not isinstance(data.get("needs", []), list):
        raise BadLanguage("needs is not a list")
    lists = {name: _entries(name, text) for name, text in data["lists"].items()}
    kinds = tuple(_kind(row, lists) for row in data.get("needs", []))
    if len({kind.name for kind in kinds}) < len(kinds):
        raise BadLanguage("two needs have the same kind")
    return Language(lists, kinds)


def _entries(name: str, text: Any) -> frozenset[str]:
    if not isinstance(text, str) or not name or len(name.split()) > 1:
        raise BadLanguage(f"the list {name!r} must have a name without spaces and be a text of words with commas")
    return frozenset(" ".join(entry.split()) for entry in text.split(",") if entry.strip())


def _kind(row: Any, lists: Mapping[str, frozenset[str]]) -> Kind:
    name = row.get("kind") if isinstance(row, dict) else None
    if not isinstance(name, str) or not name:
        raise BadLanguage(f"a need has no kind: {short_repr(row, 40)}")
    if unknown := sorted(row.keys() - _KEYS):
        raise BadLanguage(f"the need {name!r} has the unknown key {unknown[0]!r}: known are {', '.join(sorted(_KEYS))}")
    cost = row.get("cost")
    if not isinstance(cost, (int, float)) or isinstance(cost, bool) or not 0 < cost <= MOST_COST:
        raise BadLanguage(
            f"the cost of the need {name!r} must be a number above 0 and at most {MOST_COST:g}, not {cost!r}"
        )
    if wrong := [
        key for key in ("path", "word", "through", "needed", "example") if not isinstance(row.get(key, ""), str)
    ]:
        raise BadLanguage(f"{wrong[0]} of the need {name!r} must be a text")
    for key in ("unmarked", "prose"):
        if not isinstance(row.get(key, False), bool):
            raise BadLanguage(f"{key} of the need {name!r} must be true or false")
    reader = _Reader(name, lists)
    return Kind(
        name,
        float(cost),
        tuple(tuple(map(reader.step, path.split(","))) for path in row.get("path", "").split(" or ")),
        reader.conditions(row.get("word", "")),
        reader.conditions(row.get("through", "")),
        reader.conditions(row.get("needed", "")),
        unmarked=row.get("unmarked", False),
        prose=row.get("prose", False),
        example=row.get("example", ""),
    )


@dataclass(frozen=True)
class _Reader:
    """Reads the paths and conditions of one kind."""

    kind: str
    lists: Mapping[str, frozenset[str]]

    def step(self, text: str) -> Step:
        way, *names = text.split() or [""]
        if way in _LABELLED and names:
            return Step(way, self._labels(names))
        if way == _PHRASE and names:
            return Step(way, self._lists(names))
        if way in _PLAIN and not names:
            return Step(way)
        raise self._wrong(
            f"the step {short_repr(text.strip())}: expected up or down with labels, phrase with lists, next, previous"
        )

    def conditions(self, text: str) -> tuple[Condition, ...]:
        return tuple(self._condition(part) for part in text.split(",") if part.strip())

    def _condition(self, text: str) -> Condition:
        words = text.split()
        negated = words[0] == "not"
        test, *names = words[negated:] or [""]
        if test == "figure" and not names:
            return Condition(test, negated=negated)
        if test in ("as", "having") and names:
            return Condition(test, self._labels(names), negated=negated)
        if test in ("in", "with") and names:
            split = names.index("as") if test == "with" and "as" in names else len(names)
            labels = self._labels(names[split + 1 :] or [ANY])
            return Condition(test, self._lists(names[:split]), labels, negated)
        raise self._wrong(
            f"the condition {short_repr(text.strip())}: expected in, as, having, with or figure, or not before it"
        )

    def _labels(self, names: list[str]) -> tuple[str, ...]:
        if unknown := [name for name in names if name not in LABELS and name != ANY]:
            raise self._wrong(f"the label {unknown[0]!r}: known are {', '.join(LABELS)}")
        return LABELS if ANY in names else tuple(names)

    def _lists(self, names: list[str]) -> tuple[str, ...]:
        if unknown := [name for name in names if name not in self.lists]:
            raise self._wrong(f"the list {unknown[0]!r}, which the file lacks")
        return tuple(names)

    def _wrong(self, what: str) -> BadLanguage:
        return BadLanguage(f"the need {self.kind!r} has {what}")
