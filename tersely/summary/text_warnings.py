"""Stage 7: what makes a text suspicious: a summary of it is made, with a warning."""

from __future__ import annotations

import numpy as np

from tersely.summary.task import Task
from tersely.text.markup import looks_like_markup
from tersely.text.sentences import sentences
from tersely.text.vocabulary import UNKNOWN_ID

_FEW = 4  # words: a shorter text says nothing about its language
MARKUP = "the text has markup: html=True (--html) reads it without tags and entities"
UNKNOWN = "more than half of the words are unknown: is the text in the language of the bundle?"
SEVERAL = "several sentences are shortened as one: lead=True (--lead) shortens the first, split=True each by itself"


def text_warnings(task: Task) -> tuple[str, ...]:
    """The warnings for the text of a summary that is shorter than its text."""
    if task.whole is not None:
        return ()
    sentence = task.sentence
    unknown = np.ones(len(sentence), dtype=bool)
    np.logical_and.at(unknown, sentence.owners, sentence.piece_ids == UNKNOWN_ID)
    found = {
        MARKUP: not task.options.html and not task.options.pretokenized and looks_like_markup(task.text),
        UNKNOWN: len(sentence) >= _FEW and 2 * unknown.sum() > len(sentence),
        SEVERAL: not task.options.pretokenized and len(sentences(task.text)) > 1,
    }
    return tuple(message for message, applies in found.items() if applies)
