"""Tuning: what is pooled, and the arithmetic of minimum risk training by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import write_tiny_bundle

from tersely.candidates.length import Budget
from tersely.evaluation.datasets import Example
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import Summarizer
from tersely.training.minimum_risk import PooledCandidates, percent
from tersely.training.pools import Pool, PoolMaker, fill, tunable

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


def test_minimum_risk_ends_at_the_same_weights_from_anywhere() -> None:
    """Thirty pools whose candidates are worth their style, less their position, and some luck."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(30):
        factors = [dict(zip(NAMES, rng.normal(size=len(NAMES)), strict=True)) for _ in range(20)]
        made.append(pool([(f, f["fluency"] + f["style"] - f["position"] + rng.normal()) for f in factors]))
    pooled = PooledCandidates(made, MEASURE, NAMES)
    starts = {"fluency": 1.0}, {"fluency": 1.0, "similarity": 9.0}, {"style": -1.0}
    found = [pooled.minimum_risk(start) for start in starts]
    for weights in found:
        assert weights == pytest.approx(found[0], abs=0.02)
        assert weights["style"] == pytest.approx(1, abs=0.3)
        assert weights["position"] == pytest.approx(-1, abs=0.3)
        assert abs(weights["similarity"]) < 0.3


def test_a_fixed_weight_stays_beside_a_fluency_of_one() -> None:
    """Thirty pools whose candidates are worth their fluency and twice their style, and some luck."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(30):
        factors = [dict(zip(NAMES, rng.normal(size=len(NAMES)), strict=True)) for _ in range(20)]
        made.append(pool([(f, f["fluency"] + 2 * f["style"] - f["position"] + rng.normal()) for f in factors]))
    weights = PooledCandidates(made, MEASURE, NAMES, {"style": 2.0}).minimum_risk({"fluency": 1.0})
    assert weights["style"] == 2.0
    assert weights["position"] == pytest.approx(-1, abs=0.3)
    kept = PooledCandidates(made, MEASURE, NAMES, {"style": 0.5})
    assert kept.minimum_risk({"fluency": 1.0})["style"] == 0.5
    assert (
        kept.tuned({"fluency": 1.0}).value
        == PooledCandidates(made, MEASURE, NAMES).tuned({"fluency": 1.0, "style": 0.5}).value
    )


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


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_tiny_bundle(tmp_path / "bundle")


def test_a_sentence_is_pooled_at_the_lengths_that_people_chose(bundle: Path) -> None:
    summarizer = Summarizer.load(bundle)
    names = tunable(summarizer.bundle)
    maker = PoolMaker(summarizer, names, pretokenized=True)
    pools = maker.deletions([Example(SOURCES[0], ("the ship ran aground .", "ship aground", SOURCES[0]))])
    assert [pool.size for pool in pools] == [4, 2]  # nothing was deleted in the third
    fill(summarizer, pools, [{"fluency": 1.0}])
    assert not any(pool.source._shared for pool in pools)  # LSTM states of thousands of sources would fill the memory
    kept = np.array([0, 0, 1, 0, 1, 0, 0, 0, 0], dtype=bool)
    objective = summarizer.bundle.objectives.objective(dict.fromkeys(names, 1.0))
    factors = objective.bind(pools[1].source, Budget.of_words(9, 2)).factors
    pools[1].add(kept[None], factors)
    assert pools[1].quality[kept.tobytes()].tolist() == [1.0]
    assert len(pools[1].features) == len(pools[1].quality) > 10


def test_a_headline_is_pooled_at_every_length_below_the_source(bundle: Path) -> None:
    maker = PoolMaker(Summarizer.load(bundle), ["fluency"], pretokenized=True, sizes=[3, 9])
    pools = maker.headlines([Example(SOURCES[0], ("german ship aground",))])
    assert [pool.size for pool in pools] == [3]
    words = pools[0].source.words
    assert pools[0].measure([words[1], words[2], words[4]]) == [1.0, 1.0, 1.0]
