"""Stage 7: the summaries of every length, each the one that a call for its length alone gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tersely.candidates.length import UNITS, Length, Rendering
from tersely.candidates.pins import fewest_words
from tersely.errors import InputError
from tersely.search.result import SearchResult
from tersely.search.work import MOST_WORK, to_encode, to_repeat
from tersely.sentence.sentence import Sentence
from tersely.summary.options import Options
from tersely.summary.summary import Summary

_BOUNDS = 1.5  # those of one search, for all lengths: some ten seconds, or one without language models


def every_length(
    find: Callable[[Options], tuple[Summary, SearchResult]], sentence: Sentence, options: Options
) -> list[Summary]:
    """The summaries of every length up to that of the options, shortest first, as far as the effort allows.

    If none fills its limit, that of the whole limit. If none has room for what has to be kept, there is none.
    """
    unit, also = UNITS[options.length.unit], options.length.also
    found: list[Summary] = []
    spent, rows, unread = 0.0, 0, to_encode(len(sentence))

    def within(limit: int, reserve: int) -> Summary | None:
        nonlocal spent, rows, unread
        if spent > _BOUNDS * options.most_work:
            return None
        length = Length(unit.name if unit.count else "words", limit, also)
        try:
            summary, result = find(replace(options, length=length, reserve=reserve, n_best=1))
        except InputError:  # what has to be kept needs more
            spent += to_repeat(0, 0, len(sentence)) / MOST_WORK
            return None
        spent += (unread + to_repeat(result.work, result.rows - rows, len(sentence))) / result.most_work
        rows, unread = result.rows, 0
        return summary

    if unit.count is None:
        reserve = options.reserve if also else 0
        alone = Rendering(reserve=options.reserve - reserve)
        words = replace(options.length, also=None).budget(sentence.tokens, alone)
        for size in range(max(1, fewest_words(sentence, options.keep)), words.limit + 1):
            one = within(size, reserve)
            if one is not None and len(one.kept) == size:  # where words are dropped, fewer may be left
                found.append(one)
        return found
    limit, longest = int(options.length.most), list[Summary]()
    while limit and (summary := within(limit, options.reserve)) is not None:
        longest = longest or [summary]
        if (length := unit.count(summary, options.reserve)) == limit:
            found.append(summary)
            length -= 1
        limit = length  # a shorter one is asked for again, at its own length
    return found[::-1] or longest
