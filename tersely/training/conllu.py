"""Training: dependency trees in CoNLL-U, the format of every Universal Dependencies treebank.

Ten columns a token, an empty line after each sentence. Lines for multiword tokens ("3-4") and empty nodes ("5.1")
are skipped: their parts have lines of their own, or are not in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern

from tersely.errors import InputError
from tersely.system.files import iter_byte_lines

_N_COLUMNS = 10
_ID, _FORM, _HEAD, _RELATION = 0, 1, 6, 7


@dataclass(frozen=True, slots=True)
class TreebankSentence:
    """A sentence with its tree: the position of each token's head (the root's is its own) and its relation to it."""

    forms: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


def read_trees(path: Path) -> Iterator[TreebankSentence]:
    """The sentences of a file in CoNLL-U, plain or compressed as `.gz` or `.xz`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "toy.conllu"
    >>> row = "{}\\t{}\\t_\\t_\\t_\\t_\\t{}\\t{}\\t_\\t_"
    >>> _ = path.write_text("\\n".join([row.format(1, "Ships", 2, "nsubj"), row.format(2, "sank", 0, "root"), ""]))
    >>> next(read_trees(path))
    TreebankSentence(forms=('Ships', 'sank'), heads=(1, 1), relations=('nsubj', 'root'))
    """
    rows: list[list[str]] = []
    number = 0
    for number, line in enumerate(iter_byte_lines(path), 1):
        try:
            text = line.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}, line {number}: not UTF-8 ({error.reason})") from None
        if text.startswith("#"):
            continue
        if text.strip():
            row = _row(text, f"{path}, line {number}")
            if row is not None:
                rows.append(row)
        elif rows:
            yield _sentence(rows, f"{path}, line {number - len(rows)}")
            rows = []
    if rows:
        yield _sentence(rows, f"{path}, line {number - len(rows) + 1}")


def _row(text: str, location: str) -> list[str] | None:
    """The columns of a token; nothing for a multiword token or an empty node."""
    row = text.split("\t")
    if len(row) != _N_COLUMNS:
        raise InputError(
            f"{location}: CoNLL-U has {_N_COLUMNS} columns with tabs between them, this line has {len(row)}"
        )
    if "-" in row[_ID] or "." in row[_ID]:
        return None
    if not row[_HEAD].isdecimal():
        raise InputError(f"{location}: the head must be a number, it is {row[_HEAD]!r}: give a treebank with trees")
    return row


def _sentence(rows: list[list[str]], location: str) -> TreebankSentence:
    heads = []
    for i, row in enumerate(rows):
        head = int(row[_HEAD])
        if row[_ID] != str(i + 1):
            raise InputError(f"{location}: token {i + 1} of this sentence has the number {row[_ID]!r}")
        if head > len(rows) or head == i + 1:
            raise InputError(f"{location}: token {i + 1} of this sentence cannot have the head {head} of {len(rows)}")
        heads.append(head - 1 if head else i)
    # Interned: a treebank of ten million tokens has a few hundred thousand different ones.
    forms, relations = (tuple(intern(row[column]) for row in rows) for column in (_FORM, _RELATION))
    return TreebankSentence(forms, tuple(heads), relations)
