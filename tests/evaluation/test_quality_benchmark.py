"""The program that measures the objectives, on development data made here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "quality.py"


def quality(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", str(PROGRAM), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}, timeout=300
    )


def write_jsonl(path: Path, *rows: tuple[str, list[str]]) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps({"text": text, "summaries": found}) + "\n" for text, found in rows))


def test_the_figures_of_lead_can_be_worked_out(tmp_path: Path, tiny_bundle: Path) -> None:
    (tmp_path / "gigaword").mkdir()
    for name, line in (("input", "the ship ran aground at the port , he said"), ("task1_ref0", "ship aground")):
        (tmp_path / "gigaword" / f"{name}.txt").write_text(f"tuned\n{line} .\n")
    write_jsonl(
        tmp_path / "broadcast" / "broadcast.jsonl",
        ("tuned", ["tuned"]),
        ("the ship ran aground .", ["ship aground", "the ship", "the ship ran aground"]),  # the last deleted nothing
    )
    write_jsonl(
        tmp_path / "compression" / "google400.jsonl",
        ("A storm killed ten people in Cuba, it said early on Tuesday.", ["Storm killed ten people."]),
    )
    done = quality("--bundle", str(tiny_bundle), "--json", "--processes", "1", TERSELY_DEV=str(tmp_path))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # 8 words: "the ship ran aground at the port he", two of eight and two of two words; 10 words: all nine.
    assert found["lead, 8 words"]["R-1"] == pytest.approx(100 * 2 * 2 / (8 + 2))
    assert found["lead, 10 words"]["R-1"] == pytest.approx(100 * 2 * 2 / (9 + 2))
    # "the ship" against "ship aground", and against itself.
    assert found["lead, broadcast"] == {"token F1": pytest.approx(75.0), "references": 2}
    # The first 11 of 12 words, which have all four of the reference.
    assert found["lead, google"] == {"token F1": pytest.approx(100 * 2 * 4 / (11 + 4)), "references": 1}
    assert [name for name in found if name.startswith("paper")] == ["paper, 8 words", "paper, 10 words"]
    assert not [name for name in found if name.startswith("headline")]  # the bundle has no such objective
