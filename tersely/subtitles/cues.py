"""The cues of an SRT or WebVTT file, one after the other, each with the very characters that it was written with.

pysubs2 says what a time is. It does not write the files: it would number the cues anew and lose cue settings, comments
and styles. Here a cue that is left as it is comes out byte for byte.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tersely.errors import InputError, missing_extra, short_repr

_NUMBER = re.compile(r"\d+\s*")
_BLOCKS = ("NOTE", "STYLE", "REGION")  # of WebVTT
_LIKE_TIMES = re.compile(r"->|\d:\d\d[:.,]\d")


@dataclass(frozen=True)
class Cue:
    """A cue: its number or name, its times in milliseconds and its text, and what is written around the text."""

    number: str
    start: int
    end: int
    text: str  # with tags; a newline between two lines
    before: str = ""  # number and times, as they are in the file
    source: str | None = None  # the text as it is in the file; None for `text`
    after: str = ""  # up to the next cue: line break, blank lines, comments
    vtt: bool = False
    broken: bool = False  # whether the text goes on after a blank line

    @property
    def seconds(self) -> float:
        return (self.end - self.start) / 1000

    def written(self, text: str) -> str:
        """The cue as it stands in a file, with that text: the same characters if it is its own."""
        newline = "\r\n" if "\r\n" in self.before else "\n"
        own = self.text.replace("\n", newline) if self.source is None else self.source
        return self.before + (own if text == self.text else text.replace("\n", newline)) + self.after


def clock_time(milliseconds: int) -> str:
    """A time as SRT has it.

    >>> clock_time(3_723_004)
    '01:02:03,004'
    """
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02},{rest:03}"


def read_cues(lines: Iterable[str]) -> Iterator[str | Cue]:
    r"""What is before the first cue, and then the cues. Line breaks end with "\n". An error names the line.

    >>> list(read_cues(["1\n", "00:00:01,000 --> 00:00:02,500\n", "Hello\n", "there.\n", "\n"]))[1].text
    'Hello\nthere.'
    """
    found: list[str] = []  # lines of the cue, or of the header, that is being read
    times, begin, vtt, count = None, 1, False, 0
    rest = iter(lines)
    first = next(rest, "")
    bom = "\ufeff" if first.startswith("\ufeff") else ""
    first = first.removeprefix("\ufeff") or next(rest, "")
    for number, line in enumerate(itertools.chain([first], rest), start=1):
        vtt |= number == 1 and line.startswith("WEBVTT")
        head = _times(found, line, number, vtt) if "-->" in line else None
        if head is None:
            found.append(line)
            continue
        own = 1 if _belongs_to_the_next(found, vtt) else 0
        name = found[-1].strip() if own else ""
        before = "".join([*found[len(found) - own :], line])
        found = found[: len(found) - own]
        yield bom + _header(found, vtt) if times is None else _cue(found, begin, times)
        count += 1
        times, found, begin = Cue(name or str(count), *head, "", before, vtt=vtt), [], number + 1
    if times is None and not vtt:
        raise InputError("no cue was found: is this an SRT or WebVTT file?")
    yield bom + _header(found, vtt) if times is None else _cue(found, begin, times)


def _times(found: list[str], line: str, number: int, vtt: bool) -> tuple[int, int] | None:
    """Start and end in a line; None for a line of text that has an arrow."""
    kind = _format(vtt)
    left, _, right = line.partition("-->")
    stamps = [kind.TIMESTAMP.fullmatch(part) for part in (left.strip(), (right.split() or [""])[0])]
    if None in stamps:
        if vtt or not found or not found[-1].strip() or _NUMBER.fullmatch(found[-1]):
            raise InputError(f"line {number}: no times can be read in {short_repr(line.strip())}")
        return None
    start, end = (int(kind.timestamp_to_ms(stamp.groups())) for stamp in stamps)
    if end < start:
        raise InputError(f"line {number}: the cue ends before it begins: {short_repr(line.strip())}")
    return start, end


@cache
def _format(vtt: bool) -> Any:
    try:
        from pysubs2.formats.subrip import SubripFormat
        from pysubs2.formats.webvtt import WebVTTFormat
    except ImportError:
        raise missing_extra("subtitles", "pysubs2") from None
    return WebVTTFormat if vtt else SubripFormat


def _belongs_to_the_next(found: list[str], vtt: bool) -> bool:
    """Whether the line before the times is the number or the name of the cue."""
    if not found or not found[-1].strip():
        return False
    return len(found) == 1 or not found[-2].strip() if vtt else bool(_NUMBER.fullmatch(found[-1]))


def _header(found: list[str], vtt: bool) -> str:
    for number, line in enumerate(() if vtt else found, start=1):
        if line.strip():
            raise InputError(f"line {number}: a number and times are expected, not {short_repr(line.strip())}")
    return "".join(found)


def _cue(found: list[str], begin: int, times: Cue) -> Cue:
    """The cue of these times, whose text and what comes after it were found from line `begin` on."""
    stop = next((i for i, line in enumerate(found) if not line.strip()), len(found))
    broken = False
    for i in range(stop, len(found)):
        if not found[i].strip() or found[i - 1].strip():  # only the first line of a block
            continue
        follows = found[i + 1] if i + 1 < len(found) else ""
        if times.vtt and not found[i].startswith(_BLOCKS):
            raise InputError(f"line {begin + i}: no times and no {', '.join(_BLOCKS)}: {short_repr(found[i].strip())}")
        if not times.vtt and _NUMBER.fullmatch(found[i]) and _LIKE_TIMES.search(follows):
            raise InputError(f"line {begin + i + 1}: no times can be read in {short_repr(follows.strip())}")
        broken = not times.vtt
    stop = len(found) if broken else stop
    source = "".join(found[:stop])
    text = source.rstrip("\r\n") if not broken else source.rstrip()
    after = source[len(text) :] + "".join(found[stop:])
    return replace(times, text=text.replace("\r\n", "\n"), source=text, after=after, broken=broken)
