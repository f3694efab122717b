"""Stage 8: one value to its limit, with its placeholders, its tags and the white space around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tersely.candidates import sms
from tersely.candidates.length import UNITS, Length, count_words
from tersely.candidates.pins import KINDS
from tersely.errors import InputError
from tersely.fit.parts import parts, shared
from tersely.fit.placeholders import Masked, masked, placeholders
from tersely.fit.value import Value
from tersely.summary.check import excess
from tersely.summary.diff import diff
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.text.words import fold, tokenize

_PROSE = "sentence"  # texts of programs are no headlines
_LEAST_USE = 1 / 3  # of the limit: a shorter summary has lost what the text is about


@dataclass(frozen=True)
class Fitted:
    """A value that is over its limit: its new text with what was dropped, or why there is none."""

    text: str | None = None
    diff: str = ""
    why_not: str = ""


def over(value: Value, options: Options) -> str:
    """What a value is over, "" if nothing; white space around it does not count."""
    return "; ".join(excess(value.text.strip(), options))


def shorten(summarizer: Summarizer, value: Value, options: Options, language: str, colour: bool = False) -> Fitted:
    """A value that is over its limit, shortened if it can be."""
    try:
        if value.fixed:
            raise InputError(value.fixed)
        if value.language and _base(value.language) != _base(language):
            raise InputError(f"its language is {value.language}, that of the bundle is {language}")
        if options.objective is None and _PROSE in summarizer.bundle.objectives:
            options = replace(options, objective=_PROSE)
        source = masked(value.text)
        work = _Work(summarizer, options, source, colour)
        summary = work.shortened()
        if placeholders(source.filled(summary)) != list(source.stand_ins.values()):
            raise InputError("its placeholders cannot be kept")
        text = source.unmasked(summary)
        if problems := excess(text.strip(), options):
            raise InputError(f"its summary has {problems[0]}")
        return Fitted(text, " ".join(source.unmasked(work.shown).split()))
    except InputError as error:
        return Fitted(why_not=str(error))


class _Work:
    """The shortening of one text, and for each part that was shortened, the part with its dropped words marked."""

    def __init__(self, summarizer: Summarizer, options: Options, source: Masked, colour: bool) -> None:
        self.summarizer, self.options, self.source, self.colour = summarizer, options, source, colour
        self.diffs: dict[str, str] = {}

    @property
    def shown(self) -> str:
        """The text with its dropped words marked."""
        text = self.source.text
        return self.diffs.get(text) or "".join(self.diffs.get(part, part) for part in parts(text))

    def shortened(self) -> str:
        """The text, shortened part by part, or as a whole where that leaves too little room or there are two limits."""
        text, length = self.source.text, self.options.length
        count, most = _ruler(length, text)
        room = most - self.options.reserve - count(self.source.before.lstrip() + self.source.after.rstrip())
        if length.also is None:
            try:
                return shared(text, room, lambda part: count(self.source.filled(part)), self.cut)
            except InputError:
                if "\n" in text:
                    raise
        elif "\n" in text:
            raise InputError("it has several lines and two limits")
        more = [_more(self.source.unmasked(text).strip(), text, part) for part in length.parts]
        made = self.summary(text, self.options.reserve + max(0, *more))
        if count(self.source.filled(made)) < _LEAST_USE * room:
            raise InputError(f"no summary says enough, the best one is {made!r}")
        return made

    def cut(self, part: str, share: int) -> str:
        """A part with at most this share of the limit."""
        length = self.options.length
        most = _ruler(length, part)[1]
        return self.summary(part, most - share + _more(self.source.filled(part), part, length))

    def summary(self, text: str, reserve: int) -> str:
        keep = [word for word in self.options.keep if word in KINDS or fold(word) in fold(text)]
        options = replace(self.options, keep=(*keep, *self.source.pins(text)), reserve=max(0, reserve))
        found = self.summarizer.shorten(text, options)
        self.diffs[text] = diff(text, found.kept, colour=self.colour)
        return found.text


def _ruler(length: Length, text: str) -> tuple[Callable[[str], int], int]:
    """How texts are measured for a length, and how much of that there may be."""
    unit = UNITS[length.unit]
    if length.unit == "sms":
        return sms.measure([text], int(length.most))
    if unit.count is not None:
        counted = unit.count
        return lambda part: counted(part, 0), int(length.most)
    return lambda part: max(count_words(tokenize(part)), len(part.split())), int(length.most)


def _more(long: str, short: str, length: Length) -> int:
    """By how much a text is longer with its placeholders and tags than with the words in their place."""
    count, _ = _ruler(length, long)
    return count(long) - count(short)


def _base(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()
