"""The parser learns invented trees by heart, is the same in numpy, and goes on where it was stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tree_toys import write_trees

from tersely.sentence.lexicon import Lexicon
from tersely.sentence.parser import Parser, softmax
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize
from tersely.training.export import Tensors
from tersely.training.parser import numpy_parser, train_parser
from tersely.training.parser_network import ParserNetwork, parser_tensors
from tersely.training.plan import Plan
from tersely.training.recipes import PARSER_RECIPES, Recipe
from tersely.training.shortenings import token_words
from tersely.training.treebank import (
    Trees,
    learn_lexicon,
    read_treebank,
    tree_agreement,
)

VOCABULARY = Vocabulary.of("the ship port captain crew anna said to his call".split())
TINY = replace(
    PARSER_RECIPES["tiny"], tokens=12_000, pieces=8, extra=50, batch=80, unknown=0.0, rare=0.0, joined=0.3
)  # fmt: skip


def plan(trees: Path, run: Path, **changes: Any) -> Plan:
    recipe = replace(TINY, **changes)
    return Plan(run, run, Recipe(), trees=(trees,), start_from=Path("any"), parser_recipe=recipe)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trees(tmp_path_factory.mktemp("trees") / "toy.conllu")


@pytest.fixture(scope="module")
def trees(path: Path) -> Trees:
    return read_treebank([path])


@pytest.fixture(scope="module")
def lexicon(trees: Trees) -> Lexicon:
    return learn_lexicon(trees, VOCABULARY, n_shared=TINY.pieces, n_extra=TINY.extra)


@pytest.fixture(scope="module")
def parser(path: Path, tmp_path_factory: pytest.TempPathFactory) -> Parser:
    run = tmp_path_factory.mktemp("parser") / "run"
    return numpy_parser(*train_parser(plan(path, run), VOCABULARY, run, print), VOCABULARY)


def test_the_lexicon_has_marks_and_what_the_vocabulary_lacks(lexicon: Lexicon) -> None:
    assert lexicon.id("ship") == VOCABULARY.ids(["ship"])[0]
    assert {".", "?", "!", ","} <= set(lexicon.extra)
    assert lexicon.id("anna") >= TINY.pieces  # in the vocabulary, but not among its first pieces
    assert lexicon.id("zebra") == 0


@pytest.mark.parametrize("case", [str, str.lower])
def test_it_learns_the_trees_by_heart(parser: Parser, trees: Trees, case: Any) -> None:
    assert tree_agreement(parser, trees, case) == {"heads": 1, "labels": 1}


def test_words_of_several_pieces_have_one_head(parser: Parser) -> None:
    words = tokenize("Cuba's captain lost his ship and crew")
    tree = parser.parse(words)
    assert [words[head].text for head in tree.heads] == ["captain", "lost", "lost", "ship", "lost", "crew", "ship"]
    assert tree.relations[:3] == ("nmod:poss", "nsubj", "root")


def test_two_sentences_in_a_line_have_two_roots(parser: Parser) -> None:
    words = tokenize("The ship sank near the port. Call me back!")
    tree = parser.parse(words)
    assert [words[root].text for root in tree.roots] == ["sank", "Call"]


def test_numpy_equals_torch(trees: Trees, lexicon: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not rounded to int8, so that only the arithmetic is compared.
    monkeypatch.setattr("tersely.training.export.quantize", lambda rows: (rows, np.ones(len(rows), np.float32)))
    torch.manual_seed(3)
    network = ParserNetwork(lexicon, TINY, trees)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    parser = numpy_parser(*parser_tensors(network.state_dict(), lexicon), VOCABULARY)
    some = trees[:3]  # of one length
    with torch.no_grad():
        for tree, row in zip(some, network.states(network.batch(some)), strict=True):
            of_torch = network.split(row[None])
            scores, dependents, heads = parser.scores(parser.encoder.read(token_words(tree.forms)).tokens)
            arcs = network.arcs(*of_torch[:2])[0]
            np.testing.assert_allclose(softmax(scores), arcs.softmax(1).numpy(), atol=1e-4)
            labels = network.labels(*(roles[0] for roles in of_torch[2:]))
            np.testing.assert_allclose(softmax(parser.label_scores(dependents, heads)), labels.softmax(1), atol=1e-4)


def test_a_stopped_run_goes_on_as_if_it_had_not_been(path: Path, tmp_path: Path, interrupted: Any) -> None:
    lines: list[str] = []

    def train(folder: Path) -> Tensors:
        made = plan(path, folder, tokens=1_500, unknown=0.1, rare=1.0)
        return train_parser(made, VOCABULARY, folder, lines.append)[0]

    whole = train(tmp_path / "whole")
    interrupted(16, lambda: train(tmp_path / "broken"))
    resumed = train(tmp_path / "broken")
    assert any("resumes at step 16" in line for line in lines)
    for name, tensor in whole.items():
        np.testing.assert_array_equal(resumed[name], tensor, err_msg=name)
