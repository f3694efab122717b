"""A run that is killed or interrupted ends with the bundle that it would have made anyway."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from training_toys import articles, titles, write

from tersely.bundle.bundle import open_bundle
from tersely.errors import TerselyError
from tersely.training.build import build
from tersely.training.corpus import CorpusFile
from tersely.training.lm import LmTrainer
from tersely.training.plan import Plan
from tersely.training.recipes import override, recipe

# Some hundred steps of a few milliseconds, a checkpoint every 0.3 seconds.
SETTINGS = {"tokens": "60000", "batch": "128", "checkpoint_minutes": "0.005", "head": "5", "negatives": "5"}


def start(folder: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tersely", "train", "--recipe", "tiny", "--out", str(folder / "bundle")]
    command += [f"--{name.replace('_', '-')}={value}" for name, value in SETTINGS.items()] + list(more)
    command += ["--titles", str(folder / "titles.txt"), "--articles", str(folder / "articles.txt")]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not path.exists():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def steps_saved(folder: Path) -> int:
    return int(torch.load(folder / "bundle.run" / "forward-backward.pt", weights_only=True)["spent"]["n_steps"])


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / name for name in ("whole", "hurt")]
    for folder in made:
        folder.mkdir()
        write(folder / "titles.txt", titles(300))
        write(folder / "articles.txt", articles(100))
    return made


@pytest.mark.slow
def test_kills_lose_nothing_after_the_last_checkpoint(folders: list[Path]) -> None:
    whole, hurt = folders
    corpora = {name: (CorpusFile(whole / f"{name}.txt"),) for name in ("titles", "articles")}
    build(Plan(whole / "bundle", whole / "run", override(recipe("tiny"), SETTINGS), **corpora), lambda line: None)
    rng = np.random.default_rng(1)
    saved = 0
    for _ in range(2):
        process = start(hurt)
        wait_for(hurt / "bundle.run" / "forward-backward.pt", process)
        time.sleep(rng.uniform(0, 1))
        process.kill()
        process.wait()
        assert steps_saved(hurt) >= saved
        saved = steps_saved(hurt)
    process = start(hurt)
    _, said = process.communicate()
    assert process.returncode == 0, said
    resumed = re.search(r"resumes at step ([\d,]+)", said)
    assert resumed, said
    assert int(resumed[1].replace(",", "")) == saved
    one, other = open_bundle(whole / "bundle"), open_bundle(hurt / "bundle")
    assert one.tensors.keys() == other.tensors.keys()
    for name in one.tensors:
        assert np.array_equal(one.tensors[name], other.tensors[name]), name


@pytest.mark.slow
@pytest.mark.parametrize(("number", "shared"), [(signal.SIGINT, "yes"), (signal.SIGTERM, "no")], ids=["Ctrl-C", "kill"])
def test_an_interrupted_run_saves_and_says_how_to_go_on(folders: list[Path], number: int, shared: str) -> None:
    folder = folders[1]
    names = ["forward-backward.pt"] if shared == "yes" else ["forward.pt", "backward.pt"]
    process = start(folder, "--shared", shared, "--processes", "2", "--tokens", "100000000")
    for name in names:
        wait_for(folder / "bundle.run" / name, process)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.count("stopped and saved at step") == len(names)
    assert "the same command resumes" in said.splitlines()[-1]
    assert not list((folder / "bundle.run").glob("*.partial"))


def test_a_direction_that_fails_stops_the_other(
    tmp_path: Path, corpora: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = LmTrainer.step

    def failing(trainer: LmTrainer, progress: float) -> float:
        if trainer.name == "backward":
            raise TerselyError("the loss is nan")
        return step(trainer, progress)

    monkeypatch.setattr(LmTrainer, "step", failing)
    settings = override(recipe("tiny"), {**SETTINGS, "shared": "no", "tokens": "100000000"})
    sides = {"titles": (CorpusFile(corpora[0]),), "articles": (CorpusFile(corpora[1]),)}
    lines: list[str] = []
    with pytest.raises(TerselyError, match="the loss is nan"):
        build(Plan(tmp_path / "bundle", tmp_path / "run", settings, processes=2, **sides), lines.append)
    assert any(line.startswith("forward: stopped and saved at step") for line in lines)
