from __future__ import annotations

from pathlib import Path

import pytest
from tiny_bundle import write_tiny_bundle

from tersely.bundle.bundle import open_bundle
from tersely.bundle.writing import copy_bundle
from tersely.cli import main


def shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    assert main(["info", "--bundle", str(folder)]) == 0
    return {line[:11].strip(): line[12:] for line in capsys.readouterr().out.splitlines()}


def test_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = {"headline": {"fluency": 1.0, "grammar": 2.5}}
    folder = write_tiny_bundle(tmp_path / "bundle", editor=False, objectives=stored)
    assert shown(folder, capsys)["objective"] == "headline: fluency 1, grammar 2.5"  # the last line


def test_the_parser_and_its_figures(tiny_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(tiny_bundle, capsys)["parser"] == "without figures"
    bundle = open_bundle(tiny_bundle)
    figures = {"cased": {"heads": 0.92, "labels": 0.905}, "lower-cased": {"heads": 0.915, "labels": 0.9}}
    made = {"trees": {"files": ["a"], "trees": 1200, "tokens": 9}, "held out": figures}
    copy_bundle(bundle, tmp_path / "copy", description={"parser": {**bundle.description["parser"], **made}})
    line = shown(tmp_path / "copy", capsys)["parser"]
    assert line.startswith("learned from 1,200 trees; cased 92.0% of heads, 90.5% with labels; lower-cased 91.5% of")
