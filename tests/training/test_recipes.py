from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tersely.errors import InputError
from tersely.training.plan import open_run
from tersely.training.recipes import Recipe, override, recipe


def test_the_recipe_of_the_paper() -> None:
    paper = recipe("paper")
    assert (paper.layers, paper.hidden, paper.embedding, paper.layer_norm, paper.dropout) == (2, 1024, 1024, True, 0.5)
    assert (paper.optimizer, paper.rate, paper.momentum, paper.clip, paper.longest) == ("sgd", 0.1, 0.9, 15, 20)
    assert (paper.vector_size, paper.vector_epochs, paper.vector_negatives) == (700, 20, 10)
    assert (paper.vector_min_count, paper.vector_rate, paper.vector_subsample) == (5, 0.2, 5e-6)
    assert (paper.vocabulary, paper.negatives, paper.tied, paper.shared) == (70_000, 0, False, False)


def test_a_recipe_from_a_file_changes_what_it_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"hidden": 64, "tied": False}))
    assert recipe(str(path)) == override(Recipe(), {"hidden": "64", "tied": "no"})
    path.write_text("[1]")
    with pytest.raises(InputError, match="not a JSON object"):
        recipe(str(path))
    path.write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        recipe(str(path))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"hiden": 3}, "unknown setting 'hiden'"),
        ({"hidden": "many"}, "invalid hidden 'many'"),
        ({"hidden": "1.5"}, "expected a whole number"),
        ({"hidden": 0}, "invalid hidden 0"),
        ({"tied": "perhaps"}, "expected yes or no"),
        ({"dropout": 1}, "invalid dropout 1"),
        ({"lm_side": "books"}, "invalid lm_side 'books'"),
        ({"rate": 0}, "invalid rate"),
        ({"rate": "nan"}, "invalid rate"),
    ],
)
def test_bad_settings_are_one_clear_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        override(Recipe(), values)


def test_an_unknown_recipe_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="default, paper, tiny"):
        recipe("tinny")


def test_a_deeply_nested_recipe_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="is not JSON"):
        recipe(str(tmp_path / "deep.json"))


@pytest.mark.parametrize("content", ["", "[1]", "[" * 100_000], ids=["empty", "list", "deep"])
def test_a_run_with_damaged_settings_is_one_clear_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "settings.json").write_text(content)
    with pytest.raises(InputError, match=r"settings\.json is damaged: give another folder"):
        open_run(tmp_path, {"hidden": 512}, print)
