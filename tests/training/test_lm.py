from __future__ import annotations

import errno
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from training_toys import titles

from tersely.errors import FileError, InputError, TerselyError
from tersely.text.vocabulary import BEGIN_ID, END_ID, Vocabulary
from tersely.training.corpus import Encoded, choose_vocabulary, encode_lines
from tersely.training.export import lm_tensors
from tersely.training.lm import DIRECTIONS, LmTrainer, word_counts
from tersely.training.lm_network import Tables
from tersely.training.recipes import Recipe, recipe
from tersely.training.run import Stopped, run
from tersely.training.train_lms import chosen_device
from tersely.training.validate import measure_all

TINY = replace(recipe("tiny"), tokens=20_000, head=5, negatives=5)


def data() -> tuple[Encoded, Vocabulary]:
    encoded = encode_lines([title.encode() for title in titles(400)])
    vocabulary = choose_vocabulary([encoded], [1.0], size=100, min_count=1)
    return encoded.remap(vocabulary), vocabulary


def trainer(settings: Recipe, *, directions: tuple[str, ...] = DIRECTIONS, checkpoint: Path | None = None) -> LmTrainer:
    corpus, vocabulary = data()
    return LmTrainer([corpus], [1.0], len(vocabulary), settings, directions=directions, checkpoint=checkpoint)


def train(made: LmTrainer) -> LmTrainer:
    run(made, hours=None, log=lambda line: None)
    return made


def weights(made: LmTrainer) -> dict[str, torch.Tensor]:
    parameters = {f"{d}.{name}": p for d, network in made.networks.items() for name, p in network.named_parameters()}
    biases = {f"{d}.output bias": network.bias.rows for d, network in made.networks.items()}
    return {**parameters, **biases, "embedding": made.tables.embedding.rows, "output": made.tables.output.rows}


VARIANTS = {
    "shared": {},
    "untied": {"tied": False},
    "deep and normalised": {"layers": 2, "layer_norm": True, "dropout": 0.1},
    "whole softmax": {"negatives": 0},
    "sgd": {"optimizer": "sgd", "rate": 0.2, "warmup": 0.0, "negatives": 0, "penalty": 0.0, "tokens": 60_000},
}


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_it_learns_the_grammar(changes: dict[str, object]) -> None:
    # 4 ships, 4 places, 3 ends and four sure things: the best perplexity, end symbol counted, is (4 4 3)^(1/7) = 1.74.
    made = train(trainer(replace(TINY, **changes)))
    for quality in measure_all(made.networks, data()[0]).values():
        assert 1.7 < quality.perplexity < 2.2
        assert quality.abs_log_z < 0.3 or made.recipe.optimizer == "sgd"


def test_the_same_seed_gives_the_same_weights() -> None:
    settings = replace(TINY, tokens=3_000, dropout=0.2)
    first, second, other = train(trainer(settings)), train(trainer(settings)), train(trainer(replace(settings, seed=2)))
    for name, tensor in weights(first).items():
        assert torch.equal(tensor, weights(second)[name]), name
    assert not torch.equal(weights(first)["embedding"], weights(other)["embedding"])


def test_a_stopped_run_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    settings = replace(TINY, tokens=4_000)
    whole = train(trainer(settings))
    path = tmp_path / "state.pt"
    for n_steps in (3, 4, 1):
        countdown = iter([False] * (n_steps - 1) + [True])
        with pytest.raises(Stopped):
            run(trainer(settings, checkpoint=path), hours=None, log=print, stop=partial(next, countdown))
    resumed = trainer(settings, checkpoint=path)
    assert resumed.spent.n_steps == 8
    train(resumed)
    assert resumed.spent.n_steps == whole.spent.n_steps
    for name, tensor in weights(whole).items():
        assert torch.equal(tensor, weights(resumed)[name]), name


def test_the_rate_rises_then_falls_to_zero() -> None:
    made = trainer(replace(TINY, warmup=0.1, rate=1.0))
    rates = [made._rate(progress) for progress in (0, 0.05, 0.1, 0.5, 1)]
    assert rates == pytest.approx([0, 0.475, 0.9, 0.5, 0], abs=2e-3)


def test_the_end_of_the_budget_reads_more_of_the_nearest_corpus() -> None:
    corpus, vocabulary = data()
    made = LmTrainer([corpus] * 3, [1, 4, 2], len(vocabulary), replace(TINY, finish=0.25), directions=DIRECTIONS)
    assert made._weights(0.7) == [1, 4, 2]
    assert made._weights(0.8) == pytest.approx([1 / 14, 11 / 14, 2 / 14])


def test_a_loss_that_runs_away_is_one_clear_line() -> None:
    made = trainer(replace(TINY, rate=1e9, warmup=0.0))
    with pytest.raises(TerselyError, match="smaller rate"):
        train(made)


def test_word_counts_are_shares_of_the_stream() -> None:
    one = Encoded(np.array([3, 3, 3], np.int32), np.array([0, 3]))
    two = Encoded(np.array([4, 4, 4] * 10, np.int32), np.arange(0, 31, 3))
    counts = word_counts([one, two], [3.0, 1.0], 5)
    assert counts[3] == pytest.approx(3 * counts[4])
    assert counts[END_ID] == pytest.approx((counts[3] + counts[4]) / 3)
    assert counts[BEGIN_ID] == 0


def test_a_checkpoint_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.pt"
    made = trainer(TINY, checkpoint=path)
    made.step(0.0)
    made.save()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    made.step(0.0)
    with pytest.raises(FileError, match="No space left"):
        made.save()
    assert trainer(TINY, checkpoint=path).spent.n_steps == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damage", ["cut", "no networks", "other sizes"])
def test_a_damaged_checkpoint_is_one_clear_line(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "state.pt"
    trainer(replace(TINY, hidden=25) if damage == "other sizes" else TINY, checkpoint=path).save()
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:200])
    elif damage == "no networks":
        torch.save({"spent": {}}, path)
    with pytest.raises(FileError, match=r"cannot read the checkpoint .*delete it to begin again") as caught:
        trainer(TINY, checkpoint=path)
    assert "\n" not in str(caught.value)


# The device


class InThisThread:
    """In the place of the trainer's threads: a default device holds for one thread only."""

    map = staticmethod(map)


@pytest.mark.parametrize(
    ("cuda", "mps", "auto"), [(True, False, "cuda"), (False, True, "mps"), (True, True, "cuda"), (False, False, "cpu")]
)
def test_auto_takes_an_accelerator_that_is_there(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, auto: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert chosen_device("auto").type == auto
    assert chosen_device("cpu").type == "cpu"
    if not cuda:
        with pytest.raises(InputError, match="this machine has no cuda"):
            chosen_device("cuda")


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_nothing_is_made_on_another_device_than_the_chosen_one(changes: dict[str, object]) -> None:
    """With another default device, a tensor that was made without naming its device would not fit the others."""
    made = trainer(replace(TINY, **changes))
    made.threads = InThisThread()
    with torch.device("meta"):
        made.step(0.0)
        qualities = measure_all(made.networks, made.batches.corpora[0])
        lm_tensors(made.networks)
        assert Tables(7, TINY).embedding.rows.device.type == "cpu"  # drawn there, the same on every device
    assert all(1 < quality.perplexity < 1000 for quality in qualities.values())
