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
from tersely.source import IntArray, Source

_CLAUSAL = frozenset("conj ccomp parataxis advcl appos acl acl:relcl dep".split())


def marks_after(source: Source, kept: Sequence[int], tree: Tree) -> list[str]:
    """For each kept word the mark that follows it in the summary, mostly none."""
    words = source.places
    places = words[list(kept)]
    marks = ["" for _ in places]
    for k, (left, right) in enumerate(itertools.pairwise(places)):
        found = [i for i in range(left + 1, right) if divides(source.tokens, i)]
        dropped = words[(words > left) & (words < right)]
        if len(found) == 1:
            stays = _still_divides(dropped, found[0], tree)
        else:
            stays = bool(found) and _between_clauses(places, found[-1], tree)
        if stays:
            marks[k] = source.tokens[found[-1]].text
    return marks


def _still_divides(dropped: IntArray, mark: int, tree: Tree) -> bool:
    """Whether no dropped word beside the mark hangs on the other side of it: such a word was what the mark set off."""
    return bool(np.all((tree.heads[dropped] < mark) == (dropped < mark)))


def _between_clauses(kept: IntArray, mark: int, tree: Tree) -> bool:
    """Whether all that joins the kept words on either side is a clause: '"Nobody is safe, ...," the mayor said'."""
    joined = [i for i in kept if tree.heads[i] in kept and (i < mark) != (tree.heads[i] < mark)]
    return all(tree.relations[i] in _CLAUSAL for i in joined)
