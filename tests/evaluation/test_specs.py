from __future__ import annotations

from pathlib import Path

import pytest
from evaluation_toys import DATASET, FakeSummarizer, fake_resources

from tersely.errors import InputError
from tersely.evaluation.specs import parse_system


def texts(spec: str, **options: object) -> list[str]:
    system = parse_system(spec, fake_resources(ratios={"storm": 1.0}), **options)  # type: ignore[arg-type]
    return [output.text for output in system.outputs(DATASET)]


def test_baselines_by_name() -> None:
    assert texts("lead-2") == ["the ship", "a storm"]
    assert texts("lead-20%") == ["the ship", "a storm"]  # 20 % of eleven and of ten tokens
    assert texts("lead-7c") == ["the", "a storm"]
    assert texts("lead-7c:hard") == texts("lead-7c", hard=True) == ["the shi", "a storm"]
    assert texts("random-3:seed=1") == texts("random-3:seed=1") != texts("random-3:seed=2")
    assert len(texts("style-1")[0].split()) == 1


def test_limits_come_from_the_name() -> None:
    labels = [parse_system(spec, fake_resources()).limit for spec in ("lead-8", "lead-50%", "lead-75c")]
    assert [limit.label for limit in labels if limit] == ["8 words", "50 %", "75 characters"]


def test_a_summariser_gets_its_options() -> None:
    fake = FakeSummarizer()
    system = parse_system("paper:ratio=20%,search=annealing,seed=3", fake_resources(fake))
    (first, second) = system.outputs(DATASET)
    assert first.text == "he said"
    assert (first.kept, first.n_words, first.score, first.evaluations) == ((7, 8), 9, -1.0, 7)
    assert first.seconds is not None
    assert second.text == "on friday"
    assert fake.calls[0] == {
        "objective": "paper",
        "ratio": 0.2,
        "search": "annealing",
        "seed": 3,
        "pretokenized": True,
    }
    assert system.settings["bundle"] == "fake@1"


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "naus.txt"
    path.write_text("ship aground\nstorm\n")
    plain = parse_system(str(path), fake_resources())
    assert (plain.name, plain.limit) == ("naus", None)
    named = parse_system(f"NAUS={path}:words=8", fake_resources())
    assert named.name == "NAUS"
    assert named.limit is not None
    assert named.limit.label == "8 words"
    assert [output.text for output in named.outputs(DATASET)] == ["ship aground", "storm"]
    assert [output.text for output in named.outputs(DATASET, start=1)] == ["storm"]
    assert [output.text for output in named.outputs(DATASET.head(1))] == ["ship aground"]


def test_a_file_with_another_number_of_lines_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("one line\n")
    with pytest.raises(InputError, match="has 1 lines, but toy has 2 sources"):
        list(parse_system(str(path), fake_resources()).outputs(DATASET))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nothing", "no system 'nothing', and no such file: write lead-8"),
        ("lead-0", "is no baseline"),
        ("random-8c", "is no baseline"),
        ("lead-8:hard", "no such option"),
        ("headline", "needs one length.*none"),
        ("headline:words=8,ratio=0.5", "words, ratio"),
        ("headline:words=many", "words cannot be 'many'"),
        ("headline:words", "is no option"),
        ("style-8", "the bundle has none"),
    ],
)
def test_wrong_names_say_what_to_write(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_system(spec, fake_resources())
