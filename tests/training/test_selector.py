"""The selector in torch: the same scores as in numpy, the exact partition, and it learns what it is taught."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from tersely.length import Budget
from tersely.scoring.clues import N_EDGE, N_WORD
from tersely.scoring.grammar import Grammar
from tersely.scoring.selector import BoundSelector, Selector, aims
from tersely.source import Source
from tersely.text import tokenize
from tersely.training.selector import Example, SelectorRecipe, SelectorTrainer, Target, train_selector
from tersely.training.selector_network import SelectorNetwork, list_scores, log_partitions, selector_tensors

TEXT = "the german ship ran aground early tuesday , but there were no casualties"
SMALL = SelectorRecipe(hidden=6, pair=3, edge=4, rounds=8, rate=0.02, batch=4)


def test_torch_and_numpy_agree(summarizer):
    bundle = summarizer.bundle
    source = Source.of(tokenize(TEXT, pretokenized=True), bundle.vocabulary)
    clues = bundle.selector.clues(source, Grammar(bundle.parser()).bind(source))
    torch.manual_seed(0)
    network = SelectorNetwork(clues.states.shape[1], N_WORD, 2, hidden=6, pair=3, edge=4).eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    stored = selector_tensors(network)
    with torch.no_grad():
        for name, parameter in network.named_parameters():  # the precision that is stored
            parameter.copy_(
                torch.from_numpy(
                    stored[f"selector.{name.replace('_', '.').removesuffix('.weight')}"].astype(np.float32)
                )
            )
        numbers = (clues.states, clues.words, clues.edges(0, len(source) + 1))
        inputs = [torch.from_numpy(np.asarray(array, np.float32))[None] for array in numbers]
        aim = torch.from_numpy(aims(5, len(source), exact=True))[None]
        expected = network(*inputs, torch.tensor([0]), torch.tensor([1]), aim)[0].numpy()
    selector = Selector.from_tensors(stored.__getitem__, ("a", "b"), bundle.selector.clues)
    found = selector.scores(clues, "b", Budget.of_words(len(source), 5))
    forward = np.triu_indices(len(source) + 1)  # no edge goes back
    np.testing.assert_allclose(found[forward], expected[forward], rtol=1e-4, atol=1e-4)


def test_the_partition_counts_every_candidate():
    rng = np.random.default_rng(2)
    sizes = (5, 4)  # words; the second source is padded
    scores = torch.from_numpy(rng.normal(size=(2, 6, 6)))
    found = log_partitions(scores, torch.tensor(sizes), 3)
    for row, n in enumerate(sizes):
        bound = BoundSelector(scores[row, : n + 1, : n + 1].numpy())
        for size in (1, 2, 3):
            masks = np.array([np.isin(np.arange(n), kept) for kept in itertools.combinations(range(n), size)])
            expected = np.log(np.exp(bound.log_scores(masks)).sum())
            assert float(found[row, size - 1]) == pytest.approx(expected)


def test_the_score_of_a_candidate_is_the_sum_over_its_edges():
    scores = torch.arange(16.0).reshape(1, 4, 4)
    paths = torch.tensor([[[0, 2, 3], [1, 3, -1]]])  # words 0 and 2; word 1
    assert list_scores(scores, paths).tolist() == [[0 + 4 * 1 + 2 + 4 * 3 + 3, 1 + 4 * 2 + 3]]


def examples(count: int) -> list[Example]:
    """Sources of six words whose good ones are those with a mark; the best two of them make the summary."""
    rng = np.random.default_rng(1)
    made = []
    for _ in range(count):
        words = np.zeros((6, N_WORD), np.float16)
        good = np.sort(rng.choice(6, 2, replace=False))
        words[good, 0] = 1
        bad = [kept for kept in itertools.combinations(range(6), 2) if set(kept) != set(good.tolist())][:4]
        kept = [good, *(np.array(other) for other in bad)]
        lists = (Target(2, 2, kept, np.array([0, -1, -1, -1, -1], np.float32)),)
        made.append(Example(0, np.zeros((6, 3), np.float16), words, np.zeros((7, 7, N_EDGE), np.float16), lists))
    return made


def test_learns_what_it_is_taught_and_goes_on_where_it_was(tmp_path):
    lines: list[str] = []
    trainer = SelectorTrainer(examples(60), 1, SMALL, tmp_path / "whole.pt")
    before = trainer.figures(examples(20))["divergence"]
    figures = train_selector(trainer, examples(20), lines.append, lambda: False)
    assert figures["divergence"] < before / 3
    assert figures["lost"] == 0
    assert len(lines) == SMALL.rounds
    half = SelectorTrainer(examples(60), 1, SMALL, tmp_path / "half.pt")
    for _ in range(4):
        half.round(lambda: False)
    again = SelectorTrainer(examples(60), 1, SMALL, tmp_path / "half.pt")
    assert again.n_rounds == 4
    train_selector(again, [], lines.append, lambda: False)
    for one, other in zip(trainer.network.parameters(), again.network.parameters(), strict=True):
        torch.testing.assert_close(one, other)


def test_stops_when_asked(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        SelectorTrainer(examples(8), 1, SMALL, tmp_path / "a.pt").round(lambda: True)
