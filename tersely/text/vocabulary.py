"""Stage 1: pieces to ids and back. Only this module knows the special symbols.

A vocabulary file has one piece a line: first the special symbols, then the others by falling frequency. The line
number, counted from 0, is the id.
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
            first = " ".join(pieces[: len(SPECIAL)])
            raise BundleError(f"invalid vocabulary: it must start with {' '.join(SPECIAL)}, not with {first!r}")
        self.pieces = tuple(pieces)
        self._ids = dict(zip(self.pieces, range(len(self.pieces)), strict=True))
        if len(self._ids) != len(self.pieces):
            twice = len(self.pieces) - len(self._ids)
            raise BundleError(f"invalid vocabulary: {twice} pieces occur twice: make a new one")

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        """The vocabulary with the special symbols and then `words`."""
        return cls((*SPECIAL, *words))

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """The vocabulary in a file, one piece a line."""
        try:
            return cls(path.read_bytes().decode("utf-8").removesuffix("\n").split("\n"))
        except UnicodeDecodeError as error:
            raise BundleError(f"the vocabulary {path} is not UTF-8 (byte {error.start + 1}): make a new one") from None

    def write(self, path: Path) -> None:
        """Write one piece a line."""
        path.write_text("\n".join(self.pieces) + "\n", encoding="utf-8")

    def ids(self, pieces: Iterable[str]) -> list[int]:
        """The id of each piece; a piece that is not in the vocabulary has that of the unknown symbol."""
        return [self._ids.get(piece, UNKNOWN_ID) for piece in pieces]

    def __contains__(self, piece: str) -> bool:
        return piece in self._ids

    def __len__(self) -> int:
        return len(self.pieces)
