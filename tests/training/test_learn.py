"""Learning an editor: it learns, resumes to the same weights, and numpy computes what torch learned."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from conftest import write_tiny_bundle
from learning_toys import TREES, WIDTH, shortenings, write_pairs, write_tiny_encoder
from tree_toys import write_trees

import tersely.training.encoder_network as networks
from tersely.bundle.bundle import open_bundle
from tersely.errors import BundleError, InputError
from tersely.sentence.sentence import stretches_of
from tersely.summary.summarizer import Summarizer
from tersely.text.words import tokenize
from tersely.training import learned_bundle
from tersely.training.build import add_parser
from tersely.training.edit_loss import log_partitions, scored
from tersely.training.learn import ExampleBatches
from tersely.training.learned_bundle import LearnPlan, learn
from tersely.training.pretrained import read_pretrained
from tersely.training.recipes import LearnRecipe
from tersely.training.shortenings import read_shortenings

RECIPE = LearnRecipe(rounds=6, rate=3e-3, heads_rate=1e-2, arc=8, label=4, batch=120, checkpoint_minutes=10)
TEXT = shortenings()[0]["text"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A bundle with a tiny encoder, and what the run reported."""
    folder = tmp_path_factory.mktemp("learned")
    plan = LearnPlan(
        pairs=(write_pairs(folder / "pairs.jsonl"),),
        bundle=write_tiny_bundle(folder / "tiny", editor=False),
        out=folder / "made",
        run=folder / "run",
        recipe=RECIPE,
        encoder=write_tiny_encoder(folder / "encoder"),
        trees=(write_trees(folder / "trees.conllu", TREES),),
    )
    lines = []
    learn(plan, lines.append)
    return plan, lines


def test_an_encoder_a_parser_and_an_editor_are_learned(made):
    plan, lines = made
    bundle = open_bundle(plan.out)
    assert bundle.description["editor"]["held out"]["f1"] > 0.9
    assert bundle.description["parser"]["held out"]["as written"]["heads"] > 0.9
    assert "parser.lstm.0.input" not in bundle
    assert any("held out: token F1" in line for line in lines)
    assert any(line.startswith("warning: ") for line in lines)
    assert "## The editor" in bundle.card
    assert "on the pretrained encoder" in bundle.card
    assert Summarizer(bundle)(TEXT, words=3, fast=True) == "Ship ran aground"


def test_numpy_computes_what_torch_does(made):
    plan, _ = made
    bundle = open_bundle(plan.out)
    network = learned_bundle._network(dataclasses.replace(plan, encoder=None, trees=(), bundle=plan.out), bundle)
    network.eval()
    sources = read_shortenings(plan.pairs)[0][:20]
    with torch.no_grad():
        for source, mask, edges, needs in scored(network.editor, network.read(sources), sources):
            tree = bundle.parser.parse(source.words)
            words = np.flatnonzero(~source.punctuation)
            ours = bundle.editor().scores(tree, words, stretches_of(source.words), int(mask.sum()))
            np.testing.assert_allclose(ours[0], edges.numpy(), atol=1e-4)
            np.testing.assert_allclose(ours[1], needs.numpy(), atol=1e-4)


def test_int8_changes_little_and_serves_a_summary(made, monkeypatch, tmp_path):
    plan, _ = made
    monkeypatch.setattr(networks, "SMALL", 0)
    out = learn(dataclasses.replace(plan, out=tmp_path / "small"), lambda line: None)  # the run is at its end
    bundle = open_bundle(out)
    assert {bundle.tensor(f"encoder.layer.0.{name}").dtype for name in ("attention", "up")} == {np.dtype(np.int8)}
    assert bundle.tensor("editor.roles").dtype == np.int8
    assert Summarizer(bundle)(TEXT, words=3, fast=True) == "Ship ran aground"


@pytest.mark.parametrize("frozen", [False, True], ids=["all", "frozen"])
def test_a_stopped_run_resumes_to_the_same_weights(made, tmp_path, interrupted, frozen):
    base, _ = made
    recipe = dataclasses.replace(RECIPE, rounds=1)
    plan = dataclasses.replace(
        base, bundle=base.out, encoder=None, trees=(), frozen=frozen, recipe=recipe,
        out=tmp_path / "a", run=tmp_path / "r",
    )  # fmt: skip
    whole = open_bundle(learn(plan, lambda line: None))
    again = dataclasses.replace(plan, out=tmp_path / "b", run=tmp_path / "s")
    interrupted(5, lambda: learn(again, print))
    lines = []
    resumed = open_bundle(learn(again, lines.append))
    assert any("resumes at step 5" in line for line in lines)
    assert resumed.tensors.keys() == whole.tensors.keys()
    for name, tensor in whole.tensors.items():
        np.testing.assert_array_equal(tensor, resumed.tensors[name], err_msg=name)
    old = open_bundle(base.out).tensors
    changed = {name.partition(".")[0] for name, t in whole.tensors.items() if not np.array_equal(t, old[name])}
    assert changed == ({"editor"} if frozen else {"encoder", "parser", "editor"})
    assert "pretrained encoder (encoder) of 2 layers" in whole.card
    assert whole.description["editor"]["before"]["f1"] > 0.9


def test_a_parser_with_layers_of_its_own_stays(tiny_bundle, made, tmp_path):
    base, _ = made
    plan = LearnPlan(base.pairs, tiny_bundle, tmp_path / "out", tmp_path / "run", dataclasses.replace(RECIPE, rounds=4))
    lines = []
    bundle = open_bundle(learn(plan, lines.append))
    editor = bundle.description["editor"]
    assert editor["held out"]["f1"] > editor["before"]["f1"] + 0.1
    old = open_bundle(tiny_bundle)
    for name, tensor in old.tensors.items():
        if not name.startswith("editor."):
            np.testing.assert_array_equal(tensor, bundle.tensors[name])
    assert bundle.description["parser"] == old.description["parser"]
    assert Summarizer(bundle)(TEXT, words=3, fast=True).split()


def test_another_parser_takes_the_editor_away(made, tiny_bundle, tmp_path):
    old, new = open_bundle(made[0].out), open_bundle(tiny_bundle)
    tensors = {name: tensor for name, tensor in new.tensors.items() if name.startswith("parser.")}
    add_parser(old, tmp_path / "out", tensors, new.description["parser"])
    bundle = open_bundle(tmp_path / "out")
    assert not {"encoder", "editor"} & bundle.description.keys()
    assert not bundle.wordpieces
    assert "editor.word" not in bundle
    assert "## The editor" not in bundle.card
    assert bundle.parser.parse(tokenize(TEXT)).heads.any()


def test_what_does_not_go_together_is_refused(made, tiny_bundle, tmp_path):
    plan, _ = made
    with pytest.raises(InputError, match="give --trees with --encoder"):
        dataclasses.replace(plan, trees=())
    with pytest.raises(InputError, match="leave out --encoder"):
        dataclasses.replace(plan, frozen=True)
    with pytest.raises(InputError, match="--hours is above 0"):
        dataclasses.replace(plan, hours=0)
    with pytest.raises(InputError, match="tersely train --trees"):
        learn(dataclasses.replace(plan, bundle=tiny_bundle, encoder=None, run=tmp_path / "r"), print)
    bare = write_tiny_bundle(tmp_path / "bare", parser=False)
    with pytest.raises(InputError, match="has no parser"):
        learn(dataclasses.replace(plan, bundle=bare, encoder=None, trees=(), run=tmp_path / "r"), print)


def test_a_folder_that_is_no_encoder_is_refused(tmp_path):
    with pytest.raises(InputError, match="not a pretrained encoder"):
        read_pretrained(tmp_path)
    folder = write_tiny_encoder(tmp_path / "cased")
    with (folder / "vocab.txt").open("a") as file:
        file.write("Ship\n")
    with pytest.raises(InputError, match="uncased"):
        read_pretrained(folder)
    folder = write_tiny_encoder(tmp_path / "other")
    (folder / "config.json").write_text('{"num_hidden_layers": 3, "num_attention_heads": 2}')
    with pytest.raises(InputError, match="is not a BERT: it has no 'encoder"):
        read_pretrained(folder)


def test_a_vocabulary_is_cut_to_its_script(tmp_path):
    tensor, description, pieces = read_pretrained(write_tiny_encoder(tmp_path / "encoder"))
    assert "мир" not in pieces
    assert "[unused0]" not in pieces
    assert tensor("piece").shape == (len(pieces), WIDTH)
    assert description["window"] == 62


def test_the_partition_counts_every_candidate():
    edges = [torch.zeros(n + 1, n + 1) for n in (5, 3)]
    assert torch.exp(log_partitions(edges, [2, 3])).round().tolist() == [10, 1]


def test_batches_take_every_example_once_and_can_be_resumed():
    sizes = list(range(3, 40))
    batches, other = ExampleBatches(sizes, 100, [1]), ExampleBatches(sizes, 100, [1])
    first = [batches.next() for _ in range(len(batches._round))]
    assert sorted(i for batch in first for i in batch) == list(range(37))
    assert all(max(sizes[i] for i in batch) * len(batch) <= 100 for batch in first)
    following = [batches.next() for _ in range(3)]
    other.resume(1, 1)
    assert other.next() == following[1]
    equal = ExampleBatches([3, 4, 5] * 9, 12, [1], equal=True)
    assert {len({equal.sizes[i] for i in equal.next()}) for _ in range(20)} == {1}


@pytest.mark.parametrize("name", ["encoder.layer.1.attention", "encoder.position", "encoder.norm.bias", "parser.roles"])
def test_a_damaged_encoder_is_refused(made, name):
    plan, _ = made
    bundle = open_bundle(plan.out)
    tensors = {**bundle.tensors, name: bundle.tensors[name][..., :-1]}
    with pytest.raises(BundleError, match="has the shape"):
        _ = dataclasses.replace(bundle, tensors=tensors, _models={}).parser
