"""Sources with their references, from the layouts that sentence summarisation uses.

A folder in the headline layout (`input.txt`, `task1_ref0.txt`, `task1_ref1.txt`, ..., as Gigaword and DUC are
distributed), a jsonl file (`text`, with `summaries` or `short`) or a tsv file (source, then one column per reference).
Errors name the file and the line, because one shifted line makes every figure wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tersely.errors import FileError, InputError
from tersely.system.files import read_lines
from tersely.text.words import Word, is_punctuation, tokenize

_EXPECTED = "a folder with input.txt and task1_ref0.txt, or one .jsonl or .tsv file"
_REFERENCE_NAME = re.compile(r"(?:task\d+_)?ref(\d+)\.txt")


@dataclass(frozen=True, slots=True)
class Example:
    """One source sentence and the summaries that people wrote for it."""

    source: str
    references: tuple[str, ...]
    by_deletion: bool = False  # whether they are given as shortenings of the source


@dataclass(frozen=True)
class Dataset:
    """The examples of one file or folder, under its name."""

    name: str
    examples: tuple[Example, ...]
    n_skipped: int = 0  # examples left out before these
    n_cut: int = 0  # and after them
    pretokenized: bool | None = None  # None: derived from the sources

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def sources(self) -> list[str]:
        return [example.source for example in self.examples]

    @property
    def n_references(self) -> int | str:
        """How many references each source has; "1-3" where that differs."""
        counts = sorted({len(example.references) for example in self.examples})
        return counts[0] if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"

    @property
    def by_deletion(self) -> bool:
        """Whether all references are shortenings by deletion."""
        return all(example.by_deletion for example in self.examples)

    @cached_property
    def is_pretokenized(self) -> bool:
        """Whether most sources have punctuation between spaces, as in benchmark corpora ("said friday .").

        >>> Dataset("toy", (Example("shares fell , he said .", ("shares fall",)),)).is_pretokenized
        True
        >>> Dataset("toy", (Example("Shares fell, he said.", ("shares fall",)),)).is_pretokenized
        False
        """
        if self.pretokenized is not None:
            return self.pretokenized
        alone = sum(any(is_punctuation(token) for token in source.split()) for source in self.sources)
        return 2 * alone > len(self)

    def tokens(self, text: str) -> list[Word]:
        """The tokens of a source, a reference or an output, split as the sources of this dataset."""
        return tokenize(text, pretokenized=self.is_pretokenized)

    def words(self, text: str) -> list[str]:
        """The words of a text for comparisons: in lower case, without punctuation."""
        return [token.text.lower() for token in self.tokens(text) if not token.punctuation]

    def part(self, examples: Sequence[Example]) -> Dataset:
        """A dataset of some of the examples, tokenised in the same way."""
        return replace(self, examples=tuple(examples), pretokenized=self.is_pretokenized)

    def slice(self, skip: int = 0, limit: int | None = None) -> Dataset:
        """The examples after the first `skip`, for instance because those were tuned on, and at most `limit`.

        >>> Dataset("toy", tuple(Example(text, ("x",)) for text in "abc")).slice(skip=1, limit=1).sources
        ['b']
        """
        if not 0 <= skip < len(self):
            raise InputError(f"cannot skip {skip} of {len(self)} sources: at least one must be left")
        if limit is not None and limit < 1:
            raise InputError(f"invalid limit {limit}: expected at least 1")
        kept = self.examples[skip:][:limit]
        n_cut = len(self) - skip - len(kept)
        return replace(self.part(kept), n_skipped=self.n_skipped + skip, n_cut=self.n_cut + n_cut)


def read_dataset(path: str | Path) -> Dataset:
    """The dataset at a path: a folder in the headline layout, or a .jsonl or .tsv file (or a folder with one)."""
    path = Path(path)
    if path.is_dir():
        if (path / "input.txt").is_file():
            return Dataset(path.resolve().name, _read_headline_folder(path))
        files = sorted(file for file in path.iterdir() if file.suffix in _READERS)
        if len(files) != 1:
            inside = sorted(folder.name for folder in path.iterdir() if (folder / "input.txt").is_file())
            hint = f"name one of its folders, {', '.join(inside)}" if inside else f"expected {_EXPECTED}"
            raise InputError(f"{path} has no input.txt and {len(files)} .jsonl or .tsv files: {hint}")
        path = files[0]
    if not path.exists():
        raise FileError(f"{path}: no such file or folder: expected {_EXPECTED}")
    if path.suffix not in _READERS:
        raise InputError(f"{path} is not a dataset: expected {_EXPECTED}")
    read = _READERS[path.suffix]
    return Dataset(path.stem, tuple(read(line, location) for line, location in _located_lines(path)))


def _read_headline_folder(folder: Path) -> tuple[Example, ...]:
    sources = _read_column(folder / "input.txt", "source")
    columns = []
    for file in _reference_files(folder):
        lines = _read_column(file, "reference")
        if len(lines) != len(sources):
            first = min(len(lines), len(sources)) + 1
            raise InputError(
                f"{file} has {len(lines)} lines, but {folder / 'input.txt'} has {len(sources)}: "
                f"there is no pair for line {first}"
            )
        columns.append(lines)
    rows = zip(sources, zip(*columns, strict=True), strict=True)
    return tuple(Example(source, references) for source, references in rows)


def _read_column(file: Path, what: str) -> list[str]:
    return [_required(line, what, location) for line, location in _located_lines(file)]


def _located_lines(file: Path) -> list[tuple[str, str]]:
    """The lines of a file, each with its place for messages."""
    lines = [(line, f"{file}, line {number}") for number, line in enumerate(read_lines(file), start=1)]
    if not lines:
        raise InputError(f"{file} is empty")
    return lines


def _reference_files(folder: Path) -> list[Path]:
    numbered = {int(match[1]): file for file in folder.iterdir() if (match := _REFERENCE_NAME.fullmatch(file.name))}
    if not numbered:
        raise InputError(f"{folder} has input.txt but no references: expected task1_ref0.txt")
    missing = sorted(set(range(max(numbered) + 1)) - set(numbered))
    if missing:
        raise InputError(f"{folder} has task1_ref{max(numbered)}.txt but lacks task1_ref{missing[0]}.txt")
    return [numbered[number] for number in sorted(numbered)]


def _read_json(line: str, location: str) -> Example:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{location}: not JSON ({error.msg} at column {error.colno})") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or too many brackets
        raise InputError(f"{location}: JSON that is nested too deeply, or has too long a number") from None
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise InputError(f'{location}: expected an object with "text" and "summaries"')
    summaries = row.get("summaries", row.get("summary", row.get("short")))
    references = [summaries] if isinstance(summaries, str) else summaries
    if not references or not isinstance(references, list) or not all(isinstance(r, str) for r in references):
        raise InputError(f'{location}: "summaries" must be a list of at least one text')
    return replace(_example(row["text"], references, location), by_deletion="short" in row)


def _read_tsv(line: str, location: str) -> Example:
    source, *references = line.split("\t")
    if not references:
        raise InputError(f"{location}: expected a source, a tab and a summary, but there is no tab")
    return _example(source, references, location)


def _example(source: str, references: list[str], location: str) -> Example:
    checked = tuple(_required(reference, "reference", location) for reference in references)
    return Example(_required(source, "source", location), checked)


def _required(text: str, what: str, location: str) -> str:
    if not text.strip():
        raise InputError(f"{location}: empty {what}")
    return text


_READERS = {".jsonl": _read_json, ".tsv": _read_tsv}
