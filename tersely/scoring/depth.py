"""Stage 4: depth: how far below the main predicate the kept words are in the tree. Not in the paper.

The news is at the top of the tree, details are below it. The depth of a word is the number of words above it up to the
root, as the parser expects it. A verb's object and complement say what the verb says and are no deeper for it; what was
said is higher than who says it; what belongs to an adverbial clause is as deep as two others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.scoring.priors import WordMean
from tersely.sentence.dependencies import Dependencies
from tersely.sentence.labels import LABELS
from tersely.sentence.sentence import Sentence

# What a word above counts, by the label of its own dependency; 1 if it is not here.
_COUNTS = {"obj": 0.0, "iobj": 0.0, "xcomp": 0.0, "ccomp": -1.0, "advcl": 2.0}
_COUNT = np.array([_COUNTS.get(label, 1.0) for label in LABELS])
_DEEPEST = 8  # words above that are followed; by the parser's probabilities two words may depend on each other


class Depth:
    """The factor `depth`."""

    def bind(self, sentence: Sentence, budget: Budget) -> WordMean:
        return WordMean(-depths(sentence.dependencies))


def depths(dependencies: Dependencies) -> NDArray[np.float64]:
    """The expected depth of each word, (n,)."""
    counts = dependencies.labels @ _COUNT
    depth = np.zeros(len(counts))
    for _ in range(_DEEPEST):
        depth = dependencies.heads @ (counts + depth)
    return depth
