"""Stage 5: the source's own commas, colons and semicolons between kept words.

A summary without any mark makes readers stumble ("After three weeks battery barely manages an hour"). A mark stays on
the word before it, so it changes no count of words. It stays where it still divides what is left: not where it opened
or closed an aside that was dropped. Dashes are left out, because a dash stands between spaces and would count as a
word; so are quotes and brackets, which come in pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from tersely.measure import divides
from tersely.scoring.tree import Tree
from tersely.source import Source


def marks_after(source: Source, kept: Sequence[int], tree: Tree) -> list[str]:
    """For each kept word the mark that follows it in the summary, mostly none."""
    places = np.flatnonzero([not token.punctuation for token in source.tokens])[list(kept)]
    marks = ["" for _ in places]
    for k, (left, right) in enumerate(itertools.pairwise(places)):
        found = [i for i in range(left + 1, right) if divides(source.tokens, i)]
        if len(found) == 1 and _still_divides(int(left), found[0], int(right), tree):
            marks[k] = source.tokens[found[0]].text
    return marks


def _still_divides(left: int, mark: int, right: int, tree: Tree) -> bool:
    """Whether no dropped word beside the mark hangs on the other side of it: such a word was what the mark set off."""
    return all(tree.heads[i] < mark for i in range(left + 1, mark)) and all(
        tree.heads[i] > mark for i in range(mark + 1, right)
    )
