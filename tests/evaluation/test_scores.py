"""What is stored of an experiment, and what never is."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest
from evaluation_toys import DATASET, Canned, row

from tersely.candidates.length import Length
from tersely.errors import FileError
from tersely.evaluation.rouge import Rouge
from tersely.evaluation.scores import Scores, compare, make_row, table_of, write_scores
from tersely.system.files import write_text

STORED = Path(__file__).parents[2] / "results" / "reproduction"


def test_a_row_has_what_was_measured() -> None:
    system = Canned("a", ["ship runs aground", "x"], Length.of(words=3))
    outputs = list(system.outputs(DATASET))
    outputs[0] = outputs[0]._replace(kept=(0, 2, 5))
    made = make_row("A", system, outputs, DATASET, Rouge(), [0, 1])
    assert (made.label, made.length, made.n_sources) == ("A", "3 words", 2)
    assert made.rouge["ROUGE-1"] == [1000, 0]
    assert made.mean("ROUGE-1") == 50.0
    assert made.kept is None  # not all are known
    outputs[1] = outputs[1]._replace(kept=(1,))
    made = make_row("A", system, outputs, DATASET, Rouge(), [7, 9])
    assert made.kept == ["25", "2"]
    assert (made.first, made.numbers) == (7, [7, 9])


def test_sources_that_were_tuned_on_can_be_left_out() -> None:
    rest = row("paper", "8 words", [100, 300, 500]).without_first(1)
    assert (rest.first, rest.n_sources) == (1, 2)
    assert rest.mean("ROUGE-1") == pytest.approx(40.0)


def test_a_comparison_is_of_the_same_sources() -> None:
    found = compare(row("a", "8 words", [500, 510, 490]), row("b", "8 words", [300, 310, 290]), "ROUGE-L")
    assert found.difference == pytest.approx(20.0)
    assert (found.p_value, found.may_be_chance) == (0.0, False)


def test_rows_of_other_systems_stay_while_the_sources_do(tmp_path: Path) -> None:
    def store(*labels: str, sources: int = 2) -> list[str]:
        rows = [row(label, "8 words", [1, 2]) for label in labels]
        write_scores(tmp_path, "headlines", table_of(rows, DATASET.slice(limit=sources), Rouge()))
        return [found.label for found in Scores.read(tmp_path).rows("headlines")]

    assert store("HC_article", "paper") == ["HC_article", "paper"]
    assert store("paper", "headline") == ["paper", "headline", "HC_article"]
    assert store("paper", sources=1) == ["paper"]


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "headlines.json.xz").write_bytes(b"no")
    with pytest.raises(FileError, match="damaged"):
        Scores.read(tmp_path)


def test_the_stored_files_have_figures_and_positions_alone() -> None:
    paths = sorted(STORED.glob("*.json.xz"))
    assert paths
    assert sum(path.stat().st_size for path in paths) < 600_000
    for path in paths:
        content = json.loads(lzma.decompress(path.read_bytes()))
        for found in content.get("rows", []):
            assert all(re.fullmatch("[0-9a-f]+", mask) for mask in found.pop("kept") or [])
            found.pop("settings")  # names and figures of its own
        strings = re.findall(r'"(?:[^"\\]|\\.)*"', json.dumps(content))
        assert max(map(len, strings)) < 200, f"{path.name} holds a text"


def test_the_name_of_a_dataset_that_is_not_utf_8(tmp_path: Path) -> None:
    write_scores(tmp_path, "headlines", {"dataset": "caf\udce9", "rows": []})
    write_text(tmp_path / "report.md", "of caf\udce9")
    assert (tmp_path / "report.md").read_text() == "of caf?"
