"""English articles: "a" and "an" fit the word that follows, so some words cannot be their new neighbours."""

from __future__ import annotations

import re

import numpy as np

from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray

# Where spelling does not tell the sound ("hour", "uncle", "union"), anything fits.
_VOWEL = re.compile(r"[aio](?!nce|ne\b)|e(?![uw])", re.IGNORECASE)
_CONSONANT = re.compile(r"[b-dfgj-np-tv-z][a-z]", re.IGNORECASE)
_WRONG = {"a": _VOWEL, "an": _CONSONANT}


def clashes(sentence: Sentence) -> BoolArray:
    """Whether word i is an article that does not fit word j as its next one, (n, n)."""
    found = np.zeros((len(sentence), len(sentence)), dtype=bool)
    if not sentence.language["before-nouns"] >= _WRONG.keys():  # not English
        return found
    for i, word in enumerate(sentence.words):
        if wrong := _WRONG.get(word.text.lower()):
            found[i, i + 2 :] = [bool(wrong.match(other.text)) for other in sentence.words[i + 2 :]]
    return found
