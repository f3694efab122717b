from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from evaluation_toys import DATASET, FakeSummarizer, fake_resources
from tiny_bundle import write_tiny_bundle

from tersely.bundle.bundle import open_bundle
from tersely.bundle.writing import copy_bundle
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
from tersely.summary.summarizer import Summarizer

RAW = Dataset(
    "raw",
    (
        Example("Storms, which killed people in Cuba, ran aground early on Tuesday.", ("Storms ran",)),
        Example("The president said (with no new plan) that talks ran to Tuesday.", ("Talks ran",)),
    ),
)


def texts(spec: str, **options: object) -> list[str]:
    system = parse_system(spec, fake_resources(ratios={"storm": 1.0}), **options)  # type: ignore[arg-type]
    return [output.text for output in system.outputs(DATASET)]


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
    (first, second) = system.outputs(DATASET)
    assert first.text == "he said"
    assert (first.kept, first.n_words, first.score, first.evaluations) == ((7, 8), 9, -1.0, 7)
    assert first.seconds is not None
    assert second.text == "on friday"
    asked = Options.of(objective="paper", ratio=0.2, search="annealing", seed=3, pretokenized=True)
    assert fake.calls[0] == asked
    assert system.settings == fake.identity(replace(asked, pretokenized=False))


@pytest.mark.parametrize("ratio", ["20%", "0.5", "0.75"])
def test_lead_and_summariser_spend_the_same_share_of_raw_text(tiny_bundle: Path, ratio: str) -> None:
    resources = Resources(str(tiny_bundle))
    percent = ratio if ratio.endswith("%") else f"{100 * float(ratio):.0f}%"
    lead, paper = (parse_system(spec, resources) for spec in (f"lead-{percent}", f"paper:ratio={ratio}"))
    first, second = evaluate(RAW, [lead, paper], Rouge()).rows
    assert not RAW.is_pretokenized
    assert first.mean_words == second.mean_words
    assert first.violations == second.violations == 0
    assert first.in_source == second.in_source == 1  # "Cuba," is the word "Cuba"


def test_an_objective_that_was_stored_in_the_bundle(own_bundle: Path) -> None:
    store(own_bundle, objectives={"late": {"position": -1.0}})
    late = parse_system("late:words=2", Resources(str(own_bundle)))
    assert [output.text for output in late.outputs(DATASET)] == ["he said", "on friday"]
    store(own_bundle, objectives={"late": {"position": 1.0}})
    early = parse_system("late:words=2", Resources(str(own_bundle)))
    assert [output.text for output in early.outputs(DATASET)] == ["the ship", "a storm"]


def test_the_settings_of_a_system_name_everything_that_decides_its_outputs(own_bundle: Path, tmp_path: Path) -> None:
    """Kept outputs are those of the same settings: a change of the weights has to make them anew."""
    store(own_bundle, objectives={"headline": {"position": 1.0}})
    first = parse_system("headline:words=2", Resources(str(own_bundle)))
    outputs = OutputStore(tmp_path / "outputs").run(first, RAW)
    store(own_bundle, objectives={"headline": {"position": -1.0}})
    second = parse_system("headline:words=2", Resources(str(own_bundle)))
    assert OutputStore(tmp_path / "outputs").finished(second, RAW) is None
    assert [output.text for output in OutputStore(tmp_path / "outputs").run(second, RAW)] != [o.text for o in outputs]
    asked = Options.of(words=2, objective="headline")
    assert second.settings == Summarizer.load(own_bundle).identity(asked)


def test_an_objective_without_a_factor(own_bundle: Path) -> None:
    store(own_bundle, objectives={"late": {"position": -1.0, "fluency": 0.001}})
    resources = Resources(str(own_bundle))
    without = parse_system("late without fluency:words=2", resources)
    assert [output.text for output in without.outputs(DATASET)] == ["he said", "on friday"]
    for spec, message in {"late without style": "no factor 'style'", "lat without style": "unknown system"}.items():
        with pytest.raises(InputError, match=message):
            parse_system(f"{spec}:words=2", resources)


def test_a_search_for_systems_that_name_none(tiny_bundle: Path) -> None:
    resources = Resources(str(tiny_bundle))
    exact, paper, own = (
        parse_system(spec, resources, search=search)
        for spec, search in (
            ("paper:words=2", "exhaustive"),
            ("paper:words=2", "paper"),
            ("paper:words=2,seed=1", None),
        )
    )
    assert [system.settings["search"] for system in (exact, paper, own)] == ["exhaustive", "paper", "lattice"]
    assert parse_system("paper:words=2,search=annealing", resources, search="paper").settings["search"] == "annealing"
    # Two of nine words: 36 candidates. The paper's budget is 4 steps of one restart, and no candidate is enumerated.
    assert [next(system.outputs(DATASET)).evaluations for system in (exact, paper)] == [36, 5]


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
def own_bundle(tiny_bundle: Path, tmp_path: Path) -> Path:
    """A bundle that may be changed."""
    folder = tmp_path / "own"
    folder.mkdir()
    for file in tiny_bundle.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def store(folder: Path, **description: Mapping[str, Mapping[str, float]]) -> None:
    copy_bundle(open_bundle(folder), folder, description=description)


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
def test_a_registered_unit_factor_and_search_need_nothing_else(own_bundle: Path, tmp_path: Path) -> None:
    store(own_bundle, objectives={"late": {"late": -1.0}})
    (tmp_path / "naus.txt").write_text("ship ran aground\nstorm killed ten people in cuba\n")
    resources = Resources(str(own_bundle))
    specs = ["late:pairs=1,search=slow", f"{tmp_path / 'naus.txt'}:pairs=2"]
    late, naus = evaluate(DATASET, [parse_system(spec, resources) for spec in specs], Rouge()).rows
    assert (late.bracket, late.mean_words, late.violations) == ("1 pairs", 2.0, 0)
    assert (naus.bracket, naus.violations) == ("2 pairs", 1)
    outputs = parse_system(specs[0], resources).outputs(DATASET)
    assert [output.text for output in outputs] == ["he said", "on friday"]
    found = Summarizer.load(own_bundle)(DATASET.sources[0], words=2, objective="late", pretokenized=True)
    assert np.array_equal(found.kept, (7, 8))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "naus.txt"
    path.write_text("ship aground\nstorm\n")
    plain = parse_system(str(path), fake_resources())
    assert (plain.name, plain.length) == ("naus", None)
    named = parse_system(f"NAUS={path}:words=8", fake_resources())
    assert (named.name, named.length) == ("NAUS", Length.of(words=8))
    assert [output.text for output in named.outputs(DATASET)] == ["ship aground", "storm"]
    assert [output.text for output in named.outputs(DATASET, start=1)] == ["storm"]
    assert [output.text for output in named.outputs(DATASET.slice(limit=1))] == ["ship aground"]


def test_a_file_and_an_objective_of_the_same_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper").write_text("ship aground\nstorm\n")
    assert texts("paper:words=2") == ["he said", "on friday"]
    assert texts("./paper:words=2") == texts("P=paper") == ["ship aground", "storm"]


def test_a_file_needs_no_bundle(tmp_path: Path) -> None:
    path = tmp_path / "naus.txt"
    path.write_text("ship aground\nstorm\n")
    nowhere = Resources(str(tmp_path / "nowhere"))
    assert parse_system(str(path), nowhere).name == "naus"
    with pytest.raises(BundleError):
        parse_system("paper:words=8", nowhere)


@pytest.mark.parametrize(("skip", "limit", "first"), [(0, None, 0), (2, None, 2), (0, 3, 0), (2, 3, 2), (4, 1, 4)])
def test_a_file_of_full_length_fits_a_part_of_the_dataset(
    tmp_path: Path, skip: int, limit: int | None, first: int
) -> None:
    whole = Dataset("six", tuple(Example(f"source {i} .", (f"r{i}",)) for i in range(6)))
    part = whole.slice(skip, limit)
    lines = [f"line {i}" for i in range(6)]
    expected = lines[first : first + len(part)]
    for given in (lines, lines[skip:], expected):  # for all sources, for those after the skip, for those that are left
        path = tmp_path / "out.txt"
        path.write_text("\n".join(given) + "\n")
        system = parse_system(str(path), fake_resources())
        assert [output.text for output in system.outputs(part)] == expected
        assert [output.text for output in system.outputs(part, start=1)] == expected[1:]


def test_a_file_with_another_number_of_lines_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("one\ntwo\nthree\n")
    with pytest.raises(InputError, match="has 3 lines, but toy has 2 sources"):
        list(parse_system(str(path), fake_resources()).outputs(DATASET))
    with pytest.raises(InputError, match="has 3 lines, but toy has 2 or 1 sources"):
        list(parse_system(str(path), fake_resources()).outputs(DATASET.slice(1)))


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
        (
            "paper:wrods=8",
            "unknown option 'wrods': known are words, ratio, chars, bytes, sms",
        ),
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
