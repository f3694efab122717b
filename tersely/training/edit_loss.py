"""Training: the loss of an editor: the negative log-likelihood of the shortenings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.scoring.editor import BoundEditor, asked, gap_clues, pair_clues
from tersely.scoring.objective import BoundObjective
from tersely.search.chain import Chain
from tersely.sentence.sentence import stretches_of
from tersely.sentence.tree import Tree
from tersely.system.arrays import BoolArray
from tersely.training.encoder_network import EditorNetwork
from tersely.training.shortenings import Shortened

CHAIN = 0.5  # weight of the chain's likelihood beside that of the pool
_NEVER = -1e4
_SEARCH = Chain(most=4)
_BEST, _OTHERS, _SWAPS = 16, 48, 120  # in a pool: found by the model, read on the way, swaps of the right candidate

Read = Iterable[tuple[Tensor, Tree]]  # the states of each source's words, and its tree


def edit_loss(editor: EditorNetwork, read: Read, sources: Sequence[Shortened], rng: np.random.Generator) -> Tensor:
    """The negative log-likelihood of the shortenings, the mean over sources.

    It is the sum of two: by the whole score, in a pool of the model's best candidates and of swaps; and by the part of
    the score that a chain sees, among all candidates of that length.
    """
    losses, chains, right, sizes, weights = [], [], [], [], []
    for source, mask, edges, needs in scored(editor, read, sources):
        pool = _pool(edges, needs, mask, source.refused, rng)
        kept = torch.from_numpy(pool).float()
        rows, columns = _taken(pool)
        values = edges[rows, columns].sum(1) - ((kept @ needs) * (1 - kept)).sum(1)
        weights.append(1 / len(source.masks))
        losses.append(-torch.log_softmax(values, 0)[0] * weights[-1])
        chain = edges - _gap_needs(needs)
        chains.append(chain)
        right.append(chain[rows[0], columns[0]].sum())
        sizes.append(int(mask.sum()))
    likelihood = (log_partitions(chains, sizes) - torch.stack(right)) * torch.tensor(weights)
    return (torch.stack(losses).sum() + CHAIN * likelihood.sum()) / len(sources)


def scored(
    editor: EditorNetwork, read: Read, sources: Sequence[Shortened]
) -> Iterator[tuple[Shortened, BoolArray, Tensor, Tensor]]:
    """Each source with each of its shortenings, and the editor's edges and needs for that number of words."""
    for source, (states, tree) in zip(sources, read, strict=True):
        words = np.flatnonzero(~source.punctuation)
        above = torch.from_numpy(tree.probabilities[np.ix_(words, words)])
        stretches = stretches_of(source.words)
        clues = torch.from_numpy(gap_clues(stretches)), torch.from_numpy(pair_clues(stretches))
        prepared = editor.prepare(states[words], above, torch.from_numpy(tree.label_probabilities[words]))
        for mask in source.masks:
            told = torch.from_numpy(asked(len(words), int(mask.sum()), source.style))
            yield source, mask, *editor(prepared, above, *clues, told)


def _pool(
    edges: Tensor, needs: Tensor, right: BoolArray, refused: Iterable[BoolArray], rng: np.random.Generator
) -> BoolArray:
    """The right candidate, then others of its length: refused ones, the model's best, others it found, and swaps."""
    neighbours, costs = (some.detach().numpy().astype(np.float64) for some in (edges, needs))
    bound = BoundEditor(neighbours, costs, np.zeros(len(costs), np.int64), np.zeros(len(costs) + 1))
    space = CandidateSpace(Budget.of_words(len(right), int(right.sum())))
    found = _SEARCH(BoundObjective({"editor": bound}, {"editor": 1.0}), space, rng).masks
    swaps = space.neighbours(right, len(right) ** 2)
    wrong = [mask[None] for mask in refused if mask.sum() == right.sum()]
    others = np.concatenate([*wrong, found[:_BEST], _some(found[_BEST:], _OTHERS, rng), _some(swaps, _SWAPS, rng)])
    return np.concatenate([right[None], np.unique(others[(others != right).any(1)], axis=0)])


def _some(masks: BoolArray, most: int, rng: np.random.Generator) -> BoolArray:
    return masks[rng.choice(len(masks), most, replace=False)] if len(masks) > most else masks


def _taken(masks: BoolArray) -> tuple[Tensor, Tensor]:
    """The rows and columns of the edges that candidates of one length take, (masks, length + 1) each."""
    words = np.nonzero(masks)[1].reshape(len(masks), -1)
    rows = np.pad(words + 1, ((0, 0), (1, 0)))
    return torch.from_numpy(rows), torch.from_numpy(np.pad(words, ((0, 0), (0, 1)), constant_values=masks.shape[1]))


def _gap_needs(needs: Tensor) -> Tensor:
    """`tersely.scoring.editor.gap_needs` in torch."""
    sums = functional.pad(needs.cumsum(1), (1, 0))
    before, after = functional.pad(sums, (0, 0, 1, 0)), functional.pad(sums, (0, 0, 0, 1))
    return before - before.diagonal().unsqueeze(1) + (after.diagonal().unsqueeze(1) - after).T


def log_partitions(edges: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    """The logarithm of the sum over all candidates of a length, for chains of (n + 1, n + 1) edges."""
    longest = max(map(len, edges)) - 1
    words, ends = [], []
    for some in edges:
        n = len(some) - 1
        backward = torch.ones(n + 1, n, dtype=torch.bool).tril(-1)
        free = longest - n
        words.append(functional.pad(some[:, :n].masked_fill(backward, _NEVER), (0, free, 0, free), value=_NEVER))
        ends.append(functional.pad(some[:, n], (0, free), value=_NEVER))
    to_words = torch.stack(words)  # (chains, position, word)
    values = torch.full((len(edges), longest + 1), _NEVER)
    values[:, 0] = 0
    steps = []
    for _ in range(max(sizes)):
        values = functional.pad(torch.logsumexp(values.unsqueeze(2) + to_words, 1), (1, 0), value=_NEVER)
        steps.append(values)
    last = torch.stack(steps)[torch.tensor(sizes) - 1, torch.arange(len(sizes))]
    return torch.logsumexp(last + torch.stack(ends), 1)
