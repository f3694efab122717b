"""The parser learns invented trees by heart, is the same in numpy, and goes on where it was stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tree_toys import SENTENCES, rows, write_trees  # noqa: E402

from tersely.errors import InputError  # noqa: E402
from tersely.sentence.bilstm import BiLstm  # noqa: E402
from tersely.sentence.labels import LABELS  # noqa: E402
from tersely.sentence.lexicon import HIDDEN, Features, Lexicon, normal_form  # noqa: E402
from tersely.sentence.parser import Parser, softmax  # noqa: E402
from tersely.sentence.states import floats  # noqa: E402
from tersely.text.vocabulary import Vocabulary  # noqa: E402
from tersely.text.words import Word, is_punctuation, tokenize  # noqa: E402
from tersely.training.conllu import read_trees  # noqa: E402
from tersely.training.encoder_network import part  # noqa: E402
from tersely.training.export import Tensors  # noqa: E402
from tersely.training.parser import ParserRecipe, ParserTrainer, agreement, train_parser  # noqa: E402
from tersely.training.parser_network import ParserNetwork, ParserSizes, parser_tensors  # noqa: E402
from tersely.training.run import Stopped  # noqa: E402
from tersely.training.treebank import Treebank, TreeBatches, learn_lexicon, read_treebank  # noqa: E402

VOCABULARY = Vocabulary.of("the ship port captain crew anna said to his call".split())
TINY = ParserRecipe(
    tokens=12_000,
    pieces=8,
    extra=50,
    sizes=ParserSizes(piece=16, suffix=8, shape=4, hidden=16, arc=16, label=8),
    batch=80,
    rate=1e-2,
    unknown=0.0,
    rare=0.0,
)


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trees(tmp_path_factory.mktemp("trees") / "toy.conllu")


@pytest.fixture(scope="module")
def lexicon(trees: Path) -> Lexicon:
    return learn_lexicon([trees], VOCABULARY, n_shared=TINY.pieces, n_extra=TINY.extra)


@pytest.fixture(scope="module")
def treebank(trees: Path, lexicon: Lexicon) -> Treebank:
    return read_treebank([trees], lexicon)


@pytest.fixture(scope="module")
def trainer(treebank: Treebank, lexicon: Lexicon) -> ParserTrainer:
    trainer = ParserTrainer(treebank, len(lexicon), TINY)
    while (progress := trainer.spent.progress(TINY, None)) < 1:
        trainer.step(progress)
    return trainer


@pytest.fixture(scope="module")
def parser(trainer: ParserTrainer, lexicon: Lexicon) -> Parser:
    return parser_of(*parser_tensors(trainer.network, lexicon))


def parser_of(tensors: Tensors, description: dict[str, Any]) -> Parser:
    lookup = part(tensors, "parser")
    return Parser(BiLstm.from_tensors(lookup, description, VOCABULARY), lookup)


def test_the_lexicon_has_marks_and_what_the_vocabulary_lacks(lexicon: Lexicon) -> None:
    assert lexicon.id("ship") == VOCABULARY.ids(["ship"])[0]
    assert {".", "?", "!", ","} <= set(lexicon.extra)
    assert lexicon.id("anna") >= TINY.pieces  # in the vocabulary, but not among its first pieces
    assert lexicon.id("zebra") == 0


def test_it_learns_the_trees_by_heart(trainer: ParserTrainer, treebank: Treebank) -> None:
    for cased in (True, False):
        found = agreement(trainer.network, treebank, cased=cased)
        assert found.heads == 1
        assert found.labels == 1


def test_the_numpy_parser_finds_them_again(parser: Parser, trees: Path) -> None:
    for sentence in read_trees(trees):
        words = [Word(f, 0, 0, () if is_punctuation(f) else (normal_form(f),)) for f in sentence.forms]
        for case in (str, str.lower):
            tree = parser.parse([replace(word, text=case(word.text)) for word in words])
            assert tuple(tree.heads) == sentence.heads
            assert tree.relations == sentence.relations
            assert (tree.sureness > 0.5).all()


def test_words_of_several_pieces_have_one_head(parser: Parser) -> None:
    words = tokenize("Cuba's captain lost his ship and crew")
    tree = parser.parse(words)
    assert [words[head].text for head in tree.heads] == ["captain", "lost", "lost", "ship", "lost", "crew", "ship"]
    assert tree.relations[:3] == ("nmod:poss", "nsubj", "root")


def test_two_sentences_in_a_line_have_two_roots(parser: Parser) -> None:
    words = tokenize("The ship sank near the port. Call me back!")
    tree = parser.parse(words)
    assert [words[root].text for root in tree.roots] == ["sank", "Call"]


def test_numpy_equals_torch(lexicon: Lexicon) -> None:
    torch.manual_seed(3)
    network = ParserNetwork(len(lexicon), TINY.sizes)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(std=0.5)
    parser = parser_of(*parser_tensors(network, lexicon))
    _round_as_stored(network, parser)
    tokens = "The ship sank near the port .".split()
    features = lexicon.features(tokens, [normal_form(token) for token in tokens])
    heads = np.array([1, 2, 2, 5, 5, 2, 2])
    scores, dependents, of_heads = parser.scores(parser.encoder.layers(features))
    with torch.no_grad():
        arcs, labels = network(Features(*(field[None] for field in features)), torch.from_numpy(heads[None]))
    np.testing.assert_allclose(softmax(scores), arcs.softmax(1).numpy(), atol=1e-4)
    found = softmax(parser.label_scores(dependents, of_heads[heads]))
    np.testing.assert_allclose(found, labels.softmax(1).numpy(), atol=1e-4)
    assert found.shape == (len(heads), len(LABELS))


def _round_as_stored(network: ParserNetwork, parser: Parser) -> None:
    """Give torch the weights that came back from int8, so that only the arithmetic is compared."""
    names = (*parser.encoder.tables, "roles", "arc", "label")
    stored = {name: torch.from_numpy(floats(parser.tensor, name)) for name in names}
    with torch.no_grad():
        for name in ("piece", "suffix", "shape", "roles"):
            getattr(network, name).weight.copy_(stored[name])
        network.arc.copy_(stored["arc"])
        network.label.copy_(stored["label"])
        for layer in range(network.lstm.num_layers):
            for kind, side in (("ih", "input"), ("hh", "recurrent")):
                forward, backward = stored[f"lstm.{layer}.{side}"].chunk(2)
                getattr(network.lstm, f"weight_{kind}_l{layer}").copy_(forward)
                getattr(network.lstm, f"weight_{kind}_l{layer}_reverse").copy_(backward)


def test_a_stopped_run_goes_on_as_if_it_had_not_been(trees: Path, tmp_path: Path) -> None:
    short = replace(TINY, tokens=1_500, unknown=0.1, rare=1.0)
    lines: list[str] = []

    def train(folder: Path, **options: Any) -> Tensors:
        tensors, _ = train_parser([trees], VOCABULARY, folder, recipe=short, log=lines.append, **options)
        return tensors

    whole = train(tmp_path / "whole")
    asked = iter(range(100))
    with pytest.raises(Stopped):
        train(tmp_path / "broken", stop=lambda: next(asked) == 15)
    resumed = train(tmp_path / "broken")
    assert any("resumes at step 16" in line for line in lines)
    for name, tensor in whole.items():
        np.testing.assert_array_equal(resumed[name], tensor, err_msg=name)


def test_a_folder_of_another_run_is_refused(trees: Path, tmp_path: Path) -> None:
    def train(recipe: ParserRecipe) -> None:
        train_parser([trees], VOCABULARY, tmp_path / "run", recipe=recipe, log=lambda line: None)

    train(replace(TINY, tokens=100))
    with pytest.raises(InputError, match=r"rate was 0\.01, now 0\.02"):
        train(replace(TINY, tokens=100, rate=0.02))


def test_batches_take_every_sentence_once_a_round(treebank: Treebank) -> None:
    batches = TreeBatches(treebank, n_tokens=16, joined=0.0, unended=0.0, seed=1)
    n_tokens = 0
    while batches.position.n_rounds == 0 and n_tokens < len(treebank.ids):
        examples = batches.next()
        n_tokens += examples.heads.size
        assert (examples.features.shapes != HIDDEN).all()
        assert (examples.heads < examples.heads.shape[1]).all()
    assert n_tokens == len(treebank.ids)
    assert batches.position.n_rounds == 0


def test_neighbours_are_joined_and_full_stops_left_out(treebank: Treebank) -> None:
    joined = TreeBatches(treebank, n_tokens=1, joined=1.0, unended=0.0, seed=1)
    lengths = {joined.next().heads.shape[1] for _ in range(len(SENTENCES))}
    both = treebank.lengths[:-1] + treebank.lengths[1:]
    assert lengths == {*both.tolist(), int(treebank.lengths[-1])}
    unended = TreeBatches(treebank, n_tokens=1, joined=0.0, unended=1.0, seed=1)
    for _ in range(len(SENTENCES)):
        heads = unended.next().heads[0]
        assert (heads == np.arange(len(heads))).sum() == 1


def test_a_sentence_that_comes_again_counts_once(tmp_path: Path, lexicon: Lexicon) -> None:
    path = tmp_path / "twice.conllu"
    path.write_text(2 * rows(SENTENCES[0]), encoding="utf-8")
    assert len(read_treebank([path], lexicon).lengths) == 1


def test_a_file_without_trees_is_refused(tmp_path: Path, lexicon: Lexicon) -> None:
    path = tmp_path / "empty.conllu"
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="no sentence of 2 to"):
        read_treebank([path], lexicon)
