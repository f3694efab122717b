"""Stage 7: the source's own commas, colons and semicolons between kept words.

A summary without any mark makes readers stumble ("After three weeks battery barely manages an hour"). A mark stays on
the word before it, so it changes no count of words. It stays where it still divides what is left: not where it opened
or closed an aside that was dropped. Dashes are left out, because a dash stands between spaces and would count as a
word; so are quotes and brackets, which come in pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from tersely.candidates.measure import divides
from tersely.sentence.sentence import Sentence
from tersely.sentence.tree import Tree
from tersely.system.arrays import IntArray

_CLAUSAL = frozenset("conj ccomp parataxis advcl appos acl acl:relcl dep".split())


def marks_after(sentence: Sentence, kept: Sequence[int]) -> list[str]:
    """For each kept word the mark that follows it in the summary, mostly none; without a tree there are none."""
    words, tree = sentence.positions, sentence.tree
    if tree is None:
        return ["" for _ in kept]
    kept_at = words[list(kept)]
    marks = ["" for _ in kept_at]
    for k, (left, right) in enumerate(itertools.pairwise(kept_at)):
        found = [i for i in range(left + 1, right) if divides(sentence.tokens, i)]
        dropped = words[(words > left) & (words < right)]
        if not found:
            continue
        if left < tree.heads[left] < found[-1] and tree.relations[left] not in _CLAUSAL:
            continue  # "in, Texas": the word before the mark has lost its head
        if len(found) == 1:
            stays = _still_divides(dropped, found[0], tree)
        else:
            stays = _between_clauses(kept_at, found[-1], tree)
        if stays:
            marks[k] = sentence.tokens[found[-1]].text
    return marks


def _still_divides(dropped: IntArray, mark: int, tree: Tree) -> bool:
    """Whether no dropped word beside the mark depends on a word behind it: the mark set such a word off."""
    return bool(np.all((tree.heads[dropped] < mark) == (dropped < mark)))


def _between_clauses(kept: IntArray, mark: int, tree: Tree) -> bool:
    """Whether all that joins the kept words on either side is a clause: '"Nobody is safe, ...," the mayor said'."""
    joined = [i for i in kept if tree.heads[i] in kept and (i < mark) != (tree.heads[i] < mark)]
    return bool(joined) and all(tree.relations[i] in _CLAUSAL for i in joined)
