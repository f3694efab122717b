"""`tersely learn` as a command: what it prints and what it refuses."""

from __future__ import annotations

import pytest
from learning_toys import shortenings, write_pairs

from tersely.bundle.bundle import open_bundle
from tersely.cli import main


def test_learns_and_says_so(tiny_bundle, tmp_path, capsys):
    pairs = write_pairs(tmp_path / "edits.jsonl")
    out = tmp_path / "learned"
    assert main(["learn", str(pairs), "--bundle", str(tiny_bundle), "--out", str(out), "--rounds", "1"]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{out}\n"
    assert "shortenings are few" in printed.err
    assert "editor: before, held out: token F1" in printed.err
    assert "learned from" in open_bundle(out).card
    assert main(["info", "--bundle", str(out)]) == 0
    assert "editor      learned from the shortenings of" in capsys.readouterr().out


def test_a_row_that_is_not_a_deletion(tiny_bundle, tmp_path, capsys):
    pairs = write_pairs(tmp_path / "edits.jsonl", [*shortenings()[:3], {"text": "The ship sank", "short": "Boat sank"}])
    assert main(["learn", str(pairs), "--bundle", str(tiny_bundle), "--out", str(tmp_path / "b")]) == 1
    error = capsys.readouterr().err
    assert "edits.jsonl, line 4: 'Boat sank' is not the text with words deleted" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("options", [["--rounds", "0"], ["--hours", "-1"], ["--encoder", "nowhere"]])
def test_wrong_options(tiny_bundle, tmp_path, capsys, options):
    pairs = write_pairs(tmp_path / "edits.jsonl")
    assert main(["learn", str(pairs), "--bundle", str(tiny_bundle), "--out", str(tmp_path / "b"), *options]) == 1
    assert options[0] in capsys.readouterr().err
