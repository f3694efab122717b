"""Training: learns an editor from shortenings by deletion, and with it an encoder and its parser.

One step: a batch of sources of similar length, or of trees. An encoder that learns from shortenings alone would forget
the trees, so trees are read between them: those of a treebank, and the bundle's own trees of the sources. What is
stored is a moving average of the weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.evaluation.token_f1 import Agreement, agreement
from tersely.scoring.editor import Editor
from tersely.scoring.objective import Objective
from tersely.search.chain import chain
from tersely.sentence.labels import LABELS
from tersely.sentence.lexicon import tokens_of
from tersely.sentence.parser import Parser
from tersely.sentence.sentence import Sentence
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import Word
from tersely.training.edit_loss import edit_loss
from tersely.training.encoder_network import EditorOnEncoder, Frozen
from tersely.training.parser_network import ParserNetwork
from tersely.training.recipes import LearnRecipe, ParserRecipe
from tersely.training.shortenings import Shortened, augmented
from tersely.training.trainer import Trainer
from tersely.training.treebank import TreebankSentence

TREES, PAIRS, SPOKEN_PAIRS, COMPRESSIONS = "trees", "pairs", "spoken pairs", "compressions"


class ExampleBatches:
    """An endless stream of batches of example numbers. A round takes every example once.

    The examples of a batch have similar sizes or, with `equal`, the same size.
    """

    def __init__(self, sizes: Sequence[int], most: int, seed: Sequence[int], *, equal: bool = False) -> None:
        self.sizes, self.most, self.seed, self.equal = np.array(sizes), most, list(seed), equal
        self.n_rounds = self.n_taken = 0
        self._round = self._draw()

    def next(self) -> list[int]:
        if self.n_taken == len(self._round):
            self.resume(self.n_rounds + 1, 0)
        self.n_taken += 1
        return self._round[self.n_taken - 1]

    def resume(self, n_rounds: int, n_taken: int) -> None:
        """Continue at the position of another stream of the same examples."""
        self.n_rounds, self.n_taken = n_rounds, n_taken
        self._round = self._draw()

    def _draw(self) -> list[list[int]]:
        rng = np.random.default_rng([*self.seed, self.n_rounds])
        batches: list[list[int]] = []
        longest = 0
        apart = 1e-6 if self.equal else 0.15
        for i in np.argsort(self.sizes * rng.uniform(1 - apart, 1 + apart, len(self.sizes))).tolist():
            size = int(self.sizes[i])
            full = max(longest, size) * (len(batches[-1]) + 1) > self.most if batches else True
            if full or (self.equal and size != longest):
                batches.append([])
                longest = 0
            longest = max(longest, size)
            batches[-1].append(i)
        return [batches[k] for k in rng.permutation(len(batches))]


def shares(progress: float, recipe: LearnRecipe, tasks: Iterable[str], new_parser: bool) -> dict[str, float]:
    """The share of the steps that each task has at this part of the run.

    A new parser reads trees alone at first, because the editor takes its trees as given. Sentence
    compressions become fewer, so that most of the last shortenings are by editors.

    >>> shares(0.5, LearnRecipe(trees=0.5), ["trees", "pairs", "compressions"], new_parser=False)
    {'trees': 0.25, 'pairs': 0.5, 'compressions': 0.25}
    """
    if new_parser and progress < recipe.trees_first:
        return {TREES: 1.0}
    weights = {TREES: recipe.trees, PAIRS: 1.0, SPOKEN_PAIRS: 1.0, COMPRESSIONS: max(recipe.compressions, 1 - progress)}
    total = sum(weights[task] for task in tasks)
    return {task: weights[task] / total for task in tasks}


Network = EditorOnEncoder | Frozen | ParserNetwork


class ReaderTrainer(Trainer):
    """Trains an editor, alone or with its encoder and parser, or a parser alone."""

    def __init__(
        self,
        network: Network,
        items: Mapping[str, Sequence[Any]],  # by task
        recipe: LearnRecipe | ParserRecipe,
        *,
        new_parser: bool = False,
        checkpoint: Path | None = None,
    ) -> None:
        super().__init__(network.name, checkpoint)
        self.network, self.new_parser = network, new_parser
        self.recipe: LearnRecipe | ParserRecipe = recipe
        groups = [{"params": list(module.parameters()), "top": rate} for module, rate in network.rates]
        self.optimizer = torch.optim.AdamW(groups, lr=0.0, fused=True, **network.optimizer)
        self.mean = {name: weights.detach().clone() for name, weights in network.named_parameters()}
        self.items = {task: some for task, some in items.items() if some}
        sizes = {task: list(map(network.size, some)) for task, some in self.items.items()}
        self.batches = {
            task: ExampleBatches(some, recipe.batch, [recipe.seed, i], equal=network.equal)
            for i, (task, some) in enumerate(sizes.items())
        }
        if isinstance(recipe, LearnRecipe):
            edited = [task for task in (PAIRS, SPOKEN_PAIRS) if task in sizes]
            drawn = [sum(map(self._shares(progress).get, edited, [0.0] * 2)) for progress in np.linspace(0, 1, 101)]
            n_tokens = sum(sum(sizes[task]) for task in edited)
            self.recipe = replace(recipe, tokens=int(recipe.rounds * n_tokens / np.mean(drawn)))
        self.resume()

    def _shares(self, progress: float) -> dict[str, float]:
        if isinstance(self.recipe, ParserRecipe):
            return {TREES: 1.0}
        return shares(progress, self.recipe, self.items, self.new_parser)

    def learn(self, progress: float) -> tuple[float, int]:
        rng = np.random.default_rng([self.recipe.seed, 1 << 20, self.spent.n_steps])
        torch.manual_seed(int(rng.integers(1 << 62)))
        odds = self._shares(progress)
        task = str(rng.choice(list(odds), p=list(odds.values())))
        numbers = self.batches[task].next()
        self.network.train()
        loss = self._loss([self.items[task][i] for i in numbers], rng)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = group["top"] * min(1.0, progress / self.recipe.warmup + 0.02) * max(0.02, 1 - progress)
        self.optimizer.step()
        n_steps = self.spent.n_steps + 1
        follow = max(1 / self.recipe.mean_steps, 1 / (1 + n_steps / 4))  # the last quarter, at most so many
        for name, weights in self.network.named_parameters():
            self.mean[name].lerp_(weights.detach(), follow)
        return float(loss.item()), int(self.batches[task].sizes[numbers].sum())

    def _loss(self, items: Sequence[Any], rng: np.random.Generator) -> Tensor:
        if isinstance(self.network, ParserNetwork) or not isinstance(items[0], Shortened):
            assert not isinstance(self.network, Frozen)
            return self.network.tree_loss(items, rng)
        sources = [augmented(source, rng) for source in items]
        return edit_loss(self.network.editor, self.network.read(sources), sources, rng)

    @property
    def averaged(self) -> dict[str, Tensor]:
        """The moving average of the weights, and the tables that do not learn."""
        return {**self.network.state_dict(), **self.mean}

    def load(self, state: dict[str, Any]) -> None:
        for task, position in state["positions"].items():
            self.batches[task].resume(*position)
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.mean = state["mean"]

    def state(self) -> dict[str, Any]:
        return {
            "positions": {task: (batches.n_rounds, batches.n_taken) for task, batches in self.batches.items()},
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "mean": self.mean,
        }


def own_trees(parser: Parser, texts: Iterable[Sequence[Word]]) -> list[TreebankSentence]:
    """The trees that a parser finds for texts, over tokens. It must not forget them while its encoder learns."""
    found = []
    for words in texts:
        scores, dependents, of_heads = parser.scores(parser.encoder.read(words).tokens)
        heads = scores.argmax(1)
        labels = parser.label_scores(dependents, of_heads[heads]).argmax(1)
        relations = tuple(LABELS[label] for label in labels)
        found.append(TreebankSentence(tuple(tokens_of(words)[0]), tuple(heads.tolist()), relations))
    return found


def edit_agreement(parser: Parser, editor: Editor, sources: Iterable[Shortened]) -> Agreement:
    """How far the editor's best candidates agree with shortenings, each at its own length."""
    found = []
    for source in sources:
        objective = Objective("editor", {"editor": replace(editor, style=source.style)}, {"editor": 1.0})
        sentence = Sentence.of(source.words, Vocabulary.of([]), parser)
        for right in source.masks:
            budget = Budget.of_words(len(sentence), int(right.sum()))
            space = CandidateSpace(budget, needs=sentence.needs)
            best = chain(objective.bind(sentence, budget), space, np.random.default_rng(0)).masks[0]
            ours, theirs = ([sentence.words[i].text.lower() for i in np.flatnonzero(mask)] for mask in (best, right))
            found.append((ours, theirs))
    return agreement(found)
