from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    path = tmp_path / "pairs.tsv"
    path.write_text("the ship ran aground , he said .\tship aground\na storm hit cuba on friday .\tstorm hits cuba\n")
    return str(path)


def test_the_table_and_the_warning(tersely, dataset: str) -> None:
    done = tersely("evaluate", "--dataset", dataset, "--systems", "lead-2", "lead-3")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "2 words"
    assert "warning: systems of 2 length brackets (2 words, 3 words)" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("ROUGE|nrefs:1|")


def test_json_with_a_file_and_a_summariser(tersely, dataset: str, tmp_path: Path, tiny_bundle: Path) -> None:
    outputs = tmp_path / "naus.txt"
    outputs.write_text("ship aground\nstorm hits cuba\n")
    specs = [f"NAUS={outputs}", "paper:words=2"]
    done = tersely("evaluate", "--dataset", dataset, "--json", "--bundle", str(tiny_bundle), "--systems", *specs)
    assert done.returncode == 0, done.stderr
    naus, paper = json.loads(done.stdout)["systems"]
    assert (naus["system"], naus["ROUGE-1"], naus["bracket"]) == ("NAUS", 100.0, "2 words")
    assert naus["violations"] is None
    assert (paper["words"], paper["in_source"], paper["violations"]) == (2.0, 1.0, 0)


def test_a_stopped_run_goes_on_from_its_outputs(tersely, dataset: str, tmp_path: Path, tiny_bundle: Path) -> None:
    kept = tmp_path / "kept"
    command = ["--dataset", dataset, "--json", "--bundle", str(tiny_bundle), "--outputs", str(kept), "--workers", "2"]
    assert tersely("evaluate", *command, "--systems", "paper:words=2").returncode == 0
    (file,) = kept.iterdir()
    head, first, _ = file.read_text().splitlines()
    changed = {**json.loads(first), "text": "ship aground"}  # to tell it from one that is made again
    file.unlink()
    file.with_name(file.name + ".partial").write_text(f"{head}\n{json.dumps(changed)}\n")
    done = tersely("evaluate", *command, "--systems", "paper:words=2", "lead-2")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line).get("text") for line in file.read_text().splitlines()][1] == "ship aground"
    paper, _ = json.loads(done.stdout)["systems"]
    assert paper["ROUGE-1"] >= 50  # the first source is right
    assert len(list(kept.iterdir())) == 2


def test_recall_cut_at_bytes(tersely, dataset: str) -> None:
    done = tersely(
        "evaluate", "--dataset", dataset, "--measure", "recall", "--cut-bytes", "8", "--systems", "lead-9c", "--json"
    )
    found = json.loads(done.stdout)
    assert "limit:8bytes|measure:recall" in found["signature"]
    assert found["systems"][0]["bracket"] == "cut at 8 bytes"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--systems", "lead-two"], "tersely: 'lead-two': unknown system, and no such file: expected lead-8"),
        (["--systems", "lead-2", "--limit", "0"], "tersely: invalid limit 0"),
        (["--systems", "lead-2", "--workers", "0"], "tersely: workers must be a whole number of at least 1, not 0"),
        (["--systems", "lead-2", "--skip", "2"], "tersely: cannot skip 2 of 2 sources: at least one must be left"),
    ],
)
def test_mistakes_are_one_line(tersely, dataset: str, tiny_bundle: Path, arguments: list[str], message: str) -> None:
    done = tersely("evaluate", "--dataset", dataset, "--bundle", str(tiny_bundle), *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1
