"""Runs of cues: a sentence that goes on in the next cue is shortened as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tersely.subtitles.cues import Cue
from tersely.subtitles.markup import Utterance, has_inner_times, utterances, voice

_LONGEST = 5  # cues of a run
_PAUSE = 2000  # milliseconds between two cues of a run, at most
_OVERLAP = 100
_ENDED = re.compile(r"[.?!\u266a\])][\"'\u2019\u201d]*$")
_DOTS = re.compile(r"\u2026|\.{2,}")


def runs(cues: Iterable[Cue]) -> Iterator[list[Cue]]:
    """The cues in lists, each with the cues of one sentence, or with one cue."""
    run: list[Cue] = []
    last: Utterance | None = None
    for cue in cues:
        said = _alone(cue)
        if run and not (last and said and len(run) < _LONGEST and _goes_on(run[-1], last, cue, said)):
            yield run
            run = []
        run.append(cue)
        last = said
    if run:
        yield run


def _alone(cue: Cue) -> Utterance | None:
    """What the one speaker of a cue says; None if the cue has several, or none, or no time to be read."""
    if cue.broken or cue.end <= cue.start or has_inner_times(cue.text):
        return None
    found = utterances(cue.text, vtt=cue.vtt)
    return found[0] if len(found) == 1 and found[0].words else None


def _goes_on(before: Cue, first: Utterance, after: Cue, second: Utterance) -> bool:
    """Whether the sentence that ends one cue goes on in the next."""
    if not -_OVERLAP <= after.start - before.end <= _PAUSE or voice(after.text) not in ("", voice(before.text)):
        return False
    if (second.prefix and not _DOTS.fullmatch(second.prefix.strip())) or _ENDED.search(first.words[-1]):
        return False
    return second.words[0][:1].islower() or bool(second.prefix) or first.suffix in ("", ",", ";")
