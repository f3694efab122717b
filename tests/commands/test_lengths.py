"""Limits, sentences and all lengths on the command line; `tests/test_cli.py` has the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tersely.cli import main

SHIP = "The ship ran aground, he said, early Tuesday"
TWO = "The ship ran aground. There were no casualties."
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
    assert err.startswith("tersely: several sentences")
    assert err.count("\n") == 1


def test_split_keeps_a_word_in_the_sentences_that_have_it(run: Run, tmp_path: Path) -> None:
    code, out, err = run("--words", 2, "--split", "--keep", "ship", TWO)
    assert (code, len(out.splitlines()), err) == (0, 2, "")
    assert "ship" in out.splitlines()[0].lower()
    code, out, err = run("--words", 2, "--split", "--keep", "minister", TWO)
    assert (code, out, "no sentence" in err) == (1, "", True)
    (tmp_path / "lines").write_text(f"{TWO}\n\nNo people. No storm.\n")
    code, out, err = run("--words", 2, "--split", "--keep", "ship", tmp_path / "lines")
    assert (code, [bool(line) for line in out.split("\n")]) == (1, [True, True, False, False, False])
    assert "line 3: cannot keep 'ship'" in err


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


def test_two_limits(run: Run) -> None:
    out = run("--words", 3, "--chars", 12, SHIP)[1].rstrip("\n")
    assert len(out) <= 12
    assert len(out.split()) <= 3
    assert run("--words", 3, "--chars", 12, "--bytes", 12, SHIP)[0] == 1


def test_check_changes_nothing_and_says_what_is_over(run: Run, tmp_path: Path) -> None:
    assert run("--check", "--words", 8, SHIP) == (0, "", "")
    assert run("--check", "--split", "--words", max(map(len, map(str.split, TWO.split(". ")))), TWO)[0] == 0
    assert run("--check", "--words", 5, "--chars", 60, SHIP) == (1, "8 words, the limit is 5 words\n", "")
    (tmp_path / "lines").write_text(f"A ship\n{SHIP}\n")
    code, out, _ = run("--check", "--chars", 20, tmp_path / "lines")
    assert (code, out.count("\n")) == (1, 1)
    assert "line 2: 44 characters, the limit is 20 characters" in out


def test_diff_shows_what_was_dropped(run: Run) -> None:
    out = run("--diff", "--words", 3, "--keep", "ship ran aground", SHIP)[1]
    assert out == "ship ran aground\n  [-The-] ship ran aground, [-he-] [-said-], [-early-] [-Tuesday-]\n"


def test_warnings_are_in_the_json(run: Run) -> None:
    assert json.loads(run("--json", "--words", 2, TWO)[1])["warnings"][0].startswith("several sentences")
    html = run("--html", "--words", 9, "<p>The ship &amp; port</p>")
    assert html == (0, "The ship & port\n", "")
