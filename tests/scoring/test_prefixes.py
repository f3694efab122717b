"""The tree of prefixes gives the same scores as reading every candidate from its first word."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from reference import ReferenceObjective
from tiny_bundle import write_tiny_bundle
from toys import bound, read

from tersely.bundle.bundle import open_bundle
from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.scoring import prefixes
from tersely.search.hill_climbing import paper
from tersely.search.result import Step
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import Summarizer

TEXT = (
    "The German ship didn't run aground at the French port, but Cuba's minister paid $5.2 billion to the U.S. early on."
)


def reference(summarizer: Summarizer, sentence: Sentence, exact_softmax: bool) -> ReferenceObjective:
    bundle = summarizer.bundle
    similarity = bundle.similarity().bind(sentence, Budget.of_words(len(sentence), 1))
    models = bundle.language_model("forward"), bundle.language_model("backward")
    return ReferenceObjective(sentence, *models, similarity, exact_softmax=exact_softmax)


@pytest.mark.parametrize("exact_softmax", [False, True])
@pytest.mark.parametrize(("layers", "norm"), [(1, False), (2, True)])
def test_same_scores_as_without_caches(tmp_path: Path, exact_softmax: bool, layers: int, norm: bool) -> None:
    summarizer = Summarizer(open_bundle(write_tiny_bundle(tmp_path / "b", layers=layers, norm=norm)))
    sentence = read(summarizer, TEXT)
    plain = reference(summarizer, sentence, exact_softmax)
    cached = bound(summarizer, "paper", sentence, softmax="exact" if exact_softmax else "self")
    rng = np.random.default_rng(0)
    for size in (1, 4, 9, len(sentence)):
        masks = CandidateSpace(Budget.of_words(len(sentence), size)).random(rng, 50)
        np.testing.assert_allclose(cached.log_scores(masks), plain.log_scores(masks), atol=2e-6)


def test_climbing_takes_the_same_steps_with_and_without_caches(summarizer: Summarizer) -> None:
    sentence = read(summarizer, TEXT)
    space = CandidateSpace(Budget.of_words(len(sentence), 6))
    trajectories = []
    for objective in (reference(summarizer, sentence, False), bound(summarizer, "paper", sentence)):
        steps: list[Step] = []
        paper(objective, space, np.random.default_rng(5), steps.append)
        trajectories.append([(step.restart, step.step, step.mask.tobytes()) for step in steps if step.accepted])
    assert len(trajectories[0]) > 100
    assert trajectories[0] == trajectories[1]


def test_a_tree_that_is_full_starts_anew(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = read(summarizer, TEXT)
    roomy = bound(summarizer, "paper", sentence)
    monkeypatch.setattr(prefixes, "_MAX_BYTES", 1)
    narrow = bound(summarizer, "paper", read(summarizer, TEXT))
    (tree, _) = narrow.factors["fluency"].trees  # type: ignore[attr-defined]
    rng, sizes = np.random.default_rng(0), []
    for _ in range(12):
        masks = CandidateSpace(Budget.of_words(len(sentence), 9)).random(rng, 60)
        np.testing.assert_allclose(narrow.log_scores(masks), roomy.log_scores(masks), atol=2e-6)
        sizes.append(tree.size)
    assert max(sizes) < 2048
    assert any(later < earlier for earlier, later in itertools.pairwise(sizes))


def test_a_prefix_is_computed_once(summarizer: Summarizer) -> None:
    sentence = read(summarizer, TEXT)
    objective = bound(summarizer, {"fluency_forward": 1.0}, sentence)
    tree = objective.factors["fluency_forward"].trees[0]  # type: ignore[attr-defined]
    masks = np.zeros((2, len(sentence)), dtype=bool)
    masks[0, [0, 1, 2]] = masks[1, [0, 1, 4]] = True
    objective.log_scores(masks)
    before = tree.size
    objective.log_scores(masks)
    assert tree.size == before
    pieces = [len(sentence.words[i].pieces) for i in (0, 1, 2, 4)]
    assert before == 1 + sum(pieces)  # the root, and each of "the german", "ship", "run" once
