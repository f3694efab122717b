"""Tuning: what is pooled, and the arithmetic of minimum risk training by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tersely.bundle.bundle import open_bundle
from tersely.candidates.length import Budget
from tersely.evaluation.datasets import Dataset, Example
from tersely.sentence.sentence import Sentence
from tersely.training.minimum_risk import PooledCandidates, percent
from tersely.training.pools import Pool, fill, tunable
from tersely.training.tune import GOALS, pools_of

SOURCES = ["the german ship ran aground at the french port .", "a storm killed people in cuba on tuesday ."]
NAMES = ("fluency", "similarity", "style", "position")
MEASURE = {"ROUGE-1": 1.0, "ROUGE-2": 2.0, "ROUGE-L": 1.0}


def pool(rows: list[tuple[dict[str, float], float]]) -> Pool:
    """A pool whose candidates have these factors and this ROUGE."""
    empty = np.zeros(0, dtype=np.int64)
    made = Pool(Sentence((), (), empty, empty, empty, empty), 1, lambda words: [], NAMES)
    for i, (factors, rouge) in enumerate(rows):
        made.features[bytes([i])] = np.array([factors.get(name, 0.0) for name in NAMES])
        made.quality[bytes([i])] = np.full(3, rouge)
    return made


POOLS = [
    pool([({"fluency": 1.0}, 0.2), ({"fluency": 0.5, "style": 1.0}, 0.6)]),
    pool([({"fluency": 1.0, "style": -1.0}, 0.3), ({"style": 0.2}, 0.5), ({"fluency": -9.0}, 0.1)]),
]


def test_the_best_candidates_under_some_weights() -> None:
    pooled = PooledCandidates(POOLS, MEASURE, NAMES)
    assert pooled.tuned({"fluency": 1.0}).measured[""]["ROUGE-1"] == pytest.approx((0.2 + 0.3) / 2)
    assert pooled.tuned({"fluency": 1.0, "style": 1.0}).measured[""]["ROUGE-1"] == pytest.approx((0.6 + 0.5) / 2)
    assert pooled.tuned({"fluency": 1.0}).value == pytest.approx(4 * 0.25)  # R-1 + 2 R-2 + R-L


def test_minimum_risk_finds_weights_that_choose_the_better_candidates() -> None:
    weights = PooledCandidates(POOLS, MEASURE, NAMES).minimum_risk({"fluency": 1.0, "style": 0.1})
    assert weights["fluency"] == 1.0
    assert weights["style"] > 5 / 6  # 1 - 0.5 < style, and 1 < 1.2 style
    assert weights["position"] == 0  # all candidates are alike in it
    assert PooledCandidates(POOLS, MEASURE, NAMES).tuned(weights).value == pytest.approx(4 * 0.55)


def drawn(style: float) -> list[Pool]:
    """Thirty pools whose candidates are worth their fluency, so much of their style, less their position."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(30):
        factors = [dict(zip(NAMES, rng.normal(size=len(NAMES)), strict=True)) for _ in range(20)]
        worth = [f["fluency"] + style * f["style"] - f["position"] + rng.normal() for f in factors]
        made.append(pool(list(zip(factors, worth, strict=True))))
    return made


def test_minimum_risk_ends_at_the_same_weights_from_anywhere() -> None:
    pooled = PooledCandidates(drawn(style=1), MEASURE, NAMES)
    starts = {"fluency": 1.0}, {"fluency": 1.0, "similarity": 9.0}, {"style": -1.0}
    found = [pooled.minimum_risk(start) for start in starts]
    for weights in found:
        assert weights == pytest.approx(found[0], abs=0.02)
        assert weights == pytest.approx({"fluency": 1, "similarity": 0, "style": 1, "position": -1}, abs=0.3)


def test_a_fixed_weight_stays_beside_a_fluency_of_one() -> None:
    made = drawn(style=2)
    for fixed in (2.0, 0.5):
        pooled = PooledCandidates(made, MEASURE, NAMES, {"style": fixed})
        assert pooled.minimum_risk({"fluency": 1.0})["style"] == fixed
        free = PooledCandidates(made, MEASURE, NAMES)
        assert pooled.tuned({"fluency": 1.0}).value == free.tuned({"fluency": 1.0, "style": fixed}).value


def test_datasets_count_alike_whatever_their_sizes() -> None:
    few = replace(pool([({"fluency": 1.0}, 0.2), ({"style": 2.0}, 0.6)]), dataset="few")
    many = [replace(pool([({"fluency": 1.0}, 0.4), ({"style": 2.0}, 0.3)]), dataset="many") for _ in range(9)]
    tuned = PooledCandidates([few, *many], MEASURE, NAMES).tuned({"style": 1.0})
    assert {name: figures["ROUGE-2"] for name, figures in tuned.measured.items()} == pytest.approx(
        {"few": 0.6, "many": 0.3}
    )
    assert tuned.value == pytest.approx(4 * (0.6 + 0.3) / 2)
    assert percent(tuned) == "few 60.00 / 60.00 / 60.00, many 30.00 / 30.00 / 30.00"
    # The few gain 0.4 by style, the many lose 0.1.
    assert PooledCandidates([few, *many], MEASURE, NAMES).minimum_risk({"fluency": 1.0})["style"] > 0.5


def test_a_sentence_is_pooled_at_the_lengths_that_people_chose(tiny_bundle: Path) -> None:
    bundle = open_bundle(tiny_bundle)
    names = tunable(bundle)
    references = ("the ship ran aground .", "ship aground", SOURCES[0])  # nothing is deleted in the third
    dataset = Dataset("toy", (Example(SOURCES[0], references),), pretokenized=True)
    pools = pools_of(bundle, dataset, names, GOALS["deletions"])
    assert [pool.size for pool in pools] == [4, 2]
    fill(bundle, pools, [{"fluency": 1.0}])
    assert not any(pool.source._shared for pool in pools)  # LSTM states of thousands of sources would fill the memory
    kept = np.array([0, 0, 1, 0, 1, 0, 0, 0, 0], dtype=bool)
    objective = bundle.objectives.objective(dict.fromkeys(names, 1.0))
    pools[1].add(kept[None], objective.bind(pools[1].source, Budget.of_words(9, 2)).factors)
    assert pools[1].quality[kept.tobytes()].tolist() == [1.0]
    assert len(pools[1].features) == len(pools[1].quality) > 10


def test_a_headline_is_pooled_at_every_length_below_the_source(tiny_bundle: Path) -> None:
    dataset = Dataset("toy", (Example(SOURCES[0], ("german ship aground",)),), pretokenized=True)
    pools = pools_of(open_bundle(tiny_bundle), dataset, ["fluency"], GOALS["headlines"], [3, 9])
    assert [pool.size for pool in pools] == [3]
    words = pools[0].source.words
    assert pools[0].measure([words[1], words[2], words[4]]) == [1.0, 1.0, 1.0]
