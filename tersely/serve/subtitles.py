"""The work of a request with subtitles, done in a worker process. A page can make the file again from the response: the
characters of every cue are in it, and those of the file around them.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from typing import Any, cast

from tersely.errors import InputError
from tersely.serve.limits import Limits
from tersely.subtitles.cues import Cue, read_cues
from tersely.subtitles.files import Cues, cue_groups, speech_options
from tersely.subtitles.limits import Limits as ReadingLimits
from tersely.subtitles.report import CueReport
from tersely.subtitles.shortening import Shortener
from tersely.summary.summarizer import Summarizer


def check(summarizer: Summarizer, text: str, cues: Cues, reading: ReadingLimits, limits: Limits) -> str:
    """The cues as they are, and the limits that they are over."""
    header, groups = _read(text, cues, limits)
    return _written(header, groups, lambda run: [CueReport(cue, cue.text, reading) for cue in run])


def shorten(
    summarizer: Summarizer, text: str, cues: Cues, reading: ReadingLimits, limits: Limits, asked: dict[str, Any]
) -> str:
    """The cues, shortened where they are over a limit; not more of them than a request may have texts."""
    header, groups = _read(text, cues, limits)
    over = [cue for run in groups for cue in run if reading.problems(cue, cue.text)]
    if len(over) > limits.max_texts:
        raise InputError(f"{len(over):,} cues are over a limit, a request can have {limits.max_texts:,}: send a part")
    shortener = Shortener(reading, speech_options(summarizer, **asked))
    return _written(header, groups, lambda run: shortener(summarizer, run))


def _read(text: str, cues: Cues, limits: Limits) -> tuple[str, list[list[Cue]]]:
    """What is before the first cue, and the cues, those together that are shortened together."""
    pieces = read_cues(io.StringIO(text, newline="\n"))
    header, found = cast(str, next(pieces)), (_checked(cast(Cue, cue), limits.max_chars) for cue in pieces)
    return header, list(cue_groups(found, cues))


def _checked(cue: Cue, most: int) -> Cue:
    """The cue, if its text is not too long."""
    if len(cue.text) > most:
        raise InputError(f"cue {cue.number[:20]} has {len(cue.text):,} characters, the limit is {most:,}")
    return cue


def _written(header: str, groups: list[list[Cue]], work: Callable[[list[Cue]], list[CueReport]]) -> str:
    cues = [_fields(report, index) for index, run in enumerate(groups) for report in work(run)]
    return json.dumps({"header": header, "cues": cues}, ensure_ascii=False, allow_nan=False)


def _fields(report: CueReport, sentence: int) -> dict[str, Any]:
    cue = report.cue
    own = {name: getattr(cue, name) for name in ("number", "start", "end", "before", "source", "after")}
    found = {name: getattr(report, name) for name in ("shown", "text", "changed", "limit", "over", "fits", "status")}
    rates = {name: _finite(getattr(report, name)) for name in ("cps_before", "cps_after")}
    return {**own, "sentence": sentence, **found, **rates, "dropped": sorted(report.dropped)}


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
