"""The command as a person meets it: a bundle with new weights, and one line for what does not work."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tiny_bundle import write_tiny_bundle

from tersely.bundle.bundle import open_bundle
from tersely.cli import main
from tersely.summary.summarizer import Summarizer
from tersely.training.minimum_risk import Tuned

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


def tune(data: Path, bundle: Path, *arguments: str, out: str = "tuned") -> int:
    return main(["tune", str(data), "--bundle", str(bundle), "--out", str(bundle.with_name(out)), *arguments])


def test_headline_becomes_the_default(bundle: Path, headlines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (bundle / "bundle.json").read_bytes()
    assert tune(headlines, bundle, "--objective", "headline", "--words", "3") == 0
    out, err = capsys.readouterr()
    assert out.startswith("start: fluency 1, similarity 25")
    heads = [line.split(":")[0] for line in out.splitlines() if not line.startswith(" ")]
    assert heads == ["start", "round 1", "round 2", "headline"]
    assert sum(line.startswith("  held out  ") and line.count("/") == 2 for line in out.splitlines()) == 3
    assert "warning: only 2 summaries to choose by" in err
    tuned = bundle.with_name("tuned")
    stored = open_bundle(tuned)
    assert (stored.description["name"], stored.objectives.default) == ("tuned", "headline")
    assert stored.description["objectives"]["headline"]["fluency"] == 1.0
    assert "clauses" not in stored.objectives.named["headline"]
    assert "|objective:headline(" in Summarizer(stored)(SOURCES[0], words=3, pretokenized=True).signature
    assert (bundle / "bundle.json").read_bytes() == before


@pytest.mark.parametrize("sources", [SOURCES, [text.replace(" .", ".") for text in SOURCES]], ids=["tokens", "raw"])
def test_an_objective_of_ones_own(
    bundle: Path, tmp_path: Path, sources: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = deletions(tmp_path / "pairs.jsonl", sources)
    options = ["--objective", "mine", "--for", "deletions", "--rounds", "1", "--fixed", "clauses=2"]
    assert tune(data, bundle, *options, "--factors", "style", "--swap") == 0
    tuned = bundle.with_name("tuned")
    weights = open_bundle(tuned).objectives.named["mine"]
    assert list(weights) == ["fluency", "style", "clauses"]
    assert (weights["fluency"], weights["clauses"]) == (1, 2)
    assert len(Summarizer.load(tuned)(SOURCES[0], words=3, objective="mine").kept) == 3
    capsys.readouterr()
    assert tune(data, tuned, *options, out="again") == 0  # from there
    assert capsys.readouterr().out.startswith(f"start: fluency 1, style {weights['style']:.3g}, clauses 2\n")


def test_where_nothing_is_better_nothing_is_written(
    tmp_path: Path, headlines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Weights twice as large are the same weights."""
    weights = {"fluency": 2.0, "style": 3.0, "clauses": 1.0, "use": 5.0}
    bundle = write_tiny_bundle(tmp_path / "bundle", objectives={"headline": weights})
    worse = {"fluency": 1.0, "style": -9.0, "similarity": -9.0, "position": -9.0}
    monkeypatch.setattr("tersely.training.tune.PooledCandidates.minimum_risk", lambda self, start: worse)
    assert tune(headlines, bundle, "--objective", "headline", "--words", "3") == 0
    out, err = capsys.readouterr()
    assert out.startswith("start: fluency 1, style 1.5, clauses 0.5\n")
    assert "no better weights were found: nothing is written\n" in err
    assert not bundle.with_name("tuned").exists()


def test_other_weights_stay(
    tmp_path: Path, headlines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also those of factors that wait for a part of the bundle, here for a parser."""
    stored = {"headline": {"fluency": 1.0, "position": -9.0, "grammar": 3.0, "use": 5.0}, "mine": {"style": 1.0}}
    bundle = write_tiny_bundle(tmp_path / "bundle", parser=False, objectives=stored)
    found = {"fluency": 1.0, "style": -3.95e5}
    monkeypatch.setattr("tersely.training.tune.tune", lambda *_, **__: Tuned(found, {}, 0.0, n_pools=12))
    assert tune(headlines, bundle, "--objective", "headline", "--words", "3") == 0
    assert "warning: the weight of style is -395000: fluency plays no part beside it" in capsys.readouterr().err
    description = open_bundle(bundle.with_name("tuned")).description
    assert description["objectives"] == {"headline": {**found, "grammar": 3.0, "use": 5.0}, "mine": {"style": 1.0}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--objective paper", "the weights of paper cannot be tuned"),
        ("--objective x --fixed style", "invalid --fixed 'style': expected FACTOR=WEIGHT"),
        ("--objective x --fixed fluency=2", "the weight of fluency is always 1"),
        ("--objective x --fixed style=nan", "the weight of style must be a finite number, not nan"),
        ("--objective x --fixed style=1e9", "invalid --fixed 'style=1e9': expected a weight of at most 1,000,000"),
        ("--objective x --fixed wit=2", "unknown factor 'wit': known are "),
        ("--objective x --factors fluency_forward", "the bundle cannot tune fluency_forward: it can tune fluency, "),
        ("--objective x --words 8 0", "invalid --words 0"),
        ("--objective x --words 99", "data has too few sources"),
        ("--objective x --out data", "data exists and is no bundle"),
    ],
)
def test_what_does_not_work_is_one_line(
    bundle: Path,
    headlines: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    message: str,
) -> None:
    monkeypatch.chdir(headlines.parent)
    assert tune(headlines, bundle, *arguments.split()) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"tersely: {message}")
    assert err.count("\n") == 1
    assert not bundle.with_name("tuned").exists()


def test_a_missing_extra_names_its_command(
    bundle: Path, headlines: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("scipy", "scipy.optimize"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("tune", "minimum_risk"):
        monkeypatch.delitem(sys.modules, f"tersely.training.{name}", raising=False)
    assert tune(headlines, bundle, "--objective", "x") == 1
    assert capsys.readouterr().err == (
        "tersely: this needs scipy, which is not installed: pip install 'tersely[train]'\n"
    )
