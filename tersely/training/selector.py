"""Beside the flow: trains a selector from lessons.

The loss is the cross-entropy between what the search says of its candidates, a softmax over their scores, and what the
selector says of all candidates of that length, of which there are billions: their partition is a few matrix products
(`selector_network.py`). So the list is a soft target, and everything that is not in it counts as worse. Now and then
the lengths of a sentence are joined to a range, so that the selector learns what a word more is worth. A checkpoint is
written after every round over the lessons, and everything random depends on the seed and the round, so a run that was
killed goes on as if it had not been.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tersely.errors import TerselyError
from tersely.scoring.clues import ClueReader
from tersely.scoring.grammar import Grammar
from tersely.scoring.parser import Parser
from tersely.scoring.selector import aims
from tersely.scoring.use import WEIGHT
from tersely.training.checkpoint import reading_checkpoint, write_checkpoint
from tersely.training.lessons import Lesson
from tersely.training.run import Report
from tersely.training.selector_network import SelectorNetwork, list_scores, log_partitions
from tersely.vocab import Vocabulary

_NONE = -1e9  # the score of a candidate that is not there


@dataclass(frozen=True)
class SelectorRecipe:
    """The sizes of a selector and how it is trained."""

    hidden: int = 128
    pair: int = 48
    edge: int = 32
    rounds: int = 12  # over the lessons
    rate: float = 3e-3
    batch: int = 8  # sentences
    sharpness: float = 0.15  # what the teacher's scores are divided by: two candidates that differ so much are e apart
    ranges: float = 0.3  # how often the lengths of a sentence are joined
    clip: float = 5.0
    seed: int = 1


@dataclass(frozen=True)
class Example:
    """A lesson as numbers, in half precision: about 100 kB."""

    style: int
    states: NDArray[np.float16]  # (n, width)
    words: NDArray[np.float16]  # (n, clues)
    edges: NDArray[np.float16]  # (n + 1, n + 1, clues)
    lists: tuple[Target, ...]

    @property
    def n(self) -> int:
        return len(self.words)


class Target(NamedTuple):
    """Candidates of `least` to `most` words with their scores; `kept` are positions."""

    least: int
    most: int
    kept: list[NDArray[np.int64]]
    scores: NDArray[np.float32]


def encode(lesson: Lesson, styles: Sequence[str], vocabulary: Vocabulary, parser: Parser, clues: ClueReader) -> Example:
    """A lesson as the selector sees it."""
    source = lesson.source(vocabulary)
    seen = clues(source, Grammar(parser).bind(source))
    half = np.float16
    lists = tuple(
        Target(best.size, best.size, [np.flatnonzero(mask) for mask in best.masks], best.scores)
        for best in lesson.lists
    )
    edges = seen.edges(0, len(source) + 1).astype(half)
    return Example(styles.index(lesson.objective), seen.states.astype(half), seen.words.astype(half), edges, lists)


class SelectorTrainer:
    """A selector, its optimiser, and how many rounds it has done."""

    def __init__(self, examples: Sequence[Example], n_styles: int, recipe: SelectorRecipe, checkpoint: Path) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(recipe.seed)
        self.examples, self.recipe, self.checkpoint, self.n_rounds = examples, recipe, checkpoint, 0
        sizes = {"hidden": recipe.hidden, "pair": recipe.pair, "edge": recipe.edge}
        first = examples[0]
        self.network = SelectorNetwork(first.states.shape[1], first.words.shape[1], n_styles, **sizes)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=recipe.rate, weight_decay=0.01)
        if checkpoint.exists():
            with reading_checkpoint(checkpoint) as state:
                self.network.load_state_dict(state["network"])
                self.optimizer.load_state_dict(state["optimizer"])
                self.n_rounds = state["rounds"]

    def round(self, stop: Callable[[], bool]) -> float:
        """One round over all examples; the mean loss."""
        recipe = self.recipe
        rng = np.random.default_rng([recipe.seed, self.n_rounds])
        torch.manual_seed(recipe.seed + self.n_rounds)
        order = rng.permutation(len(self.examples))
        batches = [order[i : i + recipe.batch] for i in range(0, len(order), recipe.batch)]
        self.network.train()
        losses = []
        for i, batch in enumerate(batches):
            if stop():
                raise KeyboardInterrupt
            done = (self.n_rounds + i / len(batches)) / recipe.rounds
            self.optimizer.param_groups[0]["lr"] = recipe.rate * min(1.0, 20 * done + 0.02) * (1 - done)
            examples = [self.examples[k] for k in batch]
            loss = self.losses(examples, [_with_range(example, recipe.ranges, rng) for example in examples]).mean()
            if not torch.isfinite(loss):
                raise TerselyError(f"the loss is {loss}: use a smaller rate than {recipe.rate}")
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip)
            self.optimizer.step()
            losses.append(float(loss.item()))
        self.n_rounds += 1
        state = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
        write_checkpoint(self.checkpoint, {**state, "rounds": self.n_rounds})
        return float(np.mean(losses))

    def losses(self, examples: Sequence[Example], targets: Sequence[Sequence[Target]]) -> Tensor:
        """The divergence of the selector from the teacher, of each list."""
        batch = collate(examples, targets)
        scores = self.network(*batch.inputs)
        of_lists = list_scores(scores, batch.paths)
        partitions = log_partitions(scores, batch.n_words, int(batch.most.max()))
        sizes = torch.arange(1, partitions.shape[1] + 1)
        outside = (sizes < batch.least[:, None]) | (sizes > batch.most[:, None])
        partition = torch.logsumexp(partitions.masked_fill(outside, -1e4), dim=1)
        shares = torch.softmax(batch.scores / self.recipe.sharpness, dim=1)
        there = batch.scores > _NONE / 2
        entropy = -(shares * torch.log(shares.clamp(min=1e-9))).sum(dim=1)
        return partition - (shares * of_lists.masked_fill(~there, 0)).sum(dim=1) - entropy

    @torch.no_grad()
    def figures(self, examples: Sequence[Example]) -> dict[str, float]:
        """On lessons held out: the divergence, and what log f loses where the selector picks from the list."""
        self.network.eval()
        divergences, losses = [], []
        for begin in range(0, len(examples), self.recipe.batch):
            part = examples[begin : begin + self.recipe.batch]
            targets = [example.lists for example in part]
            divergences.append(self.losses(part, targets))
            batch = collate(part, targets)
            of_lists = list_scores(self.network(*batch.inputs), batch.paths)
            picked = of_lists.masked_fill(batch.scores <= _NONE / 2, _NONE).argmax(dim=1, keepdim=True)
            losses.append(batch.scores.max(dim=1).values - batch.scores.gather(1, picked)[:, 0])
        return {"divergence": float(torch.cat(divergences).mean()), "lost": float(torch.cat(losses).mean())}


def train_selector(
    trainer: SelectorTrainer, held_out: Sequence[Example], report: Report, stop: Callable[[], bool]
) -> dict[str, float]:
    """Train to the last round; the figures on what was held out."""
    found: dict[str, float] = {}
    while trainer.n_rounds < trainer.recipe.rounds:
        loss = trainer.round(stop)
        found = trainer.figures(held_out) if held_out else {}
        shown = "".join(f", {name} {value:.3f}" for name, value in found.items())
        report(f"selector: round {trainer.n_rounds} of {trainer.recipe.rounds}, loss {loss:.3f}; held out{shown}")
    return found or (trainer.figures(held_out) if held_out else {})


class _Batch(NamedTuple):
    inputs: tuple[Tensor, ...]  # of the network
    paths: Tensor  # (lists, candidates, longest) kept words, the end, then -1
    scores: Tensor  # (lists, candidates)
    n_words: Tensor  # (lists,) of the source
    least: Tensor
    most: Tensor


def collate(examples: Sequence[Example], targets: Sequence[Sequence[Target]]) -> _Batch:
    """Examples of different lengths side by side."""
    longest = max(example.n for example in examples)
    states, words, edges = (
        np.stack([_padded(getattr(example, name), longest + (name == "edges")) for example in examples])
        for name in ("states", "words", "edges")
    )
    lists = [(k, example, target) for k, example in enumerate(examples) for target in targets[k]]
    candidates = max(len(target.kept) for _, _, target in lists)
    room = 1 + max(len(kept) for _, _, target in lists for kept in target.kept)
    paths = np.full((len(lists), candidates, room), -1)
    scores = np.full((len(lists), candidates), _NONE, np.float32)
    for row, (_, example, target) in enumerate(lists):
        scores[row, : len(target.scores)] = target.scores
        for k, kept in enumerate(target.kept):
            paths[row, k, : len(kept) + 1] = np.append(kept, example.n)
    wanted = np.stack([aims(t.most, example.n, exact=t.least == t.most) for _, example, t in lists])
    numbers = [
        np.array(column)
        for column in zip(*((k, example.style, example.n, t.least, t.most) for k, example, t in lists), strict=True)
    ]
    of_source, styles, n_words, least, most = map(torch.from_numpy, numbers)
    arrays = (torch.from_numpy(array) for array in (states, words, edges))
    inputs = (*arrays, of_source, styles, torch.from_numpy(wanted))
    return _Batch(inputs, torch.from_numpy(paths), torch.from_numpy(scores), n_words, least, most)


def _padded(array: NDArray[np.float16], size: int) -> NDArray[np.float32]:
    rows = size - len(array)
    pad = [(0, rows), (0, rows if array.ndim == 3 else 0), (0, 0)][: array.ndim]
    return np.pad(array.astype(np.float32), pad)


def _with_range(example: Example, share: float, rng: np.random.Generator) -> Sequence[Target]:
    """The lists of an example, now and then with one of a range of lengths, scored as the objective would there."""
    sizes = [target.most for target in example.lists]
    if rng.random() >= share or len(sizes) < 2:
        return example.lists
    most = int(rng.choice(sizes[1:]))
    least = int(rng.choice([size for size in sizes if size < most] or [most]))
    joined = [
        (float(score) + WEIGHT * np.log(target.most / most), kept)
        for target in example.lists
        if least <= target.most <= most
        for kept, score in zip(target.kept, target.scores, strict=True)
    ]
    best = sorted(joined, key=lambda pair: -pair[0])[: 3 * len(example.lists[0].kept) // 2]
    scores = np.array([score for score, _ in best], np.float32)
    return (*example.lists, Target(least, most, [kept for _, kept in best], scores))
