"""Stage 7: a candidate as text: the kept words, with capitals and marks as far as they fit."""

from __future__ import annotations

from bisect import bisect_left

from tersely.summary.marks import marks_of, with_capitals, with_marks
from tersely.summary.task import Task
from tersely.text.words import render


def text_of(task: Task, kept: tuple[int, ...]) -> str:
    """The kept words as text, with marks and capitals as far as they fit: capitals may be wider than small letters."""
    options, sentence = task.options, task.sentence
    words = [sentence.words[i] for i in kept]
    plain = render(words, pretokenized=options.pretokenized)
    if task.ends is None:
        return plain
    ends = task.ends
    marks = marks_of(sentence, ends, kept, period=options.end == "period") if options.punctuation else []

    def without(first: int) -> str:
        """With the marks from this one on: where they do not fit, the first go first."""
        left = marks[first:]
        shown = with_capitals(words, ends, left, sentence.tokens) if options.case == "sentence" else words
        return with_marks(shown, left)

    if task.fits(made := without(0)):
        return made
    first = bisect_left(range(len(marks)), True, lo=1, key=lambda first: task.fits(without(first)))
    return made if task.fits(made := without(first)) else plain
