from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_some_studies(tersely, tmp_path: Path, tiny_bundle: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(
        "the ship ran aground at the port .\tship\na storm hit cuba on friday .\tstorm\n"
    )
    done = tersely("experiment", "pairs.tsv", "--bundle", str(tiny_bundle), "--limit", "1", "--only", "lead", "cases")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "report-pairs/report.md\n"
    assert done.stderr.splitlines() == ["[1/2] lead", "[2/2] cases"]
    report = (tmp_path / "report-pairs" / "report.md").read_text()
    assert "1 sources (the first of 2)" in report


def test_the_first_sources_can_be_left_out(tersely, tmp_path: Path, tiny_bundle: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("the ship ran .\tship\na storm hit cuba .\tstorm\ntalks on tuesday .\ttalks\n")
    options = ["--bundle", str(tiny_bundle), "--skip", "1", "--limit", "1", "--only", "cases"]
    done = tersely("experiment", "pairs.tsv", *options)
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "report-pairs" / "report.md").read_text()
    assert "1 sources (of 3, after the first 1)" in report
    assert "a storm hit cuba ." in report
    assert "the ship ran ." not in report


def test_a_missing_dataset_is_one_line(tersely) -> None:
    done = tersely("experiment", "nowhere")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("tersely: nowhere: no such file or folder: expected a folder with input.txt")
