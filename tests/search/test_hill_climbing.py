"""Hill climbing against its oracle, exhaustive search, on toy problems of up to twelve words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from toys import ToyObjective, toy_problems

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.search.exhaustive import exhaustive
from tersely.search.hill_climbing import HillClimbing, hill_climbing, paper
from tersely.search.result import Step
from tersely.search.work import MOST_WORK, to_climb


def test_the_papers_budget() -> None:
    climbing = HillClimbing()
    assert climbing.budget(20, 10) == (200, 70)  # β_T·n·s², β_R·n·s²
    assert climbing.budget(20, 8) == (128, 45)
    assert climbing.budget(5, 1) == (1, 1)  # at least one each
    steps, restarts = climbing.budget(400, 200)  # bounded where the paper's budget would take days
    assert to_climb(restarts, steps, 200, 400) < 2 * MOST_WORK
    steps, restarts = HillClimbing(effort=4).budget(400, 200)
    assert 2 * MOST_WORK < to_climb(restarts, steps, 200, 400) < 8 * MOST_WORK


def test_hill_climbing_finds_the_optimum_and_never_more() -> None:
    found = 0
    for objective, n, size in toy_problems(150):
        space = CandidateSpace(Budget.of_words(n, size))
        best = exhaustive(objective, space, np.random.default_rng(0)).score
        result = hill_climbing(objective, space, np.random.default_rng(1))
        assert result.score <= best
        assert (result.masks.sum(axis=1) == size).all()
        found += result.score == best
    assert found >= 0.97 * 150


def test_a_smaller_budget_is_said() -> None:
    objective, space = ToyObjective(40, seed=5), CandidateSpace(Budget.of_words(40, 6))
    assert HillClimbing(effort=1e-3)(objective, space, np.random.default_rng(0)).bounded
    assert not HillClimbing()(objective, space, np.random.default_rng(0)).bounded


def test_the_paper_to_the_letter() -> None:
    """Never an enumeration, never a smaller budget: which is enough from five words on, not for fewer."""
    assert paper.budget(400, 200) == (1_600_000, 560_000)
    found: dict[bool, list[bool]] = defaultdict(list)
    for objective, n, size in toy_problems(200, seed=1):
        space = CandidateSpace(Budget.of_words(n, size))
        best = exhaustive(objective, space, np.random.default_rng(0)).score
        result = paper(objective, space, np.random.default_rng(1))
        assert result.score <= best
        assert (result.masks.sum(axis=1) == size).all()
        steps, restarts = round(0.1 * n * size**2) or 1, round(0.035 * n * size**2) or 1
        assert result.restarts == restarts
        assert result.evaluations == restarts * (steps + 1)
        found[size >= 5].append(result.score == best)
    assert np.mean(found[True]) >= 0.97
    assert 0.5 < np.mean(found[False]) < 0.97  # why few candidates are enumerated


def test_same_seed_same_result() -> None:
    objective, space = ToyObjective(24, seed=5), CandidateSpace(Budget.of_words(24, 8))
    climbing = HillClimbing(beta_steps=0.02, beta_restarts=0.01)
    first, second, other = (climbing(objective, space, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert (first.masks == second.masks).all()
    assert (first.scores == second.scores).all()
    assert first.evaluations == second.evaluations == other.evaluations
    assert not np.array_equal(first.masks, other.masks)


def test_the_observer_sees_every_step_and_changes_nothing() -> None:
    objective, space = ToyObjective(16, seed=6), CandidateSpace(Budget.of_words(16, 6))
    climbing = HillClimbing(beta_steps=0.05, beta_restarts=0.01, enumerate_up_to=None)
    steps, restarts = climbing.budget(16, 6)
    seen: list[Step] = []
    watched = climbing(objective, space, np.random.default_rng(0), seen.append)
    alone = climbing(objective, space, np.random.default_rng(0))
    assert [(s.restart, s.step) for s in seen] == [(r, t) for t in range(steps + 1) for r in range(restarts)]
    assert sum(step.accepted for step in seen) == restarts + watched.accepted  # the starts come first
    assert all(step.mask.sum() == 6 for step in seen)
    assert (watched.masks == alone.masks).all()
    # A replay of what was seen: an accepted step never has a lower score than the one accepted before it.
    for restart in range(restarts):
        scores = [step.score for step in seen if step.restart == restart and step.accepted]
        assert scores == sorted(scores)


PROGRAM = """
import sys
from tersely import load
text = "A container ship ran aground early Tuesday at the entrance to a new port in Cuba but there were no casualties"
summarizer = load(sys.argv[1])
for search in ("hill_climbing", "annealing"):
    for seed in (0, 1):
        summary = summarizer(text, words=7, search=search, seed=seed)
        print(search, seed, summary.kept, summary.score, summary.evaluations)
"""


@pytest.mark.slow
def test_the_number_of_threads_changes_nothing(tiny_bundle: Path) -> None:
    outputs = []
    for threads in ("1", "2"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        command = [sys.executable, "-c", PROGRAM, str(tiny_bundle)]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 4
