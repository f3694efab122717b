"""Limits, sentences and all lengths on the command line; `tests/test_cli.py` has the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tersely.cli import main

SHIP = "The ship ran aground, he said, early Tuesday"
TWO = "The ship ran aground. Nobody said it sank."
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tiny_bundle: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        code = main(["--bundle", str(tiny_bundle), *map(str, arguments)])
        return code, *capsys.readouterr()

    return call


def test_sentences_of_a_line(run: Run) -> None:
    code, out, err = run("--words", 2, "--split", TWO)
    assert (code, len(out.splitlines()), err) == (0, 2, "")
    assert run("--words", 4, "--lead", TWO) == (0, "The ship ran aground.\n", "")
    code, out, err = run("--words", 4, TWO)
    assert (code, len(out.splitlines())) == (0, 1)
    assert err == (
        "tersely: several sentences in one line are shortened as one: --split shortens each, --lead the first\n"
    )


def test_the_warning_comes_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lines").write_text(f"{SHIP}\n{TWO}\n{TWO}\n")
    code, out, err = run("--words", 2, tmp_path / "lines")
    assert (code, len(out.splitlines()), err.count("several sentences")) == (0, 3, 1)
    assert "line 2: several" in err


def test_limits(run: Run) -> None:
    assert len(run("--chars", 12, SHIP)[1].rstrip("\n")) <= 12
    assert len(run("--bytes", 12, SHIP)[1].rstrip("\n").encode()) <= 12
    assert 2 <= len(run("--words", "2-4", SHIP)[1].split()) <= 4
    assert run("--chars", 1, SHIP)[2].endswith("too small for any word: the smallest possible is 2\n")


def test_all_lengths(run: Run) -> None:
    code, out, _ = run("--words", 4, "--all-lengths", SHIP)
    assert (code, [len(line.split()) for line in out.splitlines()]) == (0, [1, 2, 3, 4])
    code, out, _ = run("--chars", 20, "--all-lengths", SHIP)
    sizes = [len(line) for line in out.splitlines()]
    assert code == 0
    assert sizes == sorted(set(sizes))
    assert len(sizes) > 2
    assert sizes[-1] <= 20
