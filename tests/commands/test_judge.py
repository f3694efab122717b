from __future__ import annotations

import json
from pathlib import Path

import pytest

from tersely.commands.judge import draw_sample, read_items
from tersely.errors import InputError
from tersely.evaluation.judge import Item, Judge


@pytest.fixture
def answered(tmp_path: Path) -> Judge:
    judge = Judge.create(tmp_path / "judge.sqlite", ("HC", "Lead"), [Item("s", "a", "b"), Item("t", "c", "d")])
    for name in ("ann", "bob"):
        for position in range(2):
            better = "first" if judge.view(name, position)["summaries"][0] in "ac" else "second"
            judge.answer(name, position, "fidelity", better)
            judge.answer(name, position, "fluency", better if name == "ann" else "equal")
    return judge


def test_the_report(tersely, answered: Judge) -> None:
    done = tersely("judge", "--report", "--db", str(answered.path))
    # Fluency: one vote for HC and one tie on each item, so no majority, a score of 1/2 and no better than chance:
    # observed disagreement 1, expected 2 * 2 * 2 of 4 * 3 = 2/3, alpha = 1 - 3/2.
    assert done.stdout == (
        "HC against Lead, 2 items, 2 annotators\n"
        "question    items  answers  wins  ties  losses   score   alpha\n"
        "fidelity        2        4     2     0       0  +1.000       -\n"
        "fluency         2        4     0     2       0  +0.500  -0.500\n"
        "wins, ties, losses: items by majority vote, for HC\n"
        "score: mean of all answers, +1 for HC, 0 for equal, -1 for Lead\n"
        "alpha: Krippendorff's, nominal; 1 is agreement, 0 is chance\n"
    )


def test_the_report_as_json(tersely, answered: Judge) -> None:
    found = json.loads(tersely("judge", "--report", "--json", "--db", str(answered.path)).stdout)
    assert found["annotators"] == ["ann", "bob"]
    assert found["questions"]["fidelity"]["tally"] == {"wins": 2, "ties": 0, "losses": 0}
    assert found["questions"]["fluency"]["alpha"] == pytest.approx(-0.5)


def test_without_files_it_says_what_to_give(tersely, tmp_path: Path) -> None:
    done = tersely("judge", "--db", str(tmp_path / "new.sqlite"))
    assert done.returncode == 1
    assert "two files of summaries" in done.stderr


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_items_come_from_three_files(tmp_path: Path) -> None:
    sources = write(tmp_path / "input.txt", "s one\ns two\n")
    a, b = write(tmp_path / "hc.txt", "a1\na2\n"), write(tmp_path / "lead.txt", "b1\nb2\n")
    assert read_items(sources, f"HC={a}", b) == (("HC", "lead"), [Item("s one", "a1", "b1"), Item("s two", "a2", "b2")])
    with pytest.raises(InputError, match="both systems are called hc"):
        read_items(sources, a, a)
    with pytest.raises(InputError, match=r"has 1 lines, but .* has 2 sources"):
        read_items(sources, a, write(tmp_path / "short.txt", "b1\n"))


def test_a_sample_keeps_the_order_and_follows_the_seed() -> None:
    items = [Item(str(i), "a", "b") for i in range(30)]
    drawn = draw_sample(items, 5, seed=0)
    assert drawn == sorted(drawn, key=lambda item: int(item.source))
    assert drawn == draw_sample(items, 5, seed=0) != draw_sample(items, 5, seed=1)
    with pytest.raises(InputError, match="there are 30"):
        draw_sample(items, 31, seed=0)


@pytest.mark.parametrize("port", ["-1", "99999"])
def test_a_port_that_does_not_exist(tersely, tmp_path: Path, port: str) -> None:
    files = [write(tmp_path / name, "a ship\n") for name in ("sources.txt", "a.txt", "b.txt")]
    done = tersely("judge", *files, f"--port={port}", "--db", str(tmp_path / "db"), "--no-browser")
    assert (done.returncode, done.stderr) == (1, f"tersely: --port must be from 0 to 65535, not {port}\n")
