"""Stage 7: what a summary has dropped, word by word, in the text that it was made from."""

from __future__ import annotations

from collections.abc import Sequence

from tersely.text.words import tokenize

_DROPPED, _PLAIN = "\x1b[9;31m", "\x1b[0m"  # struck through, in red


def diff(text: str, kept: Sequence[int], *, pretokenized: bool = False, colour: bool = False) -> str:
    """The text with its dropped words marked; `kept` are the positions of the others.

    >>> diff("The ship, it ran.", [1, 3])
    '[-The-] ship, [-it-] ran.'
    """
    begin, end = (_DROPPED, _PLAIN) if colour else ("[-", "-]")
    shown, at = "", 0
    words = [token for token in tokenize(text, pretokenized=pretokenized) if not token.punctuation]
    for i, word in enumerate(words):
        source = text[word.start : word.end]
        shown += text[at : word.start] + (source if i in kept else f"{begin}{source}{end}")
        at = word.end
    return " ".join((shown + text[at:]).split())
