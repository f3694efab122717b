"""Stage 7: a text and what is asked of it, ready for a search: the objective bound to its words, and its candidates."""

from __future__ import annotations

from dataclasses import dataclass

from tersely.candidates.hard_needs import candidates_of
from tersely.candidates.length import Rendering
from tersely.candidates.pins import pins
from tersely.candidates.space import CandidateSpace
from tersely.scoring.objective import BoundObjective, Objective
from tersely.sentence.sentence import Sentence
from tersely.summary.options import Options


@dataclass(frozen=True)
class Task:
    """What a search works on, and what its result is turned into text with."""

    text: str
    options: Options
    sentence: Sentence
    objective: BoundObjective
    space: CandidateSpace
    rendering: Rendering
    whole: str | None  # the text itself, where it is no longer than asked

    @classmethod
    def of(cls, text: str, options: Options, sentence: Sentence, objective: Objective) -> Task:
        """The task of a text that has been read."""
        marks = options.punctuation and not objective.plain and sentence.parser is not None
        rendering = Rendering(options.pretokenized, marks)
        budget = options.length.budget(sentence.tokens, rendering)
        pinned, banned = pins(sentence, budget, options.keep, options.drop)
        whole = " ".join(text.split())
        fits = len(text.split()) <= budget.limit and not banned.any()
        if fits := fits and not options.length.is_broken_by(sentence.tokens, whole, sentence.tokens):
            budget = budget.whole
        guarded = not objective.plain
        space = candidates_of(sentence, budget, pinned, banned, negation=options.negation and guarded, units=guarded)
        bound = objective.bind(sentence, space.budget)
        return cls(text, options, sentence, bound, space, rendering, whole if fits else None)

    def fits(self, text: str) -> bool:
        """Whether a rendered text is no longer than asked."""
        return not self.options.length.is_broken_by((), text, self.sentence.tokens)
