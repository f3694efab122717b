"""The command as a person meets it: weights in the bundle, or in a file, and one line for what does not work."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tiny_bundle import write_tiny_bundle

from tersely.bundle import open_bundle
from tersely.cli import main
from tersely.summarizer import Summarizer

SOURCES = ["the german ship ran aground at the french port .", "a storm killed people in cuba on tuesday ."]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_tiny_bundle(tmp_path / "bundle")


@pytest.fixture
def headlines(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    (data / "input.txt").write_text("\n".join(SOURCES * 2) + "\n")
    (data / "task1_ref0.txt").write_text("german ship aground\nstorm killed people\n" * 2)
    return data


def deletions(path: Path, sources: list[str]) -> Path:
    rows = [{"text": text, "summaries": [" ".join(text.split()[1:6])]} for text in sources * 2]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return path


def tune(data: Path, bundle: Path, *arguments: str) -> int:
    return main(["tune", str(data), "--bundle", str(bundle), *arguments])


def test_headline_becomes_the_default(bundle: Path, headlines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tune(headlines, bundle, "--objective", "headline", "--words", "3") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("start: fluency 1, similarity 25")
    assert [line.split(":")[0] for line in out if not line.startswith(" ")] == [
        "start",
        "round 1",
        "round 2",
        "headline",
    ]
    assert sum(line.startswith("  held out  ") and line.count("/") == 2 for line in out) == 3
    assert open_bundle(bundle).description["objectives"]["headline"]["fluency"] == 1.0
    assert "clauses" not in open_bundle(bundle).objectives["headline"]
    summarizer = Summarizer.load(bundle)
    assert summarizer.default_objective == "headline"
    assert "|objective:headline(" in summarizer(SOURCES[0], words=3, pretokenized=True).signature


@pytest.mark.parametrize("sources", [SOURCES, [text.replace(" .", ".") for text in SOURCES]], ids=["tokens", "raw"])
def test_an_objective_of_ones_own(
    bundle: Path, tmp_path: Path, sources: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = deletions(tmp_path / "pairs.jsonl", sources)
    options = ["--objective", "mine", "--for", "deletions", "--rounds", "1", "--fixed", "clauses=2"]
    assert tune(data, bundle, *options, "--factors", "style", "--swap") == 0
    weights = open_bundle(bundle).objectives["mine"]
    assert list(weights) == ["fluency", "style", "clauses"]
    assert (weights["fluency"], weights["clauses"]) == (1, 2)
    assert len(Summarizer.load(bundle)(SOURCES[0], words=3, objective="mine").kept) == 3
    # Again, from there, into a file: the bundle stays as it is.
    before, file = (bundle / "bundle.json").read_bytes(), tmp_path / "weights.json"
    capsys.readouterr()
    assert tune(data, bundle, *options, "--out", str(file)) == 0
    assert capsys.readouterr().out.startswith(f"start: fluency 1, style {weights['style']:.3g}, clauses 2\n")
    found = json.loads(file.read_text())
    assert found["objective"] == "mine"
    assert list(found["held out"]["pairs"]) == ["token F1"]
    assert (bundle / "bundle.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--objective paper", "the weights of paper are the paper's: tune under another name"),
        ("--objective x --fixed style", "--fixed is FACTOR=WEIGHT, such as grammar=3, not 'style'"),
        ("--objective x --fixed fluency=2", "the weight of fluency is always 1: fix the others beside it"),
        ("--objective x --fixed style=nan", "the weight of style must be a finite number, not nan"),
        ("--objective x --fixed wit=2", "unknown factor 'wit': known are "),
        ("--objective x --factors fluency_forward", "the bundle cannot tune fluency_forward: it can tune fluency, "),
        ("--objective x --words 8 0", "--words is at least 1, not 0"),
        ("--objective x --words 99", "data has no two sources that leave words to choose: "),
    ],
)
def test_what_does_not_work_is_one_line(
    bundle: Path, headlines: Path, capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    assert tune(headlines, bundle, *arguments.split()) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"tersely: {message}")
    assert err.count("\n") == 1
    assert "objectives" not in open_bundle(bundle).description


def test_a_missing_extra_names_its_command(
    bundle: Path, headlines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    monkeypatch.delitem(sys.modules, "tersely.training.tune", raising=False)
    assert tune(headlines, bundle, "--objective", "x") == 1
    message = "this needs scipy, which is not installed: pip install 'tersely[train]'"
    assert capsys.readouterr().err == f"tersely: {message}\n"


def test_a_bundle_that_cannot_be_written_is_refused_at_once(
    bundle: Path, headlines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert tune(headlines, bundle, "--objective", "x") == 1
    assert f"{bundle} cannot be written: tune a copy of it, or give --out FILE" in capsys.readouterr().err
