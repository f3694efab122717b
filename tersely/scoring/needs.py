"""Stage 4: what each word of a source needs: the kinds of needs of its language, found in its tree.

A kind is a path over the tree (`sentence/language.py`). A path is a product of matrices, one for each step, times the
vectors of the conditions on its words. Their entries are the parser's probabilities, so the product is how sure it is
that word i needs word j.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tersely.sentence.dependencies import Dependencies
from tersely.sentence.language import Condition, Kind, Step
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import IntArray

Costs = NDArray[np.float64]
MOST_NAMED = 100  # of the broken needs of a candidate, the gravest: a long text has a hundred thousand


def gravest(costs: Costs) -> IntArray:
    """The indices of the highest costs, highest first, of which as many as are named."""
    return np.argsort(-costs, kind="stable")[:MOST_NAMED]


def needs(sentence: Sentence, *, prose: bool = False) -> Iterator[tuple[Kind, Costs]]:
    """The needs of a source's words kind by kind: how sure it is that word i needs word j, (n, n).

    Those of any text, or those of prose alone, which headlines do without.

    Kinds that ask for words by name are left out where no such word is there.
    """
    paths = _Paths(sentence, sentence.dependencies)
    for kind in (kind for kind in sentence.language.kinds if kind.prose == prose):
        word, needed = paths.hold(kind.word), paths.hold(kind.needed)
        if word.any() and needed.any():
            found = paths.along(kind) * word[:, None] * needed
            yield kind, found * paths.unmarked() if kind.unmarked else found


@dataclass(frozen=True)
class _Paths:
    """Steps and conditions as probabilities."""

    sentence: Sentence
    of: Dependencies
    _known: dict[Condition, Costs] = field(default_factory=dict, init=False)

    def along(self, kind: Kind) -> Costs:
        """The probability that any of a kind's paths leads from word i to word j."""
        through = self.hold(kind.through)
        paths = (reduce(lambda found, step: (found * through) @ step, map(self._step, path)) for path in kind.paths)
        return np.asarray(sum(paths))

    def hold(self, conditions: tuple[Condition, ...]) -> Costs:
        """The probability that all conditions hold of each word, (n,)."""
        found = np.ones(len(self.sentence))
        for condition in conditions:
            if condition not in self._known:
                self._known[condition] = self._holds(condition)
            found = found * self._known[condition]
        return found

    def unmarked(self) -> Costs:
        """Whether no mark is between two words: a clause after a comma is an aside, one without is not."""
        stretches = self.sentence.stretches
        return np.asarray(stretches[:, None] == stretches, dtype=np.float64)

    def _step(self, step: Step) -> Costs:
        n = len(self.sentence)
        if step.way in ("up", "down"):
            up = self.of.depends(step.names)
            return up if step.way == "up" else up.T
        if step.way in ("next", "previous"):
            return np.eye(n, k=1 if step.way == "next" else -1)
        found = np.zeros((n, n))
        for phrase in self.sentence.phrases(step.names):
            found[phrase, phrase] = 1
        return found

    def _holds(self, condition: Condition) -> Costs:
        if condition.test == "figure":
            found = np.array([any(char in "#0123456789" for char in word.text) for word in self.sentence.words], float)
        elif condition.test == "as":
            found = self.of.has_label(condition.names)
        elif condition.test == "having":
            found = self.of.has_dependent(self.of.has_label(condition.names))
        else:
            found = self.sentence.among(*condition.names).astype(float)
            if condition.test == "with" and found.any():
                found = self.of.has_dependent(found * self.of.has_label(condition.labels))
        return 1 - found if condition.negated else found
