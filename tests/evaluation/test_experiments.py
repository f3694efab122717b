from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from evaluation_toys import DATASET, FakeSummarizer, fake_resources
from tiny_bundle import write_tiny_bundle

from tersely.evaluation import plots
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.experiments import STUDIES, run_experiment
from tersely.evaluation.studies import search_quality
from tersely.evaluation.studies.ablation import ablation
from tersely.evaluation.studies.cases import cases
from tersely.evaluation.studies.lead_curves import curve
from tersely.evaluation.studies.search_quality import EQUAL, choose_sources, score_gaps
from tersely.evaluation.studies.setting import Setting
from tersely.evaluation.systems import Output, Resources

SHIPS = Dataset(
    "ships",
    (
        Example(
            "the german container ship ran aground at the entrance to the french port tuesday .", ("ship aground",)
        ),
        Example("the minister said there were no casualties in the storm , but early talks paid .", ("storm talks",)),
    ),
)


def test_every_study_writes_its_section_and_figures(tmp_path: Path, tiny_bundle: Path) -> None:
    setting = Setting(SHIPS, Resources(str(tiny_bundle)), tmp_path / "report")
    report = run_experiment(setting).read_text()
    found = json.loads((tmp_path / "report" / "report.json").read_text())
    assert list(found["studies"]) == list(STUDIES)
    for study in found["studies"].values():
        assert f"## {study['title']}\n" in report
    drawn = sorted(file.stem for file in (tmp_path / "report" / "figures").glob("*.png"))
    assert drawn == ["ablation", "lead_curves", "positions", "search_gap", "search_progress"]
    for name in drawn:
        assert f"(figures/{name}.png)" in report
        ElementTree.parse(tmp_path / "report" / "figures" / f"{name}.svg")  # well-formed
    headlines = {row["system"]: row for row in found["studies"]["headlines"]["systems"]}
    assert {row["bracket"] for row in headlines.values()} == {"8 words", "10 words", "50 %"}
    assert headlines["paper:words=8"]["words"] == 8
    assert headlines["paper:words=8"]["violations"] == 0
    search = found["studies"]["search"]
    assert search["sources"] == len(search["gaps"]) == 2
    assert min(search["gaps"]) >= 0  # nothing is above the optimum
    assert search["optimal"] == search["gaps"].count(0) / 2


def test_published_figures_stand_in_the_tables_if_asked_for(tmp_path: Path) -> None:
    for published in (False, True):
        setting = Setting(DATASET, fake_resources(FakeSummarizer()), tmp_path / str(published), published=published)
        report = run_experiment(setting, ["headlines", "duc"]).read_text()
        found = json.loads((tmp_path / str(published) / "report.json").read_text())["studies"]
        assert ("HC_title †" in report) == published
        assert report.count("reported elsewhere, on other data") == 2 * published
        assert all(("published" in study) == published for study in found.values())


def test_points_are_named_in_the_curves(tmp_path: Path) -> None:
    curves = {"first n words": ([1.0, 2.0], {"ROUGE-1": [10.0, 20.0]})}
    svg, _ = plots.plot_lead_curves(tmp_path / "lead", curves, {"first n words": {"a system": [(1.5, 30.0)]}})
    assert "a system" in svg.read_text()


def test_a_second_run_only_draws_again(tmp_path: Path) -> None:
    fake = FakeSummarizer()
    setting = Setting(DATASET, fake_resources(fake), tmp_path)
    names = ["headlines", "duc", "positions", "cases"]
    first = run_experiment(setting, names).read_text()
    n_calls = len(fake.calls)
    assert n_calls == 2 * 4  # two sources; 8 and 10 words, 75 bytes, and 50 %
    assert run_experiment(setting, names).read_text() == first
    assert len(fake.calls) == n_calls


def test_the_search_of_an_experiment_reaches_the_summariser(tmp_path: Path) -> None:
    fake = FakeSummarizer()
    cases(Setting(DATASET, fake_resources(fake), tmp_path, search="annealing", seed=5))
    assert {(call.search, call.seed, str(call.length)) for call in fake.calls} == {("annealing", 5, "words=10")}


def test_cases_show_sources_references_and_systems(tmp_path: Path) -> None:
    study = cases(Setting(DATASET, fake_resources(), tmp_path, n_cases=1))
    (case,) = study.data["cases"]
    assert case["source"] in study.text
    assert f"- reference: {case['references'][0]}" in study.text
    assert f"- lead-10: {case['lead-10']}" in study.text


def test_ablation_leaves_out_one_factor_at_a_time(tmp_path: Path) -> None:
    stored = {"headline": {"fluency": 1.0, "position": -3.0, "adjacency": 2.0}}
    folder = write_tiny_bundle(tmp_path / "bundle", editor=False, objectives=stored)
    raw = Dataset(
        "raw", (Example("The German ship ran aground at the French port early on Tuesday.", ("Ship aground",)),)
    )
    setting = Setting(raw, Resources(str(folder)), tmp_path)
    study = ablation(setting)
    whole = ["paper", "forward only", "backward only", "fluency only", "similarity only", "forward only, no similarity"]
    less = [f"headline without {factor}" for factor in ("fluency", "position", "adjacency")]
    assert [row["system"] for row in study.data["systems"]] == [
        f"{name}:words=8" for name in [*whole, "headline", *less]
    ]
    assert "(fluency:1,adjacency:2,use:6) |" in study.text
    shorten = setting.resources.summarizer
    text = raw.sources[0]
    left = shorten(text, words=8, objective="headline without fluency")
    assert left.kept == shorten(text, words=8, objective={"position": -3.0, "adjacency": 2.0}).kept


def test_a_part_of_the_papers_objective_follows_the_papers_rules(tiny_bundle: Path) -> None:
    """Other objectives keep a negation with its word whatever their factors are; these do not."""
    objectives = Resources(str(tiny_bundle)).objectives
    assert all(objectives.objective(name).plain for name in ("paper", "fluency only", "paper without fluency"))
    assert not objectives.objective({"fluency": 1.0}).plain


def test_lead_curves_can_be_worked_out() -> None:
    dataset = Dataset("toy", (Example("a b c d", ("a b",)),))
    found = curve(dataset, [1, 2, 4], lambda n: lambda source, pretokenized: " ".join(source.split()[:n]))
    # 1 word: recall 1/2, precision 1; 2 words: all; 4 words: recall 1, precision 1/2.
    assert found["ROUGE-1"] == pytest.approx([200 / 3, 100, 200 / 3])
    assert found["ROUGE-2"] == pytest.approx([0, 100, 50])


def test_only_sources_that_can_be_enumerated_are_compared() -> None:
    lengths = [2, 40, 16, 400]
    dataset = Dataset("toy", tuple(Example(" ".join("w" * n), ("x",)) for n in lengths))
    chosen = choose_sources(dataset, limit=10)
    # C(16, 8) = 12,870 and C(40, 3) = 9,880 are few enough; C(400, 2) is not, and a single word is no summary.
    assert [(len(short.example.source.split()), short.size) for short in chosen] == [(16, 8), (40, 3)]
    assert len(choose_sources(dataset, limit=1)) == 1


def test_the_same_summary_has_no_gap() -> None:
    best = [Output("x", score=score) for score in (-1.0, -2.0, -3.0)]
    found = [Output("x", score=score) for score in (-1.0 - EQUAL / 2, -2.0 + EQUAL / 2, -3.0 - 2 * EQUAL)]
    assert score_gaps(best, found) == [0.0, 0.0, pytest.approx(2 * EQUAL)]


def test_text_and_figure_name_the_same_share_of_optima(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def outputs(setting: Setting, sources: object, search: str) -> list[Output]:
        gaps = (0.0, 6e-5) if search == "paper" else (0.0, 0.0)
        return [Output("x", score=-1 - gap, evaluations=1, seconds=0.1) for gap in gaps]

    monkeypatch.setattr(search_quality, "_outputs", outputs)
    monkeypatch.setattr(plots, "_STYLE", {**plots._STYLE, "svg.fonttype": "none"})  # text that can be read
    study = search_quality.search_quality(Setting(SHIPS, fake_resources(), tmp_path))
    assert "for 100.0 % of them" in study.text
    assert study.data["gaps"] == [0.0, 0.0]
    assert "100.0 %" in (tmp_path / "figures" / "search_gap.svg").read_text()


def test_every_objective_of_the_bundle_is_compared(tmp_path: Path) -> None:
    fake = FakeSummarizer({"mine": {"position": 1.0}})
    study = cases(Setting(DATASET, fake_resources(fake), tmp_path, n_cases=1))
    assert {"lead-10", "paper:words=10", "mine:words=10"} <= set(study.data["cases"][0])


def test_systems_asked_for_stand_in_the_table_of_their_length(tmp_path: Path) -> None:
    specs = ["HC=paper:words=8", "HC75=paper:bytes=75"]
    setting = Setting(DATASET, fake_resources(), tmp_path, extra_systems=specs)
    headlines, duc = (
        [row["system"] for row in STUDIES[name](setting).data["systems"]] for name in ("headlines", "duc")
    )
    assert ("HC" in headlines, "HC75" in headlines) == (True, False)
    assert ("HC" in duc, "HC75" in duc) == (False, True)
