"""The page on the paper: what is stored, what is never stored, and how the verdicts are made."""

from __future__ import annotations

import json
import lzma
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from evaluation_toys import DATASET, Canned
from reproduction.claims import HOLDS, IN_PART, NOT, NOT_RUN, Evidence, claims
from reproduction.page import page, read_evidence
from reproduction.parts import GROUPS, Entry
from reproduction.stored import FOLDER, Row, make_row, merged, read_part, rows_of
from reproduction.tables import optimum_share, readme_table, system_table

from tersely.evaluation.rouge import METRICS, Rouge

ROOT = Path(__file__).parent.parent.parent
SOURCES = ["the german ship ran aground at the french port early tuesday , authorities said .", "storm killed people ."]
REFERENCES = ["zebra ship aground", "quagga storm kills"]  # words that no system can have made


def row(label: str, length: str, figures: list[int], **more: Any) -> Row:
    """A row whose three metrics have the same figures, in thousandths."""
    mean = sum(figures) / 1000 / len(figures)
    settings: dict[str, Any] = {}
    defaults = Row(
        label, length, settings, "0", 0, 8.0, 0.5, 10.0, dict.fromkeys(METRICS, mean),
        dict.fromkeys(METRICS, figures), [0.25] * 4, None, None,
    )  # fmt: skip
    return replace(defaults, **more)


def evidence(**parts: Any) -> Evidence:
    empty: dict[str, Any] = {
        "headlines": [], "duc": [], "ablation": [], "own_ablation": [], "climbed": [], "sizes": [], "lead": {},
        "judgements": {},
    }  # fmt: skip
    return Evidence(**{**empty, **parts})


def verdict(found: Evidence, beginning: str) -> str:
    return next(claim.verdict for claim in claims(found) if claim.says.startswith(beginning))


HIGH, LOW = [500, 510, 490, 505] * 5, [300, 310, 290, 305] * 5


@pytest.mark.parametrize(
    ("paper", "lead", "expected"),
    [(HIGH, LOW, HOLDS), (LOW, HIGH, NOT), (HIGH, HIGH, NOT), ([500, 100] * 10, [100, 490] * 10, NOT)],
    ids=["better", "worse", "equal", "chance"],
)
def test_a_verdict_needs_a_difference_beyond_chance(paper: list[int], lead: list[int], expected: str) -> None:
    rows = [row(*one) for length in GROUPS for one in (("paper", length, paper), ("Lead", length, lead))]
    assert verdict(evidence(headlines=rows), "HC_title beats Lead") == expected


def test_a_verdict_of_some_groups_holds_in_part_at_most() -> None:
    rows = [row("paper", "8 words", HIGH), row("Lead", "8 words", LOW)]
    found = next(claim for claim in claims(evidence(headlines=rows)) if claim.says.startswith("HC_title beats Lead"))
    assert found.verdict == IN_PART
    assert "50 % was not run here" in found.why


def test_a_verdict_over_groups_can_hold_in_part() -> None:
    rows = [row("paper", "8 words", HIGH), row("Lead", "8 words", LOW)]
    rows += [row("paper", "10 words", LOW), row("Lead", "10 words", HIGH)]
    assert verdict(evidence(headlines=rows), "HC_title beats Lead") == IN_PART


def test_what_was_not_run_is_said_to_be_so() -> None:
    assert {claim.verdict for claim in claims(evidence())} == {NOT_RUN}
    text = page(evidence())
    assert "- HC_article: 8 words, 10 words, 50 %, DUC\n" in text
    assert "- blind reading\n" in text


def test_how_much_easier_the_data_is_comes_from_the_figures() -> None:
    rows = [row("Lead", length, LOW) for length in GROUPS]  # 30.125 everywhere; published: 21.39, 23.03 and 24.97
    assert "ROUGE-1 of Lead is 5.2 to 8.7 points higher (30.12 and 21.39 at 8 words, " in page(evidence(headlines=rows))


def test_the_table_marks_the_best_and_never_what_was_published() -> None:
    rows = [row("Lead", "8 words", LOW), row("paper", "8 words", HIGH), row("telegraph", "8 words", HIGH[::-1])]
    lines = system_table(rows, published="8 words")
    assert [line.count("**") for line in lines[2:5]] == [0, 6, 0]
    assert lines[4].count("°") == 3  # the same figures in another order
    assert all("†" in line and "**" not in line and "°" not in line for line in lines[5:])
    assert len(lines) > 8


def test_the_share_of_optima_uses_the_one_tolerance() -> None:
    found = {"exhaustive": {"log_f": [-1.0, -1.0, -1.0]}, "default": {"log_f": [-1.00005, -1.001, -1.0]}}
    assert optimum_share({"found": found}, "default") == pytest.approx(2 / 3)


def test_old_rows_stay_only_while_their_settings_do() -> None:
    outputs = list(Canned("a", ["ship runs aground", "x"]).outputs(DATASET))
    entries = [
        Entry(label, "3 words", Canned(label, [], settings={"objective": "headline(style:1)", "bundle": bundle}))
        for label, bundle in (("same", "old"), ("other", "new"), ("made", "new"))
    ]
    before = [
        replace(
            make_row(entry, outputs, DATASET, Rouge()), settings={"objective": "headline(style:1)", "bundle": "old"}
        )
        for entry in entries
    ]
    made = make_row(entries[2], outputs, DATASET, Rouge())
    elsewhere = [row("HC_article", "3 words", LOW), row("forgotten", "3 words", LOW)]
    kept = merged([*before, *elsewhere], [made], entries)
    assert [found["label"] for found in kept] == ["same", "made", "HC_article"]
    assert kept[1] == asdict(made)


def test_a_row_knows_which_sources_it_has() -> None:
    whole, some = row("paper", "50 %", HIGH), row("paper", "50 %", LOW[:3], first=2, numbers=[2, 5, 9])
    where = whole.covers(some)
    assert where is not None
    assert where.tolist() == [2, 5, 9]
    assert whole.mean("ROUGE-1", where) == pytest.approx(100 * (490 + 510 + 510) / 3000)
    assert some.covers(whole) is None
    outputs = list(Canned("a", ["ship runs aground", "x"]).outputs(DATASET))
    entry = Entry("a", "3 words", Canned("a", []))
    assert make_row(entry, outputs, DATASET, Rouge(), numbers=[7, 8]).numbers is None  # one after the other
    assert make_row(entry, outputs, DATASET, Rouge(), numbers=[7, 9]).sources.tolist() == [7, 9]


def test_a_row_has_what_was_measured() -> None:
    outputs = list(Canned("a", ["ship runs aground", "x"]).outputs(DATASET))
    outputs[0] = outputs[0]._replace(kept=(0, 2, 5))
    made = make_row(Entry("a", "3 words", Canned("a", [])), outputs, DATASET, Rouge())
    assert made.rouge["ROUGE-1"] == [1000, 0]
    assert made.mean("ROUGE-1") == 50.0
    assert made.kept is None  # not all are known
    outputs[1] = outputs[1]._replace(kept=(1,))
    assert make_row(Entry("a", "3 words", Canned("a", [])), outputs, DATASET, Rouge()).kept == ["25", "2"]


def reproduce(dev: Path, state: Path, out: Path, bundle: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "benchmarks/reproduce.py", "--dev", str(dev), "--state", str(state), "--out", str(out)]
    return subprocess.run(
        [*command, "--shipped", str(bundle), *more], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    for name, n_references in (("gigaword", 1), ("duc2003", 2)):
        folder = tmp_path / "dev" / name
        folder.mkdir(parents=True)
        (folder / "input.txt").write_text("\n".join(SOURCES) + "\n")
        for i in range(n_references):
            (folder / f"task1_ref{i}.txt").write_text("\n".join(REFERENCES) + "\n")
    return tmp_path / "dev"


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


@pytest.mark.slow
def test_outputs_become_stored_figures_without_a_word_of_the_data(dev: Path, tmp_path: Path, tiny_bundle: Path) -> None:
    state, out = tmp_path / "state", tmp_path / "out"
    climbed = ["hill-climbing", "hill-climbing-half"]
    only = ["--only", "lead", *climbed, "--limit", "2"]
    nothing = reproduce(dev, state, out, tiny_bundle, *only, "--store-only")
    assert nothing.stderr.count("not complete") == 3, nothing.stderr
    assert not any(read_part(out, name) for name in climbed)
    done = reproduce(dev, state, out, tiny_bundle, *only)
    assert done.returncode == 0, done.stderr
    rows = [row for name in climbed for row in rows_of(read_part(out, name))]
    assert [r.length for r in rows] == ["8 words", "10 words", "50 %"]
    assert rows[0].log_f is not None
    words = {word for text in [*SOURCES, *REFERENCES] for word in text.split() if len(word) > 3}
    for path in out.glob("*.xz"):
        said = " ".join(strings(json.loads(lzma.decompress(path.read_bytes()))))
        assert not words & set(re.findall(r"\w+", said))
    again = {path: path.read_bytes() for path in out.glob("*.xz")}
    assert reproduce(dev, state, out, tiny_bundle, *only, "--store-only").returncode == 0
    assert {path: path.read_bytes() for path in again} == again


def test_the_stored_files_have_figures_and_positions_alone() -> None:
    parts = sorted(FOLDER.glob("*.json.xz"))
    assert parts
    assert sum(path.stat().st_size for path in parts) < 600_000
    for path in parts:
        content = json.loads(lzma.decompress(path.read_bytes()))
        for found in content.get("rows", []):
            assert all(re.fullmatch("[0-9a-f]+", mask) for mask in found["kept"] or [])
        rest = {key: value for key, value in content.items() if key != "rows"}
        heads = [{k: v for k, v in found.items() if k != "kept"} for found in content.get("rows", [])]
        heads = [{k: v for k, v in head.items() if k != "settings"} for head in heads]  # names and figures of its own
        for text in strings([rest, heads]):
            assert len(text) < 200, f"{path.name} holds a text: {text[:40]}"


@pytest.mark.slow
def test_the_page_is_fresh() -> None:
    program = "import sys; sys.path.insert(0, 'docs'); import make_reproduction as made; " + (
        "sys.stdout.reconfigure(encoding='utf-8'); sys.stdout.write(made.page(made.read_evidence()))"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=True
    )
    assert (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8") == done.stdout, "stale: run make docs"
    assert all(claim.why for claim in claims(read_evidence()))
    for line in readme_table(read_evidence().headlines):
        assert f"{line}\n" in (ROOT / "README.md").read_text(encoding="utf-8"), "stale: run make docs"
    for figure in re.findall(r"\((figures/[^)]+)\)", done.stdout):
        assert (ROOT / "docs" / figure).stat().st_size < 60_000
