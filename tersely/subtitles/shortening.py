"""Shortening the cues of a run: other line breaks first, then without fillers, then by the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tersely.candidates.measure import count_chars
from tersely.errors import InputError
from tersely.subtitles.breaks import Frame, Lines
from tersely.subtitles.condensing import condensed
from tersely.subtitles.cues import Cue
from tersely.subtitles.limits import Limits
from tersely.subtitles.markup import Tag, Utterance, Word, has_inner_times, utterances, with_tags
from tersely.subtitles.report import CueReport
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer

_LEAST = 0.5  # of the room that a sentence over several cues has to use: the cues for themselves say more


@dataclass(frozen=True)
class Shortener:
    """Shortens the cues of a run as `limits` and `options` say; the length in the options is not used."""

    limits: Limits
    options: Options

    def __call__(self, summarizer: Summarizer, run: Sequence[Cue]) -> list[CueReport]:
        """A report for each cue, with its new text."""
        if not any(self.limits.problems(cue, cue.text) for cue in run):
            return [CueReport(cue, cue.text, self.limits) for cue in run]
        if len(run) > 1:
            try:
                found = self._together(summarizer, run)
            except InputError:
                found = []
            if found and all(report.fits for report in found):
                return found
        return [self._alone(summarizer, cue) for cue in run]

    def _alone(self, summarizer: Summarizer, cue: Cue) -> CueReport:
        report = CueReport(cue, cue.text, self.limits)
        if not report.over:
            return report
        try:
            found = self._by_speaker(summarizer, cue)
        except InputError as error:
            return CueReport(cue, cue.text, self.limits, why=str(error))
        return found if found.fits else CueReport(cue, cue.text, self.limits, why="its marks do not fit")

    def _by_speaker(self, summarizer: Summarizer, cue: Cue) -> CueReport:
        """A cue for itself: its speakers share its limit."""
        if cue.broken:
            raise InputError("the text has a blank line")
        if has_inner_times(cue.text):
            raise InputError("its words have times of their own")
        said = utterances(cue.text, vtt=cue.vtt)
        if len(said) > self.limits.lines:
            raise InputError(f"{len(said)} speakers for {self.limits.lines} lines")
        sizes = [count_chars(one.text) for one in said]
        longest = sizes.index(max(sizes))
        lines = [self.limits.lines - len(said) + 1 if i == longest else 1 for i in range(len(said))]
        try:
            laid = self._joint(summarizer, said, lines, self.limits.chars(cue))
        except InputError:
            if len(said) == 1:
                raise
            laid = self._shares(summarizer, said, lines, self.limits.chars(cue))
        text = "\n".join(said[i].head + with_tags(laid[i], said[i].inner, vtt=cue.vtt) for i in range(len(said)))
        base, dropped = 0, set()
        for i, one in enumerate(said):
            dropped |= _dropped(one, laid[i], 0, base)
            base += len(one.text.split())
        return CueReport(cue, text, self.limits, frozenset(dropped))

    def _joint(self, summarizer: Summarizer, said: Sequence[Utterance], lines: Sequence[int], room: int) -> list[Lines]:
        """The lines of the speakers of a cue, shortened as one text that has words of each."""
        spoken = [text for one in said for text in one.words]
        homes = [i for i, one in enumerate(said) for _ in one.words]
        frames = [Frame(room, lines[i], self.limits.line, one.prefix, one.suffix) for i, one in enumerate(said)]
        words = [Word(text, at) for at, text in enumerate(spoken)]
        laid = condensed(summarizer, self.options, words, homes, frames, range(len(said)), room)
        starts = [homes.index(i) for i in range(len(said))]
        return [
            [[word._replace(at=word.at - start) for word in line] for line in of_one]
            for start, of_one in zip(starts, laid, strict=True)
        ]

    def _shares(
        self, summarizer: Summarizer, said: Sequence[Utterance], lines: Sequence[int], room: int
    ) -> list[Lines]:
        """The same with a share of the room for each speaker; what a short one does not use is for the others."""
        laid: dict[int, Lines] = {}
        room -= len(said) - 1
        for i in sorted(range(len(said)), key=lambda i: count_chars(said[i].text)):
            share = room // (len(said) - len(laid))
            laid[i] = self._joint(summarizer, [said[i]], [lines[i]], share)[0]
            room -= sum(count_chars(word.text) + 1 for line in laid[i] for word in line) - 1
        return [laid[i] for i in range(len(said))]

    def _together(self, summarizer: Summarizer, run: Sequence[Cue]) -> list[CueReport]:
        """The cues of a sentence: its words are shortened as one and laid out over all of them."""
        words: list[Word] = []
        homes: list[int] = []
        tags: list[Tag] = []
        frames, starts, said = [], [], []
        for k, cue in enumerate(run):
            one = utterances(cue.text, vtt=cue.vtt)[0]
            if k + 1 < len(run) and one.suffix in (",", ";", ":"):  # between the parts of a sentence, a part of it
                one = one._replace(words=(*one.words[:-1], one.words[-1] + one.suffix), suffix="")
            starts.append(len(words))
            tags += [tag._replace(first=tag.first + len(words), last=tag.last + len(words)) for tag in one.inner]
            words += [Word(text, len(words) + i) for i, text in enumerate(one.words)]
            homes += [k] * len(one.words)
            frames.append(Frame(self.limits.chars(cue), self.limits.lines, self.limits.line, one.prefix, one.suffix))
            said.append(one)
        over = {k for k, cue in enumerate(run) if self.limits.problems(cue, cue.text)}
        laid = condensed(summarizer, self.options, words, homes, frames, over)
        kept = [word for lines in laid for line in lines for word in line]
        room = min(sum(frame.chars for frame in frames), sum(len(word.text) for word in words))
        if sum(len(word.text) for word in kept) < _LEAST * room:
            raise InputError("little of the sentence is left")
        reports = []
        for k, (cue, one, lines) in enumerate(zip(run, said, laid, strict=True)):
            same = " ".join(word.text for line in lines for word in line) == one.text and k not in over
            text = cue.text if same else one.head + with_tags(lines, tags, vtt=cue.vtt)
            reports.append(CueReport(cue, text, self.limits, frozenset(_dropped(one, [kept], starts[k], 0))))
        return reports


def _dropped(said: Utterance, lines: Lines, start: int, base: int) -> set[int]:
    """The dropped words of an utterance, counted from `base`; `start` is the place of its first word."""
    kept = {word.at for line in lines for word in line}
    first = base + said.prefix.count(" ")
    return {first + i for i in range(len(said.words)) if start + i not in kept}
