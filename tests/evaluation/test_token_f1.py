"""Agreement with shortenings by deletion, each at its own length."""

from __future__ import annotations

import json

import pytest
from learning_toys import write_pairs

from tersely.errors import InputError
from tersely.evaluation.datasets import read_dataset
from tersely.evaluation.systems import Resources
from tersely.evaluation.token_f1 import own_lengths

ROWS = [
    {"text": "The ship ran aground, authorities said.", "short": ["The ship ran aground", "The ship ran"]},
    {"text": "A storm killed people in Cuba.", "short": ["storm killed people", "A storm killed people in Cuba"]},
]


def test_lead_at_the_length_of_each_shortening(tmp_path):
    dataset = read_dataset(write_pairs(tmp_path / "edits.jsonl", ROWS))
    assert dataset.by_deletion
    found = own_lengths(dataset, "lead", Resources())
    assert found.n == 3  # the one that deletes nothing is left out
    assert found.identical == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx((1 + 1 + 2 / 3) / 3)


def test_nothing_deleted_is_refused(tmp_path):
    rows = [{"text": "It stays", "short": "It stays"}]
    with pytest.raises(InputError, match="shorter than its source"):
        own_lengths(read_dataset(write_pairs(tmp_path / "same.jsonl", rows)), "lead", Resources())


def test_the_command(tiny_bundle, tmp_path, tersely):
    path = write_pairs(tmp_path / "edits.jsonl", ROWS)
    arguments = ["evaluate", "--dataset", str(path), "--bundle", str(tiny_bundle), "--systems"]
    done = tersely(*arguments, "lead", "fast")
    assert done.stdout.startswith("lead  token F1 0.889, identical 66.7% of 3\nfast  token F1 ")
    assert json.loads(tersely(*arguments, "lead", "--json").stdout)["systems"]["lead"]["n"] == 3
    assert tersely(*arguments, "headline:words=8").returncode == 1
