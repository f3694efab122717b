"""Stage 1: pieces to ids and back. This module is the only owner of the special symbols.

A vocabulary file is one piece a line, the special symbols first, then by falling frequency; the line number is the id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tersely.errors import BundleError

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
SPECIAL = (UNKNOWN, BEGIN, END)
UNKNOWN_ID, BEGIN_ID, END_ID = range(3)


class Vocabulary:
    """The pieces that a bundle knows, with their ids.

    >>> vocabulary = Vocabulary.of(["ship", "ran", "aground"])
    >>> vocabulary.ids(["ship", "sank"])
    [3, 0]
    >>> vocabulary.pieces[3], len(vocabulary), "sank" in vocabulary
    ('ship', 6, False)
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        if tuple(pieces[: len(SPECIAL)]) != SPECIAL:
            raise BundleError(f"a vocabulary starts with {' '.join(SPECIAL)}, this one with {' '.join(pieces[:3])!r}")
        self.pieces = tuple(pieces)
        self._ids = dict(zip(self.pieces, range(len(self.pieces)), strict=True))
        if len(self._ids) != len(self.pieces):
            raise BundleError(f"a vocabulary names {len(self.pieces) - len(self._ids)} pieces twice: make it anew")

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        """The vocabulary of `words`, after the special symbols."""
        return cls((*SPECIAL, *words))

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """The vocabulary in a file, one piece a line."""
        try:
            return cls(path.read_bytes().decode("utf-8").removesuffix("\n").split("\n"))
        except UnicodeDecodeError as error:
            raise BundleError(f"the vocabulary {path} is not UTF-8 (byte {error.start + 1}): make it anew") from None

    def write(self, path: Path) -> None:
        """Write one piece a line."""
        path.write_text("\n".join(self.pieces) + "\n", encoding="utf-8")

    def ids(self, pieces: Iterable[str]) -> list[int]:
        """The id of each piece; what is not in the vocabulary gets the unknown symbol's."""
        return [self._ids.get(piece, UNKNOWN_ID) for piece in pieces]

    def __contains__(self, piece: str) -> bool:
        return piece in self._ids

    def __len__(self) -> int:
        return len(self.pieces)
