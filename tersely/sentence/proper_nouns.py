"""Stage 2: names that lists know as other words: "May" the month, "Will" the first name.

They have a capital inside a sentence (but in a title with capitals that says nothing), or a number after them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tersely.sentence.language import Language
from tersely.text.words import Word


def proper_nouns(tokens: Sequence[Word], language: Language) -> frozenset[int]:
    """The positions of such words among the words of a text.

    >>> from tersely.text.words import tokenize
    >>> tokens = tokenize("Ships may sail in May , after Will Harper said : Will they ?", pretokenized=True)
    >>> sorted(proper_nouns(tokens, Language({"also-names": frozenset(["may", "will"])})))
    [4, 6]
    """
    words = [token for token in tokens if not token.punctuation]
    candidates = [i for i, word in enumerate(words) if word.pieces[0] in language["also-names"]]
    if not candidates:
        return frozenset()
    title = {word.text for word in words if word.text[0].islower()} <= language["small-in-titles"]
    before = dict(zip((token.start for token in tokens[1:]), tokens, strict=False))

    def is_name(i: int) -> bool:
        word, previous = words[i], before.get(words[i].start)
        dated = word.pieces[0] in language["months"] and i + 1 < len(words)
        if dated and words[i + 1].text[0] in "#0123456789":
            return True
        inside = previous is not None and (not previous.punctuation or previous.text in ",(")
        return word.text[0].isupper() and inside and not title

    return frozenset(filter(is_name, candidates))
