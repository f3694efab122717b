"""Stage 7: what is over a limit, without a model: for checks of texts that are not to be changed."""

from __future__ import annotations

from tersely.candidates.length import UNITS, count_words, words_in_share
from tersely.summary.options import Options
from tersely.summary.reading import read_text
from tersely.text.words import tokenize


def over_limit(text: str, options: Options) -> list[str]:
    """For each limit that a text is over: how long the text is, and the limit. White space counts as one space.

    >>> over_limit("The  ship ran aground", Options.of(words=3, chars=20))
    ['4 words, the limit is 3 words']
    """
    return excess(" ".join(read_text(text, options).split()), options)


def excess(whole: str, options: Options) -> list[str]:
    """The same for a text whose white space counts as it is."""
    tokens = tokenize(whole, pretokenized=options.pretokenized)
    length, found = options.length, []
    for part in length.parts:
        unit, reserve = UNITS[part.unit], length.reserve_of(part, options.reserve)
        asked = unit.label(part.size)
        if unit.count is not None:
            used, most, name = unit.count(whole, 0), part.most, asked.split()[-1]
            over = unit.count(whole, reserve) > most
        else:
            used, name = max(count_words(tokens), len(whole.split())), "words"
            most = words_in_share(tokens, part.most) if part.unit == "ratio" else int(part.most)
            over = used + reserve > most
        found += [f"{used} {name}, the limit is {asked}{f' less {reserve}' if reserve else ''}"] if over else []
    return found
