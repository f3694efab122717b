from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_bundle import write_tiny_bundle
from training_toys import titles, write

from tersely.bundle.bundle import open_bundle
from tersely.bundle.writing import copy_bundle
from tersely.errors import InputError
from tersely.text.vocabulary import END_ID
from tersely.training.build import build
from tersely.training.corpus import CorpusFile
from tersely.training.plan import Plan
from tersely.training.recipes import recipe

TINY = replace(recipe("tiny"), tokens=6_000, head=5, negatives=5)


def quiet(line: str) -> None:
    """A log that nobody reads."""


def plan(folder: Path, titles: Path | None, articles: Path | None, **changes: object) -> Plan:
    sides = {
        "titles": (CorpusFile(titles),) if titles else (),
        "articles": (CorpusFile(articles),) if articles else (),
    }
    return replace(Plan(folder / "bundle", folder / "run", TINY, **sides), **changes)


def test_a_run_that_cannot_work_says_so(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    lines: list[str] = []
    disorder = CorpusFile(write(tmp_path / "disorder.txt", ["off off ship monday aground aground runs"] * 9))
    build(plan(tmp_path, *corpora, valid=(disorder,), recipe=replace(TINY, tokens=20_000)), lines.append)
    warned = [line for line in lines if line.startswith("warning: ")]
    assert "vocabulary" in warned[0]
    assert [line.split(": ")[1] for line in warned[1:]] == ["disorder, forward", "disorder, backward"]


def test_two_corpora_make_a_complete_bundle(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    lines: list[str] = []
    bundle = open_bundle(build(plan(tmp_path, *corpora), lines.append))
    assert bundle.description["counts"]["titles"] == {"lines": 300.0, "words": 1800.0}
    ship = bundle.vocabulary.ids(["ship"])[0]
    assert bundle.tensor("counts.titles")[ship] == sum("ship" in line for line in titles(300))
    others = ("forward.output", "backward.embedding", "backward.output")
    assert bundle.description["aliases"] == dict.fromkeys(others, "forward.embedding")
    figures = bundle.description["figures"]["held out"]["models"]
    assert max(figures[direction]["perplexity"] for direction in ("forward", "backward")) < 7
    assert lines[-1].startswith("factors: fluency, fluency_forward, fluency_backward, similarity, information, style, ")
    assert "| titles | titles | 300 | 1,800 | 1 | 1 |" in (bundle.folder / "README.md").read_text()


def test_the_stored_models_score_as_the_trained_ones(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    made = plan(tmp_path, *corpora, recipe=replace(TINY, layers=2, layer_norm=True, tied=False, shared=False))
    bundle = open_bundle(build(made, quiet))
    for direction, model in bundle.description["figures"]["held out"]["models"].items():
        fluency, n, total = bundle.language_model(direction), 0, 0.0
        for line in titles(300)[-20:]:
            ids = np.array(bundle.vocabulary.ids(line.split()[:: 1 if direction == "forward" else -1]))
            state = fluency.begin
            for i in [*ids, END_ID]:
                features = fluency.features(state)
                total += float((features @ fluency.output.gather(np.array([i])).T + fluency.output_bias[i])[0, 0])
                total -= float(fluency.log_z(features)[0])
                state = fluency.step(fluency.project(np.array([i])), state)
                n += 1
        assert np.exp(-total / n) == pytest.approx(model["perplexity"], rel=0.02)


def test_a_missing_side_leaves_out_what_needs_it(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    lines: list[str] = []
    bundle = open_bundle(build(plan(tmp_path, corpora[0], None), lines.append))
    assert "counts.titles" in bundle
    assert "counts.articles" not in bundle
    assert "; not information, style, contiguity" in lines[-1]
    assert "which need --articles" in lines[-1]


@pytest.mark.parametrize(("side", "lines"), [("titles", 300), ("articles", 200), ("vectors", 500)])
def test_idf_is_counted_over_the_lines_of_a_side(
    side: str, lines: int, tmp_path: Path, corpora: tuple[Path, Path]
) -> None:
    bundle = open_bundle(build(plan(tmp_path, *corpora, recipe=replace(TINY, idf_side=side)), quiet))
    counts = {name: bundle.tensor(f"counts.{name}") for name in ("titles", "articles")}
    documents = counts["titles"] + counts["articles"] if side == "vectors" else counts[side]
    expected = np.log2(lines / np.maximum(documents, 1))
    assert bundle.tensor("idf") == pytest.approx(expected, abs=1e-4)


def test_vectors_from_another_corpus(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    other = write(tmp_path / "other.txt", ["ship havre", "ferry dover"] * 50)
    bundle = open_bundle(build(plan(tmp_path, *corpora, vectors_from=(CorpusFile(other),)), quiet))
    vectors = bundle.table("vectors")
    assert vectors.gather(np.array(bundle.vocabulary.ids(["ship"]))).any()
    assert not vectors.gather(np.array(bundle.vocabulary.ids(["aground"]))).any()


def test_a_finished_run_is_not_trained_again(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    first = open_bundle(build(plan(tmp_path, *corpora), quiet))
    lines: list[str] = []
    again = open_bundle(build(plan(tmp_path, *corpora), lines.append))
    assert lines[0].startswith("resumes the run")
    assert not any("tokens/s" in line for line in lines)
    assert again.description["files"] == first.description["files"]
    with pytest.raises(InputError, match="hidden was 24, now 25"):
        build(plan(tmp_path, *corpora, recipe=replace(TINY, hidden=25)), quiet)


def test_what_is_left_out_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "titles.txt"
    lines = [line.encode() for line in titles(100)]
    path.write_bytes(b"\n".join([*lines, b"\xff\xfe", b"word " * 100_000, b"..."]))
    said: list[str] = []
    bundle = open_bundle(build(plan(tmp_path, path, None), said.append))
    assert said[0].endswith("(left out: 1 not UTF-8, 1 without a word, 1 too long)")
    assert bundle.description["corpora"]["titles"][0]["left out"] == {"invalid": 1, "empty": 1, "long": 1}


def test_a_corpus_without_words_is_refused(tmp_path: Path) -> None:
    for content, message in (("\n\n...\n", "no line with a word"), ("ship\n" * 30, "1 different words")):
        with pytest.raises(InputError, match=message):
            build(plan(tmp_path, write(tmp_path / "titles.txt", [content]), None), quiet)
    assert not (tmp_path / "bundle").exists()


def test_a_run_that_starts_from_a_bundle_reads_on(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    first = open_bundle(build(plan(tmp_path, *corpora), quiet))
    other = write(tmp_path / "other.txt", ["zeppelin lands", *titles(300)])  # the same lines are held out
    made = plan(tmp_path / "on", other, None, recipe=replace(TINY, tokens=1, rate=1e-9), start_from=first.folder)
    second = open_bundle(build(made, quiet))
    assert second.vocabulary.pieces == first.vocabulary.pieces
    assert second.description["started from"] == first.signature
    assert f"- started from the language models of {first.signature}\n" in (second.folder / "README.md").read_text()
    before, after = (b.description["figures"]["held out"]["models"] for b in (first, second))
    for direction in before:
        assert after[direction]["perplexity"] == pytest.approx(before[direction]["perplexity"], rel=0.01)
    # A checkpoint of the run goes before the bundle.
    path = made.run / "forward-backward.pt"
    state = torch.load(path)
    state["embedding"]["rows"] += 1
    torch.save(state, path)
    third = open_bundle(build(made, quiet))
    assert third.description["figures"]["held out"]["models"] != after


def test_a_bundle_of_other_sizes_is_no_start(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    first = build(plan(tmp_path, *corpora, recipe=replace(TINY, tokens=1)), quiet)
    recipe = replace(TINY, hidden=25, tied=False)
    with pytest.raises(InputError, match="its hidden is 24, not 25; its tied is True, not False"):
        build(plan(tmp_path / "on", *corpora, recipe=recipe, start_from=first), quiet)
    assert not (tmp_path / "on").exists()


def test_a_new_bundle_has_the_objectives_that_are_known(
    tmp_path: Path, corpora: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {"fluency": 1.0, "style": 2.0, "grammar": 3.0}
    shipped = write_tiny_bundle(
        tmp_path / "shipped", width=TINY.embedding, hidden=TINY.hidden, editor=False,
        objectives={"headline": weights, "sentence": {"fluency": 1.0}},
    )  # fmt: skip
    monkeypatch.setattr("tersely.training.build.DEFAULT_BUNDLE", shipped)
    short = replace(TINY, tokens=1)
    first = open_bundle(build(plan(tmp_path, corpora[0], None, recipe=short), quiet))
    signature = open_bundle(shipped).signature
    assert first.objectives.named == open_bundle(shipped).objectives.named
    assert list(first.objectives.weights("headline")) == ["fluency", "use"]  # it has neither articles nor trees
    assert first.description["objectives from"] == {"headline": signature, "sentence": signature}
    assert (
        f"- objectives with the weights of {signature}, not tuned to these models: headline, sentence\n" in first.card
    )
    # The bundle that a run starts from comes first.
    own = {"sentence": {"fluency": 1.0, "clauses": 2.0}}
    copy_bundle(first, first.folder, description={"objectives": {**first.description["objectives"], **own}})
    first = open_bundle(first.folder)
    on = plan(tmp_path / "on", *corpora, recipe=short, start_from=first.folder)
    second = open_bundle(build(on, quiet))
    assert second.objectives.named["sentence"] == own["sentence"]
    assert second.description["objectives from"]["sentence"] == first.signature
    # Without a bundle that ships there is the paper's.
    monkeypatch.setattr("tersely.training.build.DEFAULT_BUNDLE", tmp_path / "none")
    alone = open_bundle(build(plan(tmp_path / "alone", corpora[0], None, recipe=short), quiet))
    assert list(alone.objectives.named) == ["paper"]


def test_nothing_to_train_on_is_refused(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="give --titles, --articles or both"):
        plan(tmp_path, None, None)
    with pytest.raises(InputError, match="trained on titles, and there are none"):
        plan(tmp_path, None, corpora[1])
    with pytest.raises(InputError, match="weight 0"):
        Plan(tmp_path / "b", tmp_path / "r", TINY, titles=(CorpusFile(corpora[0], weight=0.0),))
    with pytest.raises(InputError, match="invalid --hours 0"):
        plan(tmp_path, *corpora, hours=0.0)


def test_nothing_but_a_bundle_is_replaced(
    tmp_path: Path, corpora: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "letters").mkdir()
    letter = write(tmp_path / "letters" / "to-mother.txt", ["Dear mother"])
    note = write(write_tiny_bundle(tmp_path / "kept") / "note.txt", ["do not lose"])
    for place, message in ((letter, "no bundle"), (letter.parent, "no bundle"), (note.parent, "more in it")):
        with pytest.raises(InputError, match=message):
            build(plan(tmp_path, *corpora, out=place), quiet)
    assert letter.exists()
    assert note.exists()
    monkeypatch.chdir(write_tiny_bundle(tmp_path / "here"))
    with pytest.raises(InputError, match="folder that you are in"):
        build(plan(tmp_path, *corpora, out=Path(".")), quiet)
    assert not (tmp_path / "run").exists()
