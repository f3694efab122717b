"""Subtitles in, subtitles out: a text, a file of any size, or what pysubs2 has read."""

from __future__ import annotations

import codecs
import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

from tersely.candidates.length import UNITS
from tersely.errors import FileError, InputError, short_repr
from tersely.subtitles.cues import Cue, read_cues
from tersely.subtitles.limits import Limits
from tersely.subtitles.report import CueReport
from tersely.subtitles.runs import runs
from tersely.subtitles.shortening import Shortener
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.system.files import BYTE_ORDER_MARKS, decoded_lines, replacing
from tersely.text.words import MAX_CHARS

if TYPE_CHECKING:
    from pysubs2 import SSAFile

Cues = Literal["sentence", "alone"]
S = TypeVar("S")
SPEECH = "speech"  # an objective of bundles (docs/subtitles.md)


@dataclass(frozen=True)
class Shortened(Generic[S]):
    """Shortened subtitles, of the kind that was given, and a report for each cue."""

    subs: S
    cues: list[CueReport]


def speech_options(summarizer: Summarizer, **asked: Any) -> Options:
    """The options for speech: the bundle's objective for it, if no other is asked for, and full stops."""
    for unit in UNITS:
        if asked.pop(unit, None) is not None:
            raise InputError(f"a cue has the length that cps, line and lines leave it: leave out {unit}")
    options = Options.of(chars=1, **{"end": "period", **asked})
    if options.objective is None and SPEECH in summarizer.bundle.objectives:
        options = replace(options, objective=SPEECH)
    summarizer.check(options)
    return options


def cue_groups(found: Iterable[Cue], cues: Cues) -> Iterable[list[Cue]]:
    """The cues, those together that are shortened together."""
    if cues not in ("sentence", "alone"):
        raise InputError(f"cues must be 'sentence' or 'alone', not {short_repr(cues)}")
    return runs(found) if cues == "sentence" else ([cue] for cue in found)


def reports(
    found: Iterable[Cue],
    summarizer: Summarizer,
    limits: Limits,
    options: Options,
    cues: Cues = "sentence",
    workers: int | None = 1,
) -> Iterator[CueReport]:
    """A report for each cue, in their order, each as soon as it is there."""
    groups = cue_groups(found, cues)
    work: Callable[[Summarizer, list[Cue]], list[CueReport]] = Shortener(limits, options)
    return itertools.chain.from_iterable(summarizer.spread(work, groups, workers))


def shorten(
    subs: S,
    cps: float = 17,
    line: int = 42,
    lines: int = 2,
    *,
    cues: Cues = "sentence",
    summarizer: Summarizer | None = None,
    workers: int | None = 1,
    **options: Any,
) -> Shortened[S]:
    """Shorten what cannot be read in its time: `subs` is the content of an SRT or WebVTT file, or a `pysubs2.SSAFile`.

    Every cue gets at most `cps` characters a second, and `lines` lines of `line` characters. `cues="alone"` shortens
    each cue for itself, also where a sentence goes on in the next one. `options` are those of a summary: `keep`,
    `drop`, `fast`, `objective`. What is given is not changed. A cue that cannot be brought under the limits without
    losing a denying word or one in `keep` is left as it is; its report says why.
    """
    summarizer = Summarizer.load() if summarizer is None else summarizer
    checked, limits = speech_options(summarizer, **options), Limits(cps, line, lines)
    if isinstance(subs, str):
        pieces = read_cues(io.StringIO(subs, newline="\n"))
        header = cast(str, next(pieces))
        made = list(reports(cast("Iterator[Cue]", pieces), summarizer, limits, checked, cues, workers))
        return Shortened(cast(S, header + "".join(one.cue.written(one.text) for one in made)), made)
    if not hasattr(subs, "events"):
        raise InputError(f"subtitles must be the content of a file or a pysubs2.SSAFile, not {short_repr(subs)}")
    copy, events = _events(cast("SSAFile", subs))
    found = [Cue(str(i), event.start, event.end, event.text.replace("\\N", "\n")) for i, event in enumerate(events, 1)]
    made = list(reports(found, summarizer, limits, checked, cues, workers))
    for event, one in zip(events, made, strict=True):
        if one.changed:
            event.text = one.text.replace("\n", "\\N")
    return Shortened(cast(S, copy), made)


def _events(subs: SSAFile) -> tuple[SSAFile, Sequence[Any]]:
    """A copy of what pysubs2 has read, and its events that are shown."""
    import copy

    made = copy.deepcopy(subs)
    return made, [event for event in made.events if event.is_text]


@dataclass(frozen=True)
class SubtitleFile:
    """An SRT or WebVTT file. Its cues are read one after the other."""

    path: Path
    encoding: str

    @classmethod
    def of(cls, path: Path, encoding: str = "utf-8") -> SubtitleFile:
        """The file in its encoding: where it begins with a byte order mark, the one that it says."""
        try:
            with path.open("rb") as stream:
                begin = stream.read(3)
        except OSError as error:
            raise FileError(f"cannot read {path}: {error.strerror}") from None
        return cls(path, next((name for bom, name in BYTE_ORDER_MARKS.items() if begin.startswith(bom)), encoding))

    def pieces(self) -> Iterator[str | Cue]:
        """What is before the first cue, and then the cues; an error names file and line."""
        try:
            with self.path.open("rb") as stream:
                yield from read_cues(self._lines(stream))
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {error.strerror}") from None
        except InputError as error:
            raise InputError(f"{self.path}, {error}") from None

    def cues(self) -> Iterator[Cue]:
        """The cues."""
        return cast("Iterator[Cue]", itertools.islice(self.pieces(), 1, None))

    def _lines(self, stream: Any) -> Iterator[str]:
        if stream.peek(3).startswith(codecs.BOM_UTF8):  # the decoder removes it
            yield "\ufeff"
        lines = decoded_lines(stream, MAX_CHARS, f"more than {MAX_CHARS:,} characters in a line", self.encoding)
        for number, (line, problem) in enumerate(lines, start=1):
            if problem is not None:
                hint = "; --encoding cp1252 reads files of old Windows programs" if "not valid" in str(problem) else ""
                raise InputError(f"line {number}: {problem}{hint}")
            yield line

    def write(self, target: Path, shorten: Callable[[Iterator[Cue]], Iterable[CueReport]]) -> Iterator[CueReport]:
        """Write the file to `target` with the texts of the reports that `shorten` gives, which are handed on."""
        with replacing(target) as stream:
            pieces = self.pieces()
            stream.write(cast(str, next(pieces)).encode(self.encoding))
            for report in shorten(cast("Iterator[Cue]", pieces)):
                stream.write(report.cue.written(report.text).encode(self.encoding))
                yield report
