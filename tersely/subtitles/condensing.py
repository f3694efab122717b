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
from tersely.subtitles.checks import TAG, breaks_a_denial, denials, has_only_a_tag, loses_its_question
from tersely.subtitles.fillers import CLAUSE, NO_COMMA_AFTER, without_fillers
from tersely.subtitles.markup import Word
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.summary.summary import Summary
from tersely.text.punctuation import capitalized
from tersely.text.sentences import sentence_bounds
from tersely.text.words import fold, tokenize

_TRIES = 4  # searches, each for fewer characters, until the words can also be laid out in lines
_LEAST = 0.25  # the share of a text that there must be room for: with less of it, it no longer says what it says
_MOVED = 25  # characters that a cue may take over from its neighbours, at most
_CANDIDATES = 8  # summaries of each search: some leave out a speaker, or cannot be laid out
_ASKS = re.compile(r"[:;] [^:;]*\?$")  # "I have one question: who paid?"
_MARKED, _ENDS = (re.compile(rf"[{marks}][\"'\u2019\u201d)]*$") for marks in (",.;:?!\u2026", ".?!\u2026"))
_CALLS = re.compile(r"[?!]+[\"'\u2019\u201d)]*$")


def condensed(
    summarizer: Summarizer,
    options: Options,
    words: Sequence[Word],
    homes: Sequence[int],
    frames: Sequence[Frame],
    over: Collection[int],
    shared: int | None = None,
) -> list[Lines]:
    """The lines of each frame. `homes` has the frame of each word, and `over` those that have too much.

    Words may move from one frame to the next, unless the frames are of speakers who have `shared` characters together.
    Raises InputError if what must be kept does not fit.
    """
    layout = Layout(summarizer.bundle.language)

    def laid(found: Sequence[Word]) -> list[Lines] | None:
        if shared is None:
            return layout.over_cues(found, homes, frames)
        shown = [words[word.at] if word.at in lasts else word for word in found]  # with its mark, as in "Yes."
        own = [[word for word in shown if homes[word.at] == k] for k in range(len(frames))]
        lines = [layout.lines(some, frame) or [] for some, frame in zip(own, frames, strict=True)]
        said = all(len(some) > 1 or stands_alone(some[0].at) for some in own if some)
        return lines if said and all(lines) and _length(shown) <= room else None

    def stands_alone(at: int) -> bool:
        """Whether a word begins a sentence and has a mark: "No, ..."."""
        first = at == 0 or homes[at - 1] != homes[at] or bool(_ENDS.search(words[at - 1].text))
        return first and bool(_MARKED.search(words[at].text))

    lasts = {len(homes) - 1, *(at - 1 for at in range(1, len(homes)) if homes[at] != homes[at - 1])}
    fixed = frozenset(word.at for word in words if homes[word.at] not in over)
    keep = {fold(part) for pattern in options.keep for part in pattern.split()}
    shorter = without_fillers(words, keep, fixed)
    if shared is None:
        room = sum(_room(frame, homes, shorter, k) for k, frame in enumerate(frames)) + len(frames) - 1
    else:
        room = shared - sum(count_chars(frame.prefix) + count_chars(frame.suffix) for frame in frames)
    for found in (words, shorter):
        if made := laid(found):
            return made
    problem = InputError("the lines have no room for its words")
    for pinned in (fixed, frozenset()) if fixed else (frozenset(),):
        limit = room
        try:
            for _ in range(_TRIES):
                candidates = best_words(summarizer, options, shorter, limit, pinned)
                for found in candidates:
                    if made := laid(found):
                        return made
                limit = min(limit, max(_length(found) for found in candidates)) - 3
        except InputError as error:
            problem = error
    raise problem


def _room(frame: Frame, homes: Sequence[int], words: Sequence[Word], k: int) -> int:
    """The characters that a cue of a sentence has for words."""
    room = min(frame.chars, frame.lines * (frame.line + 1) - 1) - count_chars(frame.prefix) - count_chars(frame.suffix)
    own = sum(count_chars(word.text) + 1 for word in words if homes[word.at] == k) - 1
    return min(room, own + _MOVED)


def _length(words: Sequence[Word]) -> int:
    return count_chars(" ".join(word.text for word in words))


def best_words(
    summarizer: Summarizer, options: Options, words: Sequence[Word], limit: int, pinned: Collection[int]
) -> list[list[Word]]:
    """The best choices of words with so many characters; those at the places `pinned` and denying words stay."""
    text = " ".join(word.text for word in words)
    if limit < max(1, _LEAST * count_chars(text)):
        raise InputError(f"there is time or room for {max(0, limit)} of its {count_chars(text)} characters")
    starts = [0, *itertools.accumulate(len(word.text) + 1 for word in words)]

    def place(offset: int) -> int:
        return words[bisect_right(starts, offset) - 1].at

    tokens = [token for token in tokenize(text) if not token.punctuation]
    language = summarizer.bundle.language
    denying = denials(text, tokens, language)
    patterns = zip(pin_patterns(tokens), tokens, strict=True)
    pins = [pattern for pattern, token in patterns if place(token.start) in pinned or token.start in denying]
    keep = (*(pattern for pattern in options.keep if _occurs(pattern, text)), *pins)
    asked = replace(options, length=Length("chars", limit), keep=keep, n_best=_CANDIDATES)
    first = summarizer.shorten(text, asked)
    found = [one for one in (first, *first.others) if not breaks_a_denial(one, text, language)]
    if not found:
        raise InputError("a denying word would lose what it denies")
    found = [one for one in found if not has_only_a_tag(one, text) and not loses_its_question(one, text)] or found
    return [[Word(shown, place(at)) for shown, at in _shown_words(one, text, limit)] for one in found]


def _occurs(pattern: str, text: str) -> bool:
    """Whether a pin pattern can be asked of a text: in the others it names nothing."""
    word = re.sub(r"#\d+$", "", pattern)
    return pattern in KINDS or bool(re.search(rf"(?<!\w){re.escape(fold(word))}(?!\w)", fold(text)))


def _shown_words(summary: Summary, source: str, limit: int) -> list[tuple[str, int]]:
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
    return with_marks(shown, source, limit - count_chars(summary))


def with_marks(shown: list[tuple[str, int]], source: str, spare: int) -> list[tuple[str, int]]:
    """The words with marks that a summary leaves out and speech needs, if there is room.

    A question stays one, also without its first words, but not without its tag ("isn't it?"). A comma stays before a
    new clause: "wrong, we have not".
    """
    for start, end in sentence_bounds(source):
        kept = [i for i, (_, place) in enumerate(shown) if start <= place < end]
        if not kept:
            continue
        text, place = shown[kept[-1]]
        asks = TAG.search(source, start, end) or _ASKS.search(source, start, end)
        calls = _CALLS.search(source, start, end)
        if asks and place < asks.start():
            bare = text.rstrip("?.")
            shown[kept[-1]], spare = (bare + "." * (text != bare or spare > 0), place), spare - (text == bare)
        elif calls and kept[-1] == len(shown) - 1 and not _CALLS.search(text) and len(calls[0]) <= spare:
            shown[-1], spare = (text.rstrip(".") + calls[0], place), spare - len(calls[0])
    for k, ((text, start), (following, stop)) in enumerate(itertools.pairwise(shown)):
        clause = following.lower() in CLAUSE and text.lower() not in NO_COMMA_AFTER
        if spare > 0 and text[-1].isalnum() and source[start:stop].count(",") == 1 and clause:
            shown[k], spare = (text + ",", start), spare - 1
    return shown
