from __future__ import annotations

import json
import lzma
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from evaluation_toys import DATASET, FakeSummarizer, fake_resources
from tiny_bundle import write_tiny_bundle

from tersely.bundle.objectives import FAST
from tersely.candidates.length import Length
from tersely.evaluation.claims import NOT_RUN, claims
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.experiments import STUDIES, run_experiment, sections
from tersely.evaluation.scores import Scores
from tersely.evaluation.studies import ablation, search_quality
from tersely.evaluation.studies.lead_curves import curve
from tersely.evaluation.studies.search_quality import CLIMBING, DEFAULT, EQUAL, EXHAUSTIVE
from tersely.evaluation.studies.setting import Setting
from tersely.evaluation.systems import Resources
from tersely.search import DEFAULT_SEARCH, FAST_SEARCH

SOURCES = (
    "the german container ship ran aground at the entrance to the french port tuesday .",
    "the minister said there were no casualties in the storm , but early talks paid .",
)
SHIPS = Dataset("ships", tuple(Example(source, ("ship aground",)) for source in SOURCES))


def test_every_study_writes_its_section_and_figures_but_stores_no_word(tmp_path: Path, tiny_bundle: Path) -> None:
    setting = Setting(SHIPS, Resources(str(tiny_bundle)), tmp_path / "report")
    report = run_experiment(setting).read_text()
    found = json.loads((tmp_path / "report" / "report.json").read_text())
    assert set(found["studies"]) == set(STUDIES)
    for study in STUDIES.values():
        assert f"## {study.title}\n" in report
    drawn = sorted(file.stem for file in (tmp_path / "report" / "figures").glob("*.png"))
    assert drawn == ["lead", "positions", "progress", "search"]
    for name in drawn:
        assert f"(figures/{name}.png)" in report
        ElementTree.parse(tmp_path / "report" / "figures" / f"{name}.svg")  # well-formed
    headlines = {(row["label"], row["length"]): row for row in found["studies"]["headlines"]["rows"]}
    assert {length for _, length in headlines} == {"8 words", "10 words", "50 %"}
    assert headlines["paper", "8 words"]["words"] == 8
    assert "rouge" not in headlines["paper", "8 words"]  # of single sources, which the scores have
    assert "| HC_title beats Lead of the same length in every group |" in report
    assert sections(Scores.read(tmp_path / "nowhere"))["headlines"] == ""
    folder = tmp_path / "report" / "scores"
    stored = b" ".join(lzma.decompress(path.read_bytes()) for path in folder.iterdir()).decode()
    words = {word for source in SHIPS.sources for word in source.split() if len(word) > 4}
    assert not words & set(re.findall(r"\w+", stored))


def test_sources_that_were_tuned_on_are_left_out_where_it_matters(tmp_path: Path) -> None:
    setting = Setting(SHIPS, fake_resources(), tmp_path, n_tuned=1)
    assert (setting.untuned(), setting.untuned(longest=3)) == ([1], [])
    assert Setting(SHIPS, fake_resources(), tmp_path, n_tuned=5).untuned() == [0, 1]
    report = run_experiment(setting, ["headlines"]).read_text()
    assert report.count("The same on lines 2 to 2, on which no weight was tuned:") == 3


def test_published_figures_stand_in_the_tables_if_asked_for(tmp_path: Path) -> None:
    for published in (False, True):
        setting = Setting(DATASET, fake_resources(FakeSummarizer()), tmp_path / str(published))
        report = run_experiment(setting, ["headlines", "duc"], published=published).read_text()
        assert ("HC_title †" in report) == ("Topiary †" in report) == published


@pytest.mark.parametrize("search", [None, "hill_climbing"])
def test_search_and_seed_reach_the_summariser_but_fast_has_its_own_search(
    tmp_path: Path, tiny_bundle: Path, search: str | None
) -> None:
    setting = Setting(DATASET, Resources(str(tiny_bundle)), tmp_path, search=search, seed=5)
    assert FAST in setting.objectives
    fast, paper = (setting.summarizer(name, words=8).settings for name in (FAST, "paper"))
    assert (fast["search"], paper["search"], paper["seed"]) == (FAST_SEARCH, search or DEFAULT_SEARCH, "5")


def test_a_second_run_only_draws_again(tmp_path: Path) -> None:
    fake = FakeSummarizer()
    setting = Setting(DATASET, fake_resources(fake), tmp_path)
    names = ["headlines", "duc", "positions", "cases"]
    first = run_experiment(setting, names).read_text()
    n_calls = len(fake.calls)
    assert n_calls == 2 * 4  # two sources; 8 and 10 words, 75 bytes, and 50 %
    assert run_experiment(setting, names).read_text() == first
    assert len(fake.calls) == n_calls


def test_ablation_leaves_out_one_factor_at_a_time(tmp_path: Path) -> None:
    stored = {"headline": {"fluency": 1.0, "position": -3.0, "adjacency": 2.0}}
    folder = write_tiny_bundle(tmp_path / "bundle", editor=False, objectives=stored)
    source = "The German ship ran aground at the French port early on Tuesday."
    setting = Setting(Dataset("raw", (Example(source, ("Ship aground",)),)), Resources(str(folder)), tmp_path)
    content = ablation.measure(setting)
    whole = ["paper", "forward only", "backward only", "fluency only", "similarity only", "forward only, no similarity"]
    less = [f"headline without {factor}" for factor in ("fluency", "position", "adjacency")]
    assert [row["label"] for row in content["rows"]] == [*whole, "headline", *less]
    assert content["rows"][-2]["settings"]["objective"].endswith("(fluency:1,adjacency:2,use:6)")
    of_paper, of_headline = ablation.show(Scores({"ablation": content}))[1::2]
    assert (of_paper.count("\n"), of_headline.count("\n")) == (7, 5)
    assert "| without position" in of_headline
    shorten = setting.resources.summarizer
    left = shorten(source, words=8, objective="headline without fluency")
    assert left.kept == shorten(source, words=8, objective={"position": -3.0, "adjacency": 2.0}).kept


def test_lead_curves_can_be_worked_out() -> None:
    dataset = Dataset("toy", (Example("a b c d", ("a b",)),))
    found = curve(dataset, [Length.of(words=n) for n in (1, 2, 4)])
    # 1 word: recall 1/2, precision 1; 2 words: all; 4 words: recall 1, precision 1/2.
    assert found["ROUGE-1"] == pytest.approx([200 / 3, 100, 200 / 3])
    assert found["ROUGE-2"] == pytest.approx([0, 100, 50])


def test_only_sources_that_can_be_enumerated_are_compared() -> None:
    lengths = [2, 40, 16, 400, 16]
    dataset = Dataset("toy", tuple(Example(" ".join("w" * n), ("x",)) for n in lengths))
    # C(16, 8) = 12,870 and C(40, 3) = 9,880 are few enough; C(400, 2) is not long enough a summary.
    chosen = search_quality.choose_sources(dataset, limit=12)
    found = {size: [len(source.split()) for source in part.sources] for size, part in chosen.items()}
    assert found == {8: [16, 16], 3: [40]}
    assert len(search_quality.choose_sources(dataset, limit=6)[8]) == 1


def searched(climbed: list[float], rouge_l: list[float]) -> dict[str, Any]:
    """Sources whose optimum has log f = -1 and ROUGE-L 0.5, with what hill climbing found instead."""
    n = len(climbed)
    best = {"log_f": [-1.0] * n, "evaluations": [9] * n, "rouge_l": [0.5] * n}
    climbing = {**best, "log_f": climbed, "rouge_l": rouge_l}
    return {"words": 8, "source_words": [14] * n, "found": {CLIMBING: climbing, EXHAUSTIVE: best, DEFAULT: best}}


def test_the_share_of_optima_uses_the_one_tolerance(tmp_path: Path) -> None:
    size = searched([-1.0 - EQUAL / 2, -1.0 - 2 * EQUAL], rouge_l=[0.5, 0.5])
    assert search_quality.gaps(size, CLIMBING).tolist() == [0.0, pytest.approx(2 * EQUAL)]
    scores = Scores({"search": {"sizes": [size]}})
    assert "50 % |" in search_quality.show(scores)[0]
    search_quality.plot(scores, tmp_path / "search")
    assert "50.0 %" in (tmp_path / "search.svg").read_text()


def test_whether_a_better_score_reads_better_is_counted_where_it_was_missed() -> None:
    sizes = [searched([-1.0, -2.0, -2.0], rouge_l=[0.1, 0.1, 0.9])]
    said = search_quality.show(Scores({"search": {"sizes": sizes}}))[1]
    assert said.startswith("Hill climbing misses 2 optima; 1 of")


def test_systems_asked_for_stand_in_the_table_of_their_length(tmp_path: Path) -> None:
    specs = ["HC=paper:words=8", "HC=paper:words=10", "HC75=paper:bytes=75"]
    setting = Setting(DATASET, fake_resources(), tmp_path, extra_systems=specs)
    found = {name: STUDIES[name].measure(setting)["rows"] for name in ("headlines", "duc")}  # type: ignore[misc]
    named = {name: [(row["label"], row["length"]) for row in rows] for name, rows in found.items()}
    assert [pair for pair in named["headlines"] if pair[0][:2] == "HC"] == [("HC", "8 words"), ("HC", "10 words")]
    assert [pair for pair in named["duc"] if pair[0][:2] == "HC"] == [("HC75", "75 bytes")]
    assert [label for label, _ in setting.systems(10)].count("HC") == 1


def test_the_claim_on_duc_is_judged_though_lead_counts_characters(tmp_path: Path) -> None:
    setting = Setting(DATASET, fake_resources(), tmp_path)
    run_experiment(setting, ["duc"])
    found = Scores.read(tmp_path / "scores")
    assert {row.length for row in found.rows("duc")} == {"75 bytes"}
    claim = next(claim for claim in claims(found) if "DUC" in claim.says)
    assert claim.verdict != NOT_RUN
