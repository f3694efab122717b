"""The work of a request with subtitles, done in a worker process. A page can make the file again from the response: the
characters of every cue are in it, and those of the file around them.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from typing import Any, cast

from tersely.errors import InputError
from tersely.serve.limits import Limits
from tersely.subtitles.cues import Cue, read_cues
from tersely.subtitles.files import Cues, cue_groups, speech_options
from tersely.subtitles.limits import Limits as ReadingLimits
from tersely.subtitles.report import CueReport
from tersely.subtitles.shortening import Shortener
from tersely.summary.summarizer import Summarizer


def shorten(
    summarizer: Summarizer, text: str, cues: Cues, reading: ReadingLimits, limits: Limits, asked: dict[str, Any] | None
) -> str:
    """The cues, shortened where they are over a limit; without options (`asked`), as they are."""
    pieces = read_cues(io.StringIO(text, newline="\n"))
    header, found = cast(str, next(pieces)), cast(Iterator[Cue], pieces)
    groups = list(cue_groups((_checked(cue, limits.max_chars) for cue in found), cues))
    if asked is None:
        reports = [[CueReport(cue, cue.text, reading) for cue in group] for group in groups]
    else:
        over = sum(bool(reading.problems(cue, cue.text)) for group in groups for cue in group)
        if over > limits.max_texts:
            raise InputError(f"{over:,} cues are over a limit, a request can have {limits.max_texts:,}: send a part")
        shortener = Shortener(reading, speech_options(summarizer, **asked))
        reports = [shortener(summarizer, group) for group in groups]
    written = [_fields(report, index) for index, group in enumerate(reports) for report in group]
    return json.dumps({"header": header, "cues": written}, ensure_ascii=False, allow_nan=False)


def _checked(cue: Cue, most: int) -> Cue:
    """The cue, if its text is not too long."""
    if len(cue.text) > most:
        raise InputError(f"cue {cue.number[:20]} has {len(cue.text):,} characters, the limit is {most:,}")
    return cue


def _fields(report: CueReport, sentence: int) -> dict[str, Any]:
    own = {name: getattr(report.cue, name) for name in ("number", "start", "end", "before", "source", "after")}
    found = {name: getattr(report, name) for name in ("shown", "text", "changed", "limit", "over", "fits", "status")}
    rates = {"cps_before": report.cps_before, "cps_after": report.cps_after}
    finite = {name: rate if math.isfinite(rate) else None for name, rate in rates.items()}
    return {**own, "sentence": sentence, **found, **finite, "dropped": sorted(report.dropped)}
