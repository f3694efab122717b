from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = [
    "a german container ship ran aground at the entrance of the port of le havre early tuesday , authorities said .",
    "the president of cuba said on tuesday there were no talks with the u.s. on a new plan for the french port .",
    "a storm killed # people in the port of le havre , and the minister paid $ #.# billion for a new plan .",
]


def tersely(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "-m", "tersely", "experiment", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_some_studies(tmp_path: Path, tiny_bundle: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(
        "the ship ran aground at the port .\tship\na storm hit cuba on friday .\tstorm\n"
    )
    done = tersely("pairs.tsv", "--bundle", str(tiny_bundle), "--limit", "1", "--only", "lead", "cases", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "report-pairs/report.md\n"
    assert done.stderr.splitlines() == ["[1/2] lead", "[2/2] cases"]
    report = (tmp_path / "report-pairs" / "report.md").read_text()
    assert "1 sources (the first of 2)" in report


def test_the_first_sources_can_be_left_out(tmp_path: Path, tiny_bundle: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("the ship ran .\tship\na storm hit cuba .\tstorm\ntalks on tuesday .\ttalks\n")
    options = ["--bundle", str(tiny_bundle), "--skip", "1", "--limit", "1", "--only", "cases"]
    done = tersely("pairs.tsv", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "report-pairs" / "report.md").read_text()
    assert "1 sources (of 3, after the first 1)" in report
    assert "a storm hit cuba ." in report
    assert "the ship ran ." not in report


def test_a_missing_dataset_is_one_line(tmp_path: Path) -> None:
    done = tersely("nowhere", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("tersely: nowhere: no such file or folder: expected a folder with input.txt")


@pytest.mark.slow
@pytest.mark.parametrize(("n_sources", "n_references"), [(3, 1), (1, 4)])
def test_the_whole_experiment(tmp_path: Path, tiny_bundle: Path, n_sources: int, n_references: int) -> None:
    """Every table and every figure (as SVG and PNG); hill climbing with a real bundle takes minutes."""
    folder, references = tmp_path / "invented", f"nrefs:{n_references}|"
    folder.mkdir()
    (folder / "input.txt").write_text("".join(f"{source}\n" for source in SOURCES))
    for i in range(n_references):
        lines = [" ".join(source.split()[i : i + 6]) for source in SOURCES]
        (folder / f"task1_ref{i}.txt").write_text("".join(f"{line}\n" for line in lines))
    options = ["--limit", str(n_sources), "--exhaustive", "1", "--climbing", "1", "--bundle", str(tiny_bundle)]
    done = tersely(str(folder), *options, "--out", "report", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    studies = json.loads((tmp_path / "report" / "report.json").read_text())["studies"]
    assert all(references in studies[name]["signature"] for name in ("headlines", "duc", "ablation"))
    assert "paper" in {row["label"] for row in studies["headlines"]["rows"]}
    drawn = {file.name for file in (tmp_path / "report" / "figures").iterdir()}
    names = ("ablation", "lead", "positions", "search_gap", "search_progress")
    assert drawn == {f"{name}{suffix}" for name in names for suffix in (".svg", ".png")}
