"""The command as a person meets it: a bundle and sentences in, the bundle with its fast path out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import write_tiny_bundle
from tiny_bundle import WORDS
from training_toys import write

from tersely.bundle import open_bundle
from tersely.cli import main
from tersely.summarizer import Summarizer

pytest.importorskip("torch")


def sentences(count: int) -> list[str]:
    rng = np.random.default_rng(4)
    return [" ".join(rng.choice(WORDS, 12)) + "." for _ in range(count)]


@pytest.fixture(scope="module")
def distilled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run to the end, on a bundle without a selector."""
    folder = tmp_path_factory.mktemp("distill")
    plain = write_tiny_bundle(folder / "plain", selector=False)
    text = write(folder / "news.txt", sentences(90))
    command = f"distill --bundle {plain} --sentences {text} --objectives paper --count 80 --out {folder}/fast"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tersely.training.distill.ROUNDS", 2)
        patch.setattr("tersely.training.guide.STEPS", 20)
        assert main(command.split()) == 0
    return folder


def test_the_new_bundle_is_fast_and_else_the_same(distilled: Path) -> None:
    plain, fast = open_bundle(distilled / "plain"), open_bundle(distilled / "fast")
    assert fast.description["selector"]["objectives"] == ["paper"]
    assert fast.description["selector"]["lessons"] > 50
    assert fast.description["selector"]["sentences"] == ["news"]
    assert "## The fast path" in fast.card
    for name, tensor in plain.tensors.items():
        np.testing.assert_array_equal(fast.tensors[name], tensor)
    assert len(Summarizer(fast)(sentences(1)[0], words=5, fast=True).split()) == 5


def test_the_same_command_has_nothing_left_to_do(distilled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"distill --bundle {distilled}/plain --sentences {distilled}/news.txt --objectives paper --count 80"
    before = open_bundle(distilled / "fast").signature
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tersely.training.distill.ROUNDS", 2)
        patch.setattr("tersely.training.lessons.teach", lambda *_: pytest.fail("it searched again"))
        assert main([*command.split(), "--out", f"{distilled}/fast"]) == 0
    assert open_bundle(distilled / "fast").signature == before
    assert capsys.readouterr().out == f"{distilled}/fast\n"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--objectives", "telegraph"], "the bundle has no objective 'telegraph'"),
        (["--count", "7"], "a selector needs 50 sentences at least, not 7"),
        (["--workers", "0"], "workers must be a whole number of at least 1"),
        ([], "only 3 sentences of a usual length in the files: give more text"),
    ],
)
def test_bad_usage_is_one_line(
    tiny_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    text = write(tmp_path / "news.txt", sentences(3))
    command = ["distill", "--bundle", str(tiny_bundle), "--sentences", str(text), "--out", str(tmp_path / "fast")]
    assert main([*command, *(["--objectives", "paper"] if "--objectives" not in more else []), *more]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"tersely: {message}")
    assert said.count("\n") == 1


def test_a_bundle_without_a_parser_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = write_tiny_bundle(tmp_path / "plain", parser=False)
    text = write(tmp_path / "news.txt", sentences(3))
    command = f"distill --bundle {plain} --sentences {text} --out {tmp_path}/fast --objectives paper"
    assert main(command.split()) == 1
    assert "has no parser" in capsys.readouterr().err
