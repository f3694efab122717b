"""The words of an utterance made to fit: as they are, without fillers, or the best of them."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace

from tersely.candidates.length import Length
from tersely.candidates.measure import count_chars
from tersely.candidates.pins import KINDS, pin_patterns
from tersely.errors import InputError
from tersely.subtitles.breaks import Frame, Layout, Lines
from tersely.subtitles.fillers import without_fillers
from tersely.subtitles.markup import Word
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.summary.summary import Summary
from tersely.text.punctuation import capitalized
from tersely.text.words import fold, tokenize

_TRIES = 4  # searches, each for fewer characters, until the words can also be laid out in lines
_LEAST = 0.25  # the share of a text that there must be room for: with less of it, it no longer says what it says
_MOVED = 25  # characters that a cue may take over from its neighbours, at most
_CALLS = re.compile(r"[?!]+[\"'\u2019\u201d)]*$")


def condensed(
    summarizer: Summarizer,
    options: Options,
    words: Sequence[Word],
    homes: Sequence[int],
    frames: Sequence[Frame],
    over: Collection[int],
) -> list[Lines]:
    """The lines of each frame. `homes` has the frame of each word, and `over` those that have too much.

    Raises InputError if what must be kept does not fit.
    """
    layout = Layout(summarizer.bundle.language)

    def laid(found: Sequence[Word]) -> list[Lines] | None:
        if len(frames) > 1:
            return layout.over_cues(found, homes, frames)
        lines = layout.lines(found, frames[0])
        return None if lines is None else [lines]

    fixed = frozenset(word.at for word in words if homes[word.at] not in over)
    keep = {fold(part) for pattern in options.keep for part in pattern.split()}
    shorter = without_fillers(words, keep, fixed)
    for found in (words, shorter):
        if made := laid(found):
            return made
    room = sum(_room(frame, homes, shorter, k, len(frames)) for k, frame in enumerate(frames)) + len(frames) - 1
    problem = InputError("the lines have no room for its words")
    for pinned in (fixed, frozenset()) if fixed else (frozenset(),):
        limit = room
        try:
            for _ in range(_TRIES):
                found = best_words(summarizer, options, shorter, limit, pinned)
                if made := laid(found):
                    return made
                limit = min(limit, count_chars(" ".join(word.text for word in found))) - 3
        except InputError as error:
            problem = error
    raise problem


def _room(frame: Frame, homes: Sequence[int], words: Sequence[Word], k: int, count: int) -> int:
    """The characters that a frame has for words."""
    room = min(frame.chars, frame.lines * (frame.line + 1) - 1) - count_chars(frame.prefix) - count_chars(frame.suffix)
    own = sum(count_chars(word.text) + 1 for word in words if homes[word.at] == k) - 1
    return min(room, own + _MOVED) if count > 1 else room


def best_words(
    summarizer: Summarizer, options: Options, words: Sequence[Word], limit: int, pinned: Collection[int]
) -> list[Word]:
    """The best of the words that have so many characters; those at the places `pinned` and denying words stay."""
    text = " ".join(word.text for word in words)
    if limit < max(1, _LEAST * count_chars(text)):
        raise InputError(f"there is time or room for {max(0, limit)} of its {count_chars(text)} characters")
    starts = [0, *itertools.accumulate(len(word.text) + 1 for word in words)]
    places = [word.at for word in words]
    tokens = [token for token in tokenize(text) if not token.punctuation]
    pins = [
        pattern
        for pattern, token in zip(pin_patterns(tokens), tokens, strict=True)
        if places[bisect_right(starts, token.start) - 1] in pinned
    ]
    keep = (*(pattern for pattern in options.keep if _occurs(pattern, text)), "negation", *pins)
    found = summarizer.shorten(text, replace(options, length=Length("chars", limit), keep=keep))
    _check_denial(summarizer, found, text)
    made = [Word(shown, places[bisect_right(starts, at) - 1]) for shown, at in _shown_words(found)]
    calls, end = _CALLS.search(text), _CALLS.search(made[-1].text)
    if calls and not end and count_chars(found) + len(calls[0]) <= limit:
        made[-1] = made[-1]._replace(text=made[-1].text.rstrip(".") + calls[0])
    return made


def _occurs(pattern: str, text: str) -> bool:
    """Whether a pin pattern can be asked of a text: in the others it names nothing."""
    word = re.sub(r"#\d+$", "", pattern)
    return pattern in KINDS or bool(re.search(rf"(?<!\w){re.escape(fold(word))}(?!\w)", fold(text)))


def _shown_words(summary: Summary) -> list[tuple[str, int]]:
    """The words of a summary, between spaces, each with the place in the source of its first word."""
    places, at = [], 0
    for position, (start, _) in zip(summary.kept, summary.spans, strict=True):
        token = summary.tokens[position]
        found = [summary.find(form, at) for form in (token, capitalized(token))]
        at = min([place for place in found if place >= 0], default=at)
        places.append((at, start))
        at += len(token)
    shown: list[tuple[str, int]] = []
    for match in re.finditer(r"\S+", summary):
        inside = [start for place, start in places if match.start() <= place < match.end()]
        shown.append((match[0], inside[0] if inside else places[0][1] if not shown else shown[-1][1]))
    return shown


def _check_denial(summarizer: Summarizer, summary: Summary, text: str) -> None:
    """Refuse a summary that ends with a "not" that has lost what it denies."""
    last = summary.tokens[summary.kept[-1]]
    end = summary.spans[-1][1]
    if last.lower() in summarizer.bundle.language["negation"] and text[end : end + 1].isspace():
        raise InputError(f"{last!r} would lose what it denies")
