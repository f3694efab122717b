"""Tokens per second of the trainer, and of a plain full-softmax PyTorch loop of the same sizes.

Both train one direction on one thread, on the same invented sentences (word frequencies by Zipf's law, lengths of
headlines), with the sizes of the recipe `default`. The plain loop is nn.Embedding, nn.LSTM, nn.Linear over the
vocabulary, cross-entropy and Adam. It gets the same batches of equal length, so no time is spent on padding.

    python benchmarks/training_speed.py [--seconds 20] [--hidden 512]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from tersely.text.vocabulary import BEGIN_ID, END_ID
from tersely.training.batches import Batches
from tersely.training.corpus import Encoded
from tersely.training.lm import LmTrainer
from tersely.training.recipes import Recipe, recipe


def invented(n_lines: int, n_words: int, seed: int = 0) -> Encoded:
    rng = np.random.default_rng(seed)
    lengths = np.clip(rng.normal(9, 2.5, n_lines).round().astype(int), 2, 20)
    chances = 1 / np.arange(3, n_words)
    ids = rng.choice(np.arange(3, n_words), lengths.sum(), p=chances / chances.sum()).astype(np.int32)
    return Encoded(ids, np.concatenate([[0], np.cumsum(lengths)]))


class Plain(nn.Module):
    def __init__(self, n_words: int, settings: Recipe) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, settings.embedding)
        self.lstm = nn.LSTM(settings.embedding, settings.hidden, settings.layers)
        self.projection = nn.Linear(settings.hidden, settings.embedding)
        self.output = nn.Linear(settings.embedding, n_words)
        self.output.weight = self.embedding.weight

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        hidden, _ = self.lstm(self.embedding(inputs))
        logits: torch.Tensor = self.output(self.projection(hidden))
        return logits


def plain_speed(corpus: Encoded, n_words: int, settings: Recipe, seconds: float) -> float:
    model = Plain(n_words, settings)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.rate)
    batches = Batches([corpus], n_tokens=settings.batch, longest=settings.longest, seed=1)
    n_tokens, began = 0, 0.0
    while not began or time.monotonic() - began < seconds:
        words = torch.from_numpy(batches.next([1.0]).astype(np.int64)).t()
        ends = torch.full((1, words.shape[1]), END_ID)
        inputs, targets = torch.cat([torch.full_like(ends, BEGIN_ID), words]), torch.cat([words, ends])
        loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if began:
            n_tokens += targets.numel()
        else:
            began = time.monotonic()  # the first step warms up
    return n_tokens / (time.monotonic() - began)


def sampled_speed(corpus: Encoded, n_words: int, settings: Recipe, seconds: float) -> float:
    trainer = LmTrainer([corpus], [1.0], n_words, settings, directions=("forward",))
    trainer.step(0.1)
    n_before, began = trainer.spent.n_tokens, time.monotonic()
    while time.monotonic() - began < seconds:
        trainer.step(0.1)
    return (trainer.spent.n_tokens - n_before) / (time.monotonic() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each of the two")
    parser.add_argument("--hidden", type=int, default=recipe("default").hidden)
    args = parser.parse_args()
    torch.set_num_threads(1)
    settings = replace(recipe("default"), hidden=args.hidden)
    n_words = settings.vocabulary + 3
    corpus = invented(100_000, n_words)
    sampled = sampled_speed(corpus, n_words, settings, args.seconds)
    plain = plain_speed(corpus, n_words, settings, args.seconds)
    sizes = f"embedding {settings.embedding}, hidden {settings.hidden}, batch {settings.batch} tokens"
    print(f"vocabulary {n_words:,}, {sizes}")
    print(f"sampled  {sampled:8,.0f} tokens/s")
    print(f"plain    {plain:8,.0f} tokens/s")
    print(f"ratio    {sampled / plain:8.1f}")


if __name__ == "__main__":
    main()
