"""The parser or the vectors of a bundle are exchanged; everything else stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import write_tiny_bundle
from training_toys import articles, write
from tree_toys import rows, write_trees

from tersely.bundle.bundle import open_bundle
from tersely.cli import main
from tersely.errors import InputError
from tersely.text.words import tokenize
from tersely.training.build import add_parser, build
from tersely.training.corpus import CorpusFile
from tersely.training.counts import inverse_document_frequency
from tersely.training.plan import Plan
from tersely.training.recipes import PARSER_RECIPES, recipe

TINY = replace(recipe("tiny"), tokens=6_000, head=5, negatives=5)


def plan(folder: Path, corpora: tuple[Path, Path], **changes: object) -> Plan:
    titles, articles = ((CorpusFile(path),) for path in corpora)
    return replace(Plan(folder / "bundle", folder / "run", TINY, titles=titles, articles=articles), **changes)


def test_trees_make_a_parser_and_a_later_run_keeps_it(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    trees, lines = write_trees(tmp_path / "toy-01.conllu"), list[str]()
    with trees.open("a") as file:  # of ten trees one is held out
        file.write(rows("They/2/nsubj left/0/root") + rows("Anna/2/nsubj sank/0/root"))
    made = plan(tmp_path, corpora, trees=(trees,), parser_recipe=replace(PARSER_RECIPES["tiny"], tokens=2_000))
    bundle = open_bundle(build(made, lines.append))
    assert bundle.description["parser"]["trees"] == {"files": ["toy-01.conllu"], "trees": 10, "tokens": 60}
    assert set(bundle.description["parser"]["held out"]) == {"cased", "lower-cased"}
    assert any(line.startswith("parser, held out, cased: ") for line in lines)
    assert "- learned from 10 dependency trees of 60 tokens: toy\n" in bundle.card
    assert len(bundle.parser.parse(tokenize("The ship sank near the port."))) == 7
    on = plan(tmp_path / "on", corpora, recipe=replace(TINY, tokens=1), start_from=bundle.folder)
    later = open_bundle(build(on, lambda line: None))
    assert later.description["parser"] == bundle.description["parser"]
    assert (later.tensor("parser.piece") == bundle.tensor("parser.piece")).all()


def test_a_bundle_gets_a_parser_and_its_objectives_use_it(tmp_path: Path) -> None:
    weights = {"fluency": 1.0, "grammar": 3.0}
    objectives = {"headline": weights, "late": {"position": -1.0}}
    old = open_bundle(write_tiny_bundle(tmp_path / "old", parser=False, objectives=objectives))
    assert "grammar" not in old.objectives.weights("headline")
    recipe = replace(PARSER_RECIPES["tiny"], tokens=500)
    trees = (write_trees(tmp_path / "toy.conllu"),)
    made = Plan(tmp_path / "new", tmp_path / "run", TINY, trees=trees, parser_recipe=recipe, start_from=old.folder)
    new = open_bundle(build(made, lambda line: None))
    assert {name for name in new.tensors if not name.startswith("parser.")} == set(old.tensors)
    assert all((new.tensor(name) == old.tensor(name)).all() for name in old.tensors)
    assert new.objectives.named == old.objectives.named
    assert weights.items() <= new.objectives.weights("headline").items()
    assert new.card.startswith("# new\n\nRandom weights, for tests.\n\n## The parser\n\n- ")
    tensors = {name: tensor for name, tensor in new.tensors.items() if name.startswith("parser.")}
    add_parser(new, tmp_path / "again", tensors, {**new.description["parser"], "note": "again"})
    again = open_bundle(tmp_path / "again")
    assert again.card.count("## The parser") == 1  # the second in the place of the first
    assert again.card.endswith("- again\n")
    assert set(again.tensors) == set(new.tensors)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trees": (Path("x"),)}, "to train only a parser, give --trees"),
        ({"trees": (Path("x"),), "start_from": Path("b"), "hours": 1.0}, "give --parser-hours"),
        (
            {"trees": (Path("x"),), "start_from": Path("b"), "vectors_from": (CorpusFile(Path("x")),)},
            "give --trees or --vectors-from",
        ),
        ({"titles": (CorpusFile(Path("x")),), "parser_hours": 0.0}, "invalid --parser-hours 0"),
    ],
)
def test_plans_of_a_parser_that_do_not_work(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Plan(tmp_path / "out", tmp_path / "run", TINY, **changes)


def command(tmp_path: Path) -> str:
    text = write(tmp_path / "text.txt", articles(200))
    return f"train --recipe tiny --vectors-from {text} --start-from {tmp_path / 'old'} --out {tmp_path / 'new'}"


def test_only_the_vectors_and_their_idf_are_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tiny_bundle(tmp_path / "old")
    assert main(command(tmp_path).split()) == 0
    old, new = open_bundle(tmp_path / "old"), open_bundle(tmp_path / "new")
    assert set(new.tensors) == set(old.tensors)
    changed = {name for name in old.tensors if not np.array_equal(old.tensor(name), new.tensor(name))}
    assert changed == {"vectors", "vectors.scale", "idf"}
    assert new.vocabulary.pieces == old.vocabulary.pieces
    known = [line.split() for line in articles(200)]
    documents = np.array([sum(piece in line for line in known) for piece in new.vocabulary.pieces], np.float32)
    there = documents > 0
    assert there.any()
    expected = inverse_document_frequency(documents, 200)
    np.testing.assert_allclose(new.tensor("idf")[there], expected[there], rtol=1e-5)
    assert new.description["vectors from"] == "text"
    assert new.description["started from"] == old.signature
    assert f"all else is that of {old.signature}" in new.card
    assert capsys.readouterr().out == f"{tmp_path / 'new'}\n"
    # The same command goes on with the vectors that are there.
    made = (tmp_path / "new.run" / "vectors.npy").stat().st_mtime_ns
    assert main(command(tmp_path).split()) == 0
    assert (tmp_path / "new.run" / "vectors.npy").stat().st_mtime_ns == made
    assert open_bundle(tmp_path / "new").signature == new.signature
