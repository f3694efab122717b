from __future__ import annotations

from pathlib import Path

import pytest
from evaluation_toys import DATASET

from tersely.bundle.objectives import PAPER
from tersely.errors import BundleError, InputError
from tersely.evaluation.specs import parse_system
from tersely.evaluation.systems import Output, Resources


def test_a_bundle_is_opened_once_and_only_when_needed(tmp_path: Path, tiny_bundle: Path) -> None:
    missing = Resources(str(tmp_path / "nowhere"))
    with pytest.raises(BundleError, match="no bundle"):
        _ = missing.summarizer
    found = Resources(str(tiny_bundle))
    assert found.summarizer is found.summarizer
    assert found.objectives.named["paper"] == PAPER
    assert found.identity.startswith("tiny@")


def test_workers_give_the_same_outputs_in_the_same_order(tiny_bundle: Path) -> None:
    def outputs(workers: int, start: int = 0) -> list[Output]:
        system = parse_system("paper:words=3", Resources(str(tiny_bundle), workers))
        found = list(system.outputs(DATASET, start))
        assert all(output.seconds for output in found)
        return [output._replace(seconds=None) for output in found]

    assert outputs(2) == outputs(1)
    assert outputs(2, start=1) == outputs(1)[1:]


def test_workers_are_handed_on_to_other_bundles(tiny_bundle: Path) -> None:
    assert Resources(workers=3).of_bundle(str(tiny_bundle)).workers == 3
    with pytest.raises(InputError, match="workers must be a whole number of at least 1, not 0"):
        Resources(workers=0)
