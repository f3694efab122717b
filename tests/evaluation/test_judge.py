from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tersely.errors import FileError, InputError
from tersely.evaluation.judge import Item, Judge

ITEMS = [Item(f"source {i}", f"a{i}", f"b{i}") for i in range(20)]
NAMES = ("HC", "Lead")


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge.create(tmp_path / "judge.sqlite", NAMES, ITEMS)


def prefer(judge: Judge, annotator: str, letter: str, question: str = "fidelity") -> None:
    """Answer all items in favour of the system whose summaries start with a letter."""
    for position in range(judge.n_items):
        summaries = judge.view(annotator, position)["summaries"]
        judge.answer(annotator, position, question, "first" if summaries[0].startswith(letter) else "second")


def test_votes_are_for_the_system_and_not_for_the_side(judge: Judge) -> None:
    prefer(judge, "ann", "a")
    prefer(judge, "bob", "b")
    report = judge.report()
    assert report["fidelity"].tally == (0, 20, 0)
    assert all(votes == {"ann": 1, "bob": -1} for votes in judge.votes("fidelity"))
    assert report["fluency"].n_answers == 0
    assert judge.annotators() == ["ann", "bob"]


def test_both_orders_occur_and_differ_between_annotators(judge: Judge) -> None:
    ann = [judge.is_swapped("ann", i) for i in range(20)]
    assert 4 <= sum(ann) <= 16
    assert ann != [judge.is_swapped("bob", i) for i in range(20)]
    assert judge.order("ann") != judge.order("bob")
    assert sorted(judge.order("ann")) == list(range(20))


def test_the_first_open_item_comes_next(judge: Judge) -> None:
    judge.answer("ann", 0, "fidelity", "first")
    assert judge.view("ann")["position"] == 0  # fluency is still open
    judge.answer("ann", 0, "fluency", "first")
    view = judge.view("ann")
    assert (view["position"], view["done"], view["total"]) == (1, 1, 20)
    for position in range(1, 20):
        for question in ("fidelity", "fluency"):
            judge.answer("ann", position, question, "equal")
    assert judge.view("ann")["finished"]
    assert not judge.view("bob")["finished"]


def test_an_answer_can_be_changed(judge: Judge) -> None:
    judge.answer("ann", 3, "fluency", "first")
    judge.answer("ann", 3, "fluency", "second")
    assert judge.view("ann", 3)["answers"] == {"fluency": "second"}
    assert judge.report()["fluency"].n_answers == 1


@pytest.mark.parametrize(
    ("annotator", "position", "question", "choice"),
    [(" ", 0, "fidelity", "first"), ("x" * 81, 0, "fidelity", "first"), ("ann", 20, "fidelity", "first"),
     ("ann", -1, "fidelity", "first"), ("ann", 0, "beauty", "first"), ("ann", 0, "fidelity", "third")],
)  # fmt: skip
def test_invalid_answers(judge: Judge, annotator: str, position: int, question: str, choice: str) -> None:
    with pytest.raises(InputError):
        judge.answer(annotator, position, question, choice)
    assert judge.annotators() == []


@pytest.mark.parametrize(("names", "items"), [(("HC", "NAUS"), ITEMS), (NAMES, ITEMS[:3])])
def test_another_comparison_in_the_file_is_not_overwritten(judge: Judge, names: Any, items: list[Item]) -> None:
    with pytest.raises(InputError, match="another comparison"):
        Judge.create(judge.path, names, items)


def test_files_without_judgements(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        Judge(tmp_path / "missing.sqlite")
    wrong = tmp_path / "wrong.sqlite"
    wrong.write_text("this is no database, but it is long enough to be read as one" * 20)
    with pytest.raises(FileError, match="not a file of judgements"):
        Judge(wrong)
    with pytest.raises(InputError, match="nothing to judge"):
        Judge.create(tmp_path / "empty.sqlite", NAMES, [])
