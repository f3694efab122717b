"""Stage 2: the pieces of words that the pretrained encoder knows (WordPiece, BERT's lower-cased kind).

A token is cleaned as BERT does it (lower case, no accents, marks apart) and then matched greedily, the longest piece
first. The vocabulary is that of the encoder, cut to the Latin script.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
_MOST_CHARS = 100  # of a word that is matched at all; BERT's own limit
_MOST_REMEMBERED = 50_000


@dataclass(frozen=True)
class WordPiece:
    """A vocabulary of pieces; a piece that continues a word begins with `##`.

    >>> pieces = WordPiece(("[UNK]", "[CLS]", "[SEP]", "ship", "##s", "'"))
    >>> pieces.ids("Ships'"), pieces.ids("tanker")
    ((3, 4, 5), (0,))
    """

    vocabulary: Sequence[str]
    _known: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {piece: i for i, piece in enumerate(self.vocabulary)}

    def ids(self, token: str) -> tuple[int, ...]:
        """The numbers of a token's pieces, at least one."""
        ids = self._known.get(token)
        if ids is None:  # another thread may empty the memory at any time
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            ids = tuple(i for word in basic_words(token) for i in self._match(word)) or (self.numbers[UNKNOWN],)
            self._known[token] = ids
        return ids

    def _match(self, word: str) -> list[int]:
        numbers, ids, begin = self.numbers, [], 0
        if len(word) > _MOST_CHARS:
            return [numbers[UNKNOWN]]
        while begin < len(word):
            prefix = "##" if begin else ""
            for end in range(len(word), begin, -1):
                if (number := numbers.get(prefix + word[begin:end])) is not None:
                    ids.append(number)
                    begin = end
                    break
            else:
                return [numbers[UNKNOWN]]
        return ids


def basic_words(text: str) -> Iterator[str]:
    """The words that BERT matches: lower-cased, without accents, every mark and every Chinese character apart.

    >>> list(basic_words("Café-owner's 5.2"))
    ['cafe', '-', 'owner', "'", 's', '5', '.', '2']
    """
    if text.isascii() and text.isalnum():  # the usual case
        yield text.lower()
        return
    word = ""
    for char in unicodedata.normalize("NFD", text):
        category = unicodedata.category(char)
        if category == "Mn" or char in "\0\ufffd" or (category[0] == "C" and char not in "\t\n\r"):
            continue
        apart = _is_mark(char, category) or _is_chinese(ord(char))
        if apart or char.isspace():
            if word:
                yield word.lower()
            word = ""
        if apart:
            yield char
        elif not char.isspace():
            word += char
    if word:
        yield word.lower()


def _is_mark(char: str, category: str) -> bool:
    return category[0] == "P" or (char.isascii() and not char.isalnum() and not char.isspace())


def _is_chinese(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x2FA1F
    )


def is_latin(piece: str) -> bool:
    """Whether a piece belongs in a vocabulary for the Latin script; `[unused7]` does not.

    >>> [piece for piece in ("ship", "##é", "[UNK]", "[unused7]", "мир", "—") if is_latin(piece)]
    ['ship', '##é', '[UNK]', '—']
    """
    if piece.startswith("["):
        return piece in ("[", UNKNOWN, BEGIN, END)
    return all(not c.isalpha() or unicodedata.name(c, "").startswith(("LATIN", "MODIFIER")) for c in piece)
