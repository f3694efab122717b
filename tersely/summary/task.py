"""Stage 7: a text and what is asked of it, ready for a search: the objective bound to its words, and its candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tersely.candidates.hard_needs import candidates_of
from tersely.candidates.length import Budget, Rendering
from tersely.candidates.pins import pins, soft_pins
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.scoring.objective import BoundObjective, Objective
from tersely.sentence.sentence import Sentence
from tersely.summary.options import Options
from tersely.system.arrays import BoolArray
from tersely.text.punctuation import Ending, dateline_end, endings
from tersely.text.words import Word, tokenize


@dataclass(frozen=True)
class Task:
    """What a search works on, and what its result is turned into text with."""

    text: str
    options: Options
    sentence: Sentence
    objective: BoundObjective
    space: CandidateSpace
    ends: tuple[Ending, ...] | None  # the sentences of a text whose summary is made ready to print; None elsewhere
    whole: str | None  # the text itself, where it is no longer than asked

    @classmethod
    def of(cls, text: str, options: Options, sentence: Sentence, objective: Objective) -> Task:
        """The task of a text that has been read."""
        marked = not objective.plain and not options.pretokenized
        ends = tuple(endings(text, sentence.tokens)) if marked else None
        rendering = _rendering(options, ends)
        try:
            return cls._within(rendering, text, options, sentence, objective, ends)
        except InputError:
            if not rendering.marks:
                raise
        bare = rendering._replace(marks=False, ends="")  # there is room for what has to be kept, but not for its marks
        return cls._within(bare, text, options, sentence, objective, ends)

    @classmethod
    def _within(
        cls,
        rendering: Rendering,
        text: str,
        options: Options,
        sentence: Sentence,
        objective: Objective,
        ends: tuple[Ending, ...] | None,
    ) -> Task:
        guarded = not objective.plain
        budget = options.length.budget(sentence.tokens, rendering)
        pinned, banned = pins(sentence, budget, options.keep, options.drop)
        whole = " ".join(text.split())
        if fits := not banned.any() and _is_short(options, whole, sentence.tokens):
            budget = budget.whole
        elif ends is not None:
            banned |= _dateline(text, sentence, budget, pinned, banned)
        negation = options.negation and guarded
        space = candidates_of(sentence, budget, pinned, banned, negation=negation, units=guarded)
        if options.prefer and not fits:
            space = space.pinning(soft_pins(sentence, options.prefer))
        bound = objective.bind(sentence, space.budget)
        return cls(text, options, sentence, bound, space, ends, whole if fits else None)

    def fits(self, text: str) -> bool:
        """Whether a rendered text is no longer than asked."""
        return not self.options.length.is_broken_by((), text, self.sentence.tokens, self.options.reserve)


def _rendering(options: Options, ends: tuple[Ending, ...] | None) -> Rendering:
    """What the length has to know about the marks of a summary."""
    if ends is None or not options.punctuation:
        return Rendering(options.pretokenized, marks=False, reserve=options.reserve)
    last = "" if options.end == "none" and not ends[-1].calls else ends[-1].text
    return Rendering(marks=True, ends="".join(end.text for end in ends[:-1]) + last, reserve=options.reserve)


def _dateline(text: str, sentence: Sentence, budget: Budget, pinned: BoolArray, banned: BoolArray) -> BoolArray:
    """The words of the dateline, which go first; none of them if the others are too few."""
    stop = dateline_end(text)
    found = np.array([word.end <= stop for word in sentence.words]) & ~pinned
    others = ~(found | banned)
    enough = budget.weights[others].sum() >= budget.least and budget.fits[others].any()
    return found if enough else np.zeros_like(found)


def _is_short(options: Options, whole: str, tokens: Sequence[Word]) -> bool:
    """Whether a text is no longer than asked, also if a dash between spaces counts as a word."""
    spaced = [replace(token, pieces=(token.text,)) for token in tokenize(whole, pretokenized=True)]
    return not any(options.length.is_broken_by(words, whole, tokens, options.reserve) for words in (tokens, spaced))
