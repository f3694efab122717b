from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from training_toys import titles, write  # noqa: E402

from tersely.cli import main  # noqa: E402
from tersely.errors import InputError  # noqa: E402
from tersely.training.corpus import choose_vocabulary, encode_lines  # noqa: E402
from tersely.training.device import chosen_device  # noqa: E402
from tersely.training.export import lm_tensors  # noqa: E402
from tersely.training.lm import DIRECTIONS, Trainer  # noqa: E402
from tersely.training.lm_network import Tables  # noqa: E402
from tersely.training.recipes import recipe  # noqa: E402
from tersely.training.run import measure_all  # noqa: E402

VARIANTS = {
    "default": {},
    "as the paper": {
        "tied": False,
        "layers": 2,
        "layer_norm": True,
        "dropout": 0.1,
        "optimizer": "sgd",
        "negatives": 0,
    },
}


class InThisThread:
    """In the place of the trainer's threads: a default device holds for one thread only."""

    map = staticmethod(map)


def trainer(changes: dict[str, object]) -> Trainer:
    encoded = encode_lines([title.encode() for title in titles(50)])
    vocabulary = choose_vocabulary([encoded], [1.0], size=100, min_count=1)
    settings = replace(recipe("tiny"), head=5, negatives=5)
    return Trainer(
        [encoded.remap(vocabulary)], [1.0], len(vocabulary), replace(settings, **changes), directions=DIRECTIONS
    )


def machine(monkeypatch: pytest.MonkeyPatch, *, cuda: bool, mps: bool) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    ("cuda", "mps", "auto"), [(True, False, "cuda"), (False, True, "mps"), (True, True, "cuda"), (False, False, "cpu")]
)
def test_auto_takes_an_accelerator_that_is_there(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, auto: str
) -> None:
    machine(monkeypatch, cuda=cuda, mps=mps)
    assert chosen_device("auto").type == auto
    assert chosen_device("cpu").type == "cpu"


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    machine(monkeypatch, cuda=False, mps=False)
    with pytest.raises(InputError, match=f"this machine has no {name}, .*: give --device cpu"):
        chosen_device(name)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_nothing_is_made_on_another_device_than_the_chosen_one(changes: dict[str, object]) -> None:
    """With another default device, a tensor that was made without naming its device would not fit the others."""
    made = trainer(changes)
    made.threads = InThisThread()  # type: ignore[assignment]
    with torch.device("meta"):
        made.step(0.0)
        qualities = measure_all(made, made.batches.corpora[0])
        lm_tensors(made.networks)
    assert all(1 < quality.perplexity < 1000 for quality in qualities.values())


def test_the_first_vectors_are_drawn_on_the_cpu() -> None:
    with torch.device("meta"):
        drawn = Tables(7, recipe("tiny")).embedding.rows
    assert drawn.device.type == "cpu"


def test_the_command_names_a_missing_accelerator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(monkeypatch, cuda=False, mps=False)
    path = write(tmp_path / "t.txt", titles(300))
    assert main(f"train --recipe tiny --device cuda --titles {path} --out {tmp_path / 'mine'}".split()) == 1
    assert "this machine has no cuda" in capsys.readouterr().err
