from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evaluation_toys import DATASET, FakeSummarizer, fake_resources
from tiny_bundle import write_tiny_bundle

from tersely.candidates.length import UNITS, Budget, Length, count_words
from tersely.errors import BundleError, InputError
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.results import evaluate
from tersely.evaluation.rouge import Rouge
from tersely.evaluation.specs import parse_system
from tersely.evaluation.store import OutputStore
from tersely.evaluation.systems import Resources
from tersely.scoring.factors import FACTORS, FactorKind
from tersely.scoring.priors import Position
from tersely.search import SEARCHES
from tersely.search.exhaustive import exhaustive
from tersely.summary.options import Options

RAW = Dataset("raw", (Example("Storms, which killed people in Cuba, ran aground early on Tuesday.", ("Storms ran",)),))
NAUS = ["ship aground", "storm"]


def texts(spec: str, resources: Resources | None = None, dataset: Dataset = DATASET, **options: Any) -> list[str]:
    system = parse_system(spec, resources or fake_resources(ratios={"storm": 1.0}), **options)
    return [output.text for output in system.outputs(dataset)]


def of_objectives(folder: Path, **objectives: dict[str, float]) -> Resources:
    return Resources(str(write_tiny_bundle(folder, objectives=objectives)))


@pytest.fixture
def naus(tmp_path: Path) -> Path:
    path = tmp_path / "naus.txt"
    path.write_text("\n".join(NAUS))
    return path


def test_baselines_by_name() -> None:
    assert texts("lead-2") == ["the ship", "a storm"]
    assert texts("lead-20%") == ["the ship", "a storm"]  # 20 % of eleven and of ten tokens
    assert texts("lead-7c") == ["the", "a storm"]
    assert texts("lead-7c:hard") == texts("lead-7c", hard=True) == ["the shi", "a storm"]
    assert texts("random-3:seed=1") == texts("random-3:seed=1") != texts("random-3:seed=2")
    assert texts("style-1")[1] == "a"  # unknown words count as 0, and the first is taken


def test_a_summariser_gets_its_options() -> None:
    fake = FakeSummarizer()
    system = parse_system("paper:ratio=20%,search=annealing,seed=3", fake_resources(fake))
    first, second = system.outputs(DATASET)
    assert (first.text, second.text) == ("he said", "on friday")
    assert (first.kept, first.n_words, first.score, first.evaluations) == ((7, 8), 9, -1.0, 7)
    assert first.seconds is not None
    asked = Options.of(objective="paper", ratio=0.2, search="annealing", seed=3, pretokenized=True)
    assert fake.calls[0] == asked
    assert system.settings == fake.identity(replace(asked, pretokenized=False))


@pytest.mark.parametrize("percent", [20, 50, 75])
def test_lead_and_summariser_spend_the_same_share_of_raw_text(tiny_bundle: Path, percent: int) -> None:
    specs = (f"lead-{percent}%", f"paper:ratio={percent}%", f"paper:ratio={percent / 100}")
    systems = [parse_system(spec, Resources(str(tiny_bundle))) for spec in specs]
    rows = evaluate(RAW, systems, Rouge()).rows
    assert len({row.mean_words for row in rows}) == 1
    assert [(row.violations, row.in_source) for row in rows] == [(0, 1)] * 3  # "Cuba," is the word "Cuba"


def test_the_settings_of_a_system_name_everything_that_decides_its_outputs(tmp_path: Path) -> None:
    """Kept outputs are those of the same settings: a change of the weights has to make them anew."""
    outputs = []
    for name, weight in (("early", 1.0), ("late", -1.0)):
        system = parse_system("headline:words=2", of_objectives(tmp_path / name, headline={"position": weight}))
        outputs.append([output.text for output in OutputStore(tmp_path / "outputs").run(system, DATASET)])
    assert outputs == [["the ship", "a storm"], ["he said", "on friday"]]


def test_an_objective_without_a_factor(tmp_path: Path) -> None:
    resources = of_objectives(tmp_path / "bundle", late={"position": -1.0, "fluency": 0.001})
    assert texts("late without fluency:words=2", resources) == ["he said", "on friday"]
    for spec, message in {"late without style": "no factor 'style'", "lat without style": "unknown system"}.items():
        with pytest.raises(InputError, match=message):
            parse_system(f"{spec}:words=2", resources)


def test_a_search_for_systems_that_name_none(tiny_bundle: Path) -> None:
    def system(spec: str, search: str | None) -> Any:
        return parse_system(spec, Resources(str(tiny_bundle)), search=search)

    assert system("paper:words=2,seed=1", None).settings["search"] == "lattice"
    assert system("paper:words=2,search=annealing", "paper").settings["search"] == "annealing"
    # Two of nine words: 36 candidates. The paper's budget is 4 steps of one restart, and no candidate is enumerated.
    for search, evaluations in (("exhaustive", 36), ("paper", 5)):
        found = system("paper:words=2", search)
        assert (found.settings["search"], next(found.outputs(DATASET)).evaluations) == (search, evaluations)


def test_systems_of_several_bundles_stand_in_one_table(tiny_bundle: Path, tmp_path: Path) -> None:
    objectives = {"paper": {"fluency": 1.0}, "late": {"position": -1.0}}
    other = write_tiny_bundle(tmp_path / "other", seed=8, objectives=objectives)
    resources = Resources(str(tiny_bundle))
    specs = ["paper:words=2", f"late:words=2,bundle={other}", f"HC=paper:bundle={other},words=2"]
    systems = [parse_system(spec, resources) for spec in specs]
    assert [system.name for system in systems] == [specs[0], specs[1], "HC"]
    assert [output.text for output in systems[1].outputs(DATASET)] == ["he said", "on friday"]
    first, second, third = (system.settings["bundle"] for system in systems)
    assert second == third == Resources(str(other)).identity != first
    assert resources.of_bundle(str(other)) is resources.of_bundle(str(other))  # opened once


@pytest.fixture
def registered() -> Iterator[None]:
    """A unit, a factor and a search, each by one object in its table: pairs of words, late words, a slow search."""
    UNITS["pairs"] = replace(
        UNITS["words"],
        name="pairs",
        label=lambda size: f"{size:g} pairs",
        is_broken=lambda words, text, source, size: count_words(words) > 2 * size,
        budget=lambda tokens, size, look: Budget.of_words(count_words(tokens), 2 * int(size)),
    )
    FACTORS["late"] = FactorKind("late", "mean of i/n", (), lambda parts, cosine, softmax: Position())
    SEARCHES["slow"] = exhaustive
    yield
    del UNITS["pairs"], FACTORS["late"], SEARCHES["slow"]


@pytest.mark.usefixtures("registered")
def test_a_registered_unit_factor_and_search_need_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "naus.txt").write_text("ship ran aground\nstorm killed ten people in cuba\n")
    resources = of_objectives(tmp_path / "bundle", late={"late": -1.0})
    specs = ["late:pairs=1,search=slow", f"{tmp_path / 'naus.txt'}:pairs=2"]
    late, naus = evaluate(DATASET, [parse_system(spec, resources) for spec in specs], Rouge()).rows
    assert (late.bracket, late.mean_words, late.violations) == ("1 pairs", 2.0, 0)
    assert (naus.bracket, naus.violations) == ("2 pairs", 1)
    assert texts(specs[0], resources) == ["he said", "on friday"]


def test_files(naus: Path) -> None:
    plain, named = (parse_system(spec, fake_resources()) for spec in (str(naus), f"NAUS={naus}:words=8"))
    assert (plain.name, plain.length) == ("naus", None)
    assert (named.name, named.length) == ("NAUS", Length.of(words=8))
    assert texts(str(naus)) == NAUS
    nowhere = Resources("nowhere")  # a file needs no bundle
    assert parse_system(str(naus), nowhere).name == "naus"
    with pytest.raises(BundleError):
        parse_system("paper:words=8", nowhere)


def test_a_file_and_an_objective_of_the_same_name(naus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(naus.parent)
    naus.rename("paper")
    assert texts("paper:words=2") == ["he said", "on friday"]
    assert texts("./paper:words=2") == texts("P=paper") == NAUS


@pytest.mark.parametrize(("skip", "limit", "first"), [(0, None, 0), (2, None, 2), (0, 3, 0), (2, 3, 2), (4, 1, 4)])
def test_a_file_of_full_length_fits_a_part_of_the_dataset(naus: Path, skip: int, limit: int, first: int) -> None:
    part = Dataset("six", tuple(Example(f"source {i} .", (f"r{i}",)) for i in range(6))).slice(skip, limit)
    lines = [f"line {i}" for i in range(6)]
    expected = lines[first : first + len(part)]
    for given in (lines, lines[skip:], expected):  # for all sources, for those after the skip, for those that are left
        naus.write_text("\n".join(given) + "\n")
        system = parse_system(str(naus), fake_resources())
        assert [output.text for output in system.outputs(part)] == expected
        assert [output.text for output in system.outputs(part, start=1)] == expected[1:]


def test_a_file_with_another_number_of_lines_is_refused(naus: Path) -> None:
    naus.write_text("one\ntwo\nthree\n")
    for part, expected in ((DATASET, "2"), (DATASET.slice(1), "2 or 1")):
        with pytest.raises(InputError, match=f"has 3 lines, but toy has {expected} sources"):
            texts(str(naus), dataset=part)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nothing", "unknown system, and no such file: expected lead-8.*; objectives are paper"),
        ("headlin:words=8", "unknown system"),
        ("lead-0", "words must be at least 1"),
        ("lead-101%", "ratio must be above 0 and at most 1"),
        ("random-8c", "unknown baseline"),
        ("lead-8:hard", "unknown option"),
        ("style-8", "the bundle has none"),
        ("paper", "give a length, words=N or ratio=R or chars=N .*: none was given"),
        ("paper:words=8,ratio=0.5", "words=8 and ratio=0.5 was given"),
        ("paper:words=many", "words cannot be 'many'; known options are words, ratio, chars, bytes, sms"),
        ("paper:words=0", "words must be at least 1, not 0"),
        ("paper:words", "invalid option 'words'"),
        ("paper:wrods=8", "unknown option 'wrods': known are words, ratio, chars, bytes, sms"),
        ("paper:words=8,bundle=a,bundle=b", "more than one bundle"),
        ("paper:words=8,n_best=2", "unknown option 'n_best': known are words"),
        ("paper:words=8,pretokenized=yes", "unknown option 'pretokenized'"),
        ("paper:words=8,seed=x", "seed cannot be 'x'; known options are words"),
        ("paper:words=8,search=swift", "unknown search 'swift': known are lattice"),
    ],
)
def test_what_a_spec_cannot_be_is_refused_when_the_system_is_made(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        parse_system(spec, fake_resources())
    assert str(refused.value).startswith(f"{spec!r}: ")
