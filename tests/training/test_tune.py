"""Tuning: the pool's arithmetic by hand, and a run on a tiny dataset that ends with weights in the bundle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import write_tiny_bundle

from tersely.bundle import open_bundle
from tersely.source import Source
from tersely.summarizer import Summarizer
from tersely.training.tune import FACTORS, Pool, PooledObjective, main, search_weights


def pool(rows: list[tuple[dict[str, float], float]]) -> Pool:
    """A pool whose candidates have these factors and this ROUGE."""
    empty = np.zeros(0, dtype=np.int64)
    made = Pool(Source((), empty, empty, empty), ("reference",), 1)
    for i, (factors, rouge) in enumerate(rows):
        made.features[bytes([i])] = np.array([factors.get(name, 0.0) for name in FACTORS])
        made.rouge[bytes([i])] = np.full(3, rouge)
    return made


POOLS = [
    pool([({"fluency": 1.0}, 0.2), ({"fluency": 0.5, "style": 1.0}, 0.6)]),
    pool([({"fluency": 1.0, "style": -1.0}, 0.3), ({"style": 0.2}, 0.5), ({"fluency": -9.0}, 1.0)]),
]


def test_the_best_candidates_under_some_weights() -> None:
    objective = PooledObjective(POOLS)
    assert objective.rouge({"fluency": 1.0})[0] == pytest.approx((0.2 + 0.3) / 2)
    assert objective.rouge({"fluency": 1.0, "style": 1.0})[0] == pytest.approx((0.6 + 0.5) / 2)
    assert objective.value({"fluency": 1.0}) == pytest.approx(4 * 0.25)  # R-1 + 2 R-2 + R-L


def test_the_search_finds_weights_that_choose_the_better_candidates() -> None:
    start = dict.fromkeys(FACTORS, 0.1) | {"fluency": 1.0}
    weights = search_weights(PooledObjective(POOLS), start, np.random.default_rng(0))
    assert weights["fluency"] == 1.0
    assert weights["style"] > 5 / 6  # 1 - 0.5 < style, and 1 < 1.2 style
    assert PooledObjective(POOLS).value(weights) == pytest.approx(4 * 0.55)


def test_a_run_stores_the_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    data = tmp_path / "data"
    data.mkdir()
    sources = ["the german ship ran aground at the french port .", "a storm killed people in cuba on tuesday ."] * 2
    (data / "input.txt").write_text("\n".join(sources) + "\n")
    (data / "task1_ref0.txt").write_text("german ship aground\nstorm killed people\n" * 2)
    main(["--dataset", str(data), "--bundle", str(bundle), "--words", "3", "--rounds", "2"])
    assert "held out" in capsys.readouterr().out
    stored = open_bundle(bundle).description["objectives"]["headline"]
    assert stored["fluency"] == 1.0
    summarizer = Summarizer.load(bundle)
    assert summarizer.default_objective == "headline"
    assert "|objective:headline(" in summarizer(sources[0], words=3, pretokenized=True).signature
