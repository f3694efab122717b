"""Training: the trainer of a language model, or of both directions at once: one step, and the state of a checkpoint.

A step takes a batch of sentences of one length, draws negatives, computes the loss, and updates the LSTM and the rows
of the batch in the word tables by Adam. The learning rate rises briefly, then falls linearly to zero at the end of the
budget. The last part of the budget reads more of the corpus with the largest weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tersely.text.vocabulary import END_ID
from tersely.training.batches import Batches, StreamPosition
from tersely.training.corpus import Encoded
from tersely.training.lm_network import Network, Tables, TrainedRows
from tersely.training.recipes import Recipe
from tersely.training.sampled_loss import BatchRows, SampledLoss, Sampler, batch_rows, inputs_and_targets
from tersely.training.trainer import Trainer

DIRECTIONS = ("forward", "backward")


class LmTrainer(Trainer):
    """The language models of one direction, or of both at once if they share their word vectors."""

    def __init__(
        self,
        corpora: Sequence[Encoded],
        weights: Sequence[float],
        n_words: int,
        recipe: Recipe,
        *,
        directions: Sequence[str],
        checkpoint: Path | None = None,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(" and ".join(directions), checkpoint)
        self.device = torch.device(device)
        self.recipe: Recipe = recipe
        self.weights = list(weights)
        counts = word_counts(corpora, weights, n_words)
        seed = recipe.seed + 2 * DIRECTIONS.index(directions[0])
        torch.manual_seed(seed)
        self.tables = Tables(n_words, recipe, self.device)
        self.networks = {direction: Network(self.tables, counts, recipe).to(self.device) for direction in directions}
        self.optimizers = {d: _optimizer(network, recipe) for d, network in self.networks.items()}
        self.batches = Batches(corpora, n_tokens=recipe.batch, longest=recipe.longest, seed=seed)
        n_head = recipe.head if recipe.negatives else n_words
        self.sampler = Sampler(counts, head=n_head, n_tail=recipe.negatives, power=recipe.power)
        # One thread for each direction: torch releases the interpreter lock while it computes. Dropout draws from
        # torch's one generator, so there the directions take turns.
        n_threads = 1 if recipe.dropout else len(directions)
        self.threads = ThreadPoolExecutor(n_threads, initializer=torch.set_num_threads, initargs=(1,))
        self.resume()

    def learn(self, progress: float) -> tuple[float, int]:
        """Train on one batch; its loss, the mean of the directions, and its number of tokens."""
        lines = self.batches.next(self._weights(progress))
        rng = np.random.default_rng([self.recipe.seed, self.spent.n_steps])
        if self.recipe.dropout:
            torch.manual_seed(int(rng.integers(2**62)))
        batch = batch_rows(lines, self.sampler.draw(rng), self.device)
        rate = self._rate(progress)
        learned = list(self.threads.map(lambda direction: self._learn_direction(direction, batch, rate), self.networks))
        self._update_tables(batch, [gradients for _, gradients in learned], rate)
        return sum(loss for loss, _ in learned) / len(learned), lines.size + len(lines)

    def _learn_direction(self, direction: str, batch: BatchRows, rate: float) -> tuple[float, list[Tensor]]:
        """The loss of one direction, and its gradients of the rows of the batch; the LSTM is updated here."""
        network, tables = self.networks[direction], self.tables
        network.train()
        lines = batch.lines.flip(1) if direction == "backward" else batch.lines
        inputs, targets = inputs_and_targets(lines, 0, batch.n_read)
        rows, bias = tables.output.take(batch.index), network.bias.take(batch.index)
        leaves = [rows] if tables.output is tables.embedding else [rows, tables.embedding.take(batch.read)]
        states = network.states(leaves[-1][: batch.n_read], inputs).flatten(0, 1)
        loss: Tensor = SampledLoss.apply(  # type: ignore[no-untyped-call]
            states, rows, bias, targets.flatten(), batch.negatives, batch.log_weights, self.recipe.penalty
        )
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), self.recipe.clip)
        optimizer = self.optimizers[direction]
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        optimizer.zero_grad()
        self._update(network.bias, batch.index, bias.grad, rate)
        return float(loss.item()), [leaf.grad for leaf in leaves if leaf.grad is not None]

    def _update_tables(self, batch: BatchRows, gradients: list[list[Tensor]], rate: float) -> None:
        of_output, *of_input = (sum(parts) for parts in zip(*gradients, strict=True))
        self._update(self.tables.output, batch.index, of_output, rate)
        for gradient in of_input:
            self._update(self.tables.embedding, batch.read, gradient, rate)

    def _update(self, table: TrainedRows, index: Tensor, gradient: Tensor | None, rate: float) -> None:
        assert gradient is not None
        if self.recipe.optimizer == "adam":
            table.update(index, gradient, rate)
        else:
            table.descend(index, gradient, rate, self.recipe.momentum)

    def _rate(self, progress: float) -> float:
        if self.recipe.optimizer == "sgd":
            return self.recipe.rate * self.spent.factor
        rise = min(1.0, (progress + 1e-4) / self.recipe.warmup) if self.recipe.warmup else 1.0
        return self.recipe.rate * rise * (1 - progress)

    def _weights(self, progress: float) -> list[float]:
        if progress < 1 - self.recipe.finish:
            return self.weights
        # Half, not all: reading only the largest corpus is worse (results/training.md).
        largest = int(np.argmax(self.weights))
        return [(w / sum(self.weights) + (i == largest)) / 2 for i, w in enumerate(self.weights)]

    def state(self) -> dict[str, Any]:
        tables = self.tables
        return {
            "position": vars(self.batches.position).copy(),
            "networks": {direction: network.state_dict() for direction, network in self.networks.items()},
            "optimizers": {direction: optimizer.state_dict() for direction, optimizer in self.optimizers.items()},
            "biases": {direction: network.bias.state() for direction, network in self.networks.items()},
            "embedding": tables.embedding.state(),
            **({} if tables.output is tables.embedding else {"output": tables.output.state()}),
        }

    def load(self, state: dict[str, Any]) -> None:
        for direction, network in self.networks.items():
            network.load_state_dict(state["networks"][direction])
            network.bias.load(state["biases"][direction])
            self.optimizers[direction].load_state_dict(state["optimizers"][direction])
        self.tables.embedding.load(state["embedding"])
        if "output" in state:
            self.tables.output.load(state["output"])
        self.batches.resume(StreamPosition(**state["position"]))

    def validated(self, perplexity: float) -> None:
        """Record a validation perplexity. If it has stopped falling, sgd lowers its rate (the paper: x 0.25)."""
        if perplexity < self.spent.best:
            self.spent.best = perplexity
        elif self.recipe.optimizer == "sgd":
            self.spent.factor *= 0.25


def _optimizer(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    if recipe.optimizer == "adam":
        return torch.optim.Adam(
            network.parameters(), betas=(0.9, 0.99), fused=network.projection.weight.device.type != "mps"
        )
    return torch.optim.SGD(network.parameters(), lr=recipe.rate, momentum=recipe.momentum)


def word_counts(corpora: Sequence[Encoded], weights: Sequence[float], n_words: int) -> NDArray[np.float64]:
    """The expected count of each word, and of the end symbol, in a stream drawn from `corpora` by `weights`.

    The corpora are weighted by tokens: a weight of 2 means twice the tokens, whatever the size of the file.
    """
    total = np.zeros(n_words)
    for corpus, weight in zip(corpora, weights, strict=True):
        if corpus.n_lines and weight:
            counts = np.bincount(corpus.ids, minlength=n_words).astype(np.float64)
            counts[END_ID] += corpus.n_lines
            total += weight / sum(weights) * counts / counts.sum()
    return total * sum(len(corpus.ids) + corpus.n_lines for corpus in corpora)
