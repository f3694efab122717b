"""Stage 3: depth: how far below the main predicate the kept words hang. Not in the paper.

The news stands at the top of the tree, details hang below it. The depth of a word is the number of words above it up to
the root, as the parser expects it. A verb's object and complement say what the verb says and are no deeper for it; what
was said is higher than who says it; what hangs in an adverbial clause is as deep as two others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.scoring.labels import LABELS
from tersely.scoring.needs import Parsed
from tersely.scoring.parser import Parser
from tersely.scoring.priors import WordMean
from tersely.source import Source

# What a word above counts, by how it hangs on its own head; 1 if it is not here.
_COUNTS = {"obj": 0.0, "iobj": 0.0, "xcomp": 0.0, "ccomp": -1.0, "advcl": 2.0}
_COUNT = np.array([_COUNTS.get(label, 1.0) for label in LABELS])
_DEEPEST = 8  # words above that are followed; the parser's probabilities may hang two words on each other


@dataclass(frozen=True)
class Depth:
    """The factor `depth`."""

    parser: Parser

    def bind(self, source: Source) -> WordMean:
        return WordMean(-depths(Parsed.of(source, self.parser.parse(source.tokens))))


def depths(parsed: Parsed) -> NDArray[np.float64]:
    """The expected depth of each word, (n,)."""
    counts = parsed.labels @ _COUNT
    depth = np.zeros(len(counts))
    for _ in range(_DEEPEST):
        depth = parsed.heads @ (counts + depth)
    return depth
