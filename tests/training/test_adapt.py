"""Adapting: the counts by hand, what stays as it was, and what is refused."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import write_tiny_bundle
from training_toys import write

from tersely.bundle.bundle import Bundle, open_bundle
from tersely.bundle.writing import copy_bundle
from tersely.errors import BundleError, FileError, InputError, TerselyError
from tersely.summary.summarizer import Summarizer
from tersely.training.adapt import adapt, style_changes
from tersely.training.corpus import CorpusFile

TITLES = ["German ship aground", "Ship ran aground: ship sinks"]  # 8 words, "sinks" is unknown
SENTENCE = "the german container ship ran aground early on tuesday at the entrance to the french port"


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    objectives = {"headline": {"fluency": 0.01, "information": 1.0, "style": 2.0}}
    return open_bundle(write_tiny_bundle(tmp_path / "tiny", objectives=objectives))


def adapted(bundle: Bundle, *titles: CorpusFile, articles: tuple[CorpusFile, ...] = (), prior: float = 1e6) -> Bundle:
    out = bundle.folder.with_name("mine")
    return open_bundle(adapt(bundle, out, {"titles": titles, "articles": articles}, [].append, prior=prior))


def count(bundle: Bundle, side: str, *words: str) -> list[float]:
    return [float(n) for n in bundle.tensor(f"counts.{side}")[bundle.vocabulary.ids(words)]]


def without(bundle: Bundle, side: str) -> Bundle:
    """The bundle as if it had been trained without a side."""
    counts = {name: totals for name, totals in bundle.description["counts"].items() if name != side}
    folder = bundle.folder.with_name(f"no-{side}")
    copy_bundle(bundle, folder, without=(f"counts.{side}",), description={"counts": counts})
    return open_bundle(folder)


def test_a_language_file_of_ones_own(bundle: Bundle, tmp_path: Path) -> None:
    file = write(tmp_path / "swedish.json", ['{"lists": {"negation": "inte"}}'])
    new = open_bundle(adapt(bundle, tmp_path / "mine", {}, [].append, language=file))
    assert new.language.lists == {"negation": {"inte"}}
    assert new.description["counts"] == bundle.description["counts"]
    assert "swedish.json" in new.card
    write(file, ['{"lists": 3}'])
    with pytest.raises(InputError, match="no language file"):
        adapt(bundle, tmp_path / "other", {}, [].append, language=file)
    with pytest.raises(FileError, match="cannot read"):
        adapt(bundle, tmp_path / "other", {}, [].append, language=tmp_path / "no.json")


def test_counts_are_lines_with_the_word_beside_the_prior(bundle: Bundle, tmp_path: Path) -> None:
    source = CorpusFile(write(tmp_path / "t.txt", TITLES))
    alone = adapted(bundle, source, prior=0)
    assert count(alone, "titles", "german", "ship", "aground", "port", "<unk>") == [1, 2, 2, 0, 1]
    assert alone.description["counts"]["titles"] == {"lines": 2, "words": 8}
    new = adapted(bundle, source)  # a prior beyond the bundle adds all it has
    old_ship, old_port = count(bundle, "titles", "ship", "port")
    assert count(new, "titles", "ship", "port") == [old_ship + 2, old_port]
    assert new.description["counts"]["titles"] == {"lines": 1002, "words": 9008}


def test_everything_else_stays(bundle: Bundle, tmp_path: Path) -> None:
    new = adapted(bundle, CorpusFile(write(tmp_path / "t.txt", TITLES)))
    assert new.tensors.keys() == bundle.tensors.keys()
    changed = [name for name, tensor in bundle.tensors.items() if not np.array_equal(tensor, new.tensors[name])]
    assert changed == ["counts.titles"]  # no articles were given
    assert new.description["counts"]["articles"] == bundle.description["counts"]["articles"]
    assert new.vocabulary.pieces == bundle.vocabulary.pieces
    assert new.objectives.named == bundle.objectives.named
    different = {key for key in new.description if new.description[key] != bundle.description.get(key)}
    assert different == {"name", "counts", "adapted", "files"}


def test_the_bundle_says_what_was_done(bundle: Bundle, tmp_path: Path) -> None:
    source = CorpusFile(write(tmp_path / "our.titles.txt", TITLES), count_weight=2)
    new = adapted(bundle, source, prior=100)
    entry = {"name": "our", "lines": 2, "words": 8, "weight": 2}
    step = {"from": bundle.signature, "prior": 100, "corpora": {"titles": [entry]}}
    assert new.description["name"] == "mine"
    assert new.description["adapted"] == [step]
    card = (new.folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("# mine\n\nRandom weights, for tests.\n\n## Adapted from tiny@")
    assert "- titles: our, 2 lines, 8 words, weight 2\n" in card
    assert str(tmp_path) not in card + json.dumps(new.description)
    again = open_bundle(adapt(new, tmp_path / "again", {"articles": [source]}, [].append))
    assert [step["from"] for step in again.description["adapted"]] == [bundle.signature, new.signature]
    assert (again.folder / "README.md").read_text(encoding="utf-8").count("## Adapted from") == 2


def test_a_summary_follows_the_new_counts(bundle: Bundle, tmp_path: Path) -> None:
    titles = CorpusFile(write(tmp_path / "t.txt", ["container tuesday port"] * 5_000))
    articles = CorpusFile(write(tmp_path / "a.txt", [SENTENCE] * 1_000))
    before = Summarizer(bundle)(SENTENCE, words=3)
    after = Summarizer(adapted(bundle, titles, articles=(articles,)))(SENTENCE, words=3)
    assert before.text != after.text == "container tuesday port"
    assert "|bundle:mine@" in after.signature


def test_the_report_names_what_changed(bundle: Bundle, tmp_path: Path) -> None:
    lines: list[str] = []
    write(tmp_path / "t.txt", [*["ship aground zeppelin"] * 4_000, ""])
    adapt(bundle, tmp_path / "mine", {"titles": [CorpusFile(tmp_path / "t.txt")]}, lines.append)
    assert lines[0] == "titles: t.txt, 4,000 lines, 12,000 words (left out: 1 without a word), 33.3% of them unknown"
    rose, fell = (line.partition(": ") for line in lines[1:])
    assert (rose[0], fell[0]) == ("style rose (kept sooner)", "style fell (dropped sooner)")
    assert {change.split()[0] for change in rose[2].split(", ")[:2]} == {"ship", "aground"}
    assert len(fell[2].split(", ")) == 10
    assert "-" in fell[2]
    assert style_changes(bundle, bundle) == [f"{rose[0]}: no word", f"{fell[0]}: no word"]


def test_a_bundle_without_a_side_needs_that_side(bundle: Bundle, tmp_path: Path) -> None:
    half, source = without(bundle, "articles"), CorpusFile(write(tmp_path / "t.txt", TITLES))
    with pytest.raises(BundleError, match="has no counts of articles, which style needs: give --articles"):
        adapted(half, source)
    new = adapted(half, articles=(source,))
    assert count(new, "articles", "ship") == [2]  # there is nothing to be prior to it
    assert new.description["counts"]["articles"] == {"lines": 2, "words": 8}
    assert Summarizer(new)(SENTENCE, words=3, objective={"style": 1.0}).kept


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("none.txt", None, FileError, "cannot read .*none.txt: No such file or directory"),
        ("empty.txt", b"", InputError, "empty.txt has no line with a word in it"),
        ("dots.txt", b"...\n\xff\n", InputError, "dots.txt has no line with a word in it"),
        ("half.txt.xz", lzma.compress(b"ship " * 99)[:60], FileError, "cannot read .*half.txt.xz"),
        ("german.txt", b"Das Schiff lief auf Grund", InputError, "does not know 100.0% of the words of .*train"),
    ],
)
def test_text_that_cannot_be_used(
    bundle: Bundle, tmp_path: Path, name: str, content: bytes | None, error: type[TerselyError], message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message):
        adapted(bundle, CorpusFile(tmp_path / name))
    assert not (tmp_path / "mine").exists()


def test_settings_that_cannot_be_used(bundle: Bundle, tmp_path: Path) -> None:
    path = write(tmp_path / "t.txt", TITLES)
    with pytest.raises(InputError, match="is the bundle to adapt"):
        adapt(bundle, bundle.folder, {"titles": [CorpusFile(path)]}, print)
    with pytest.raises(FileError, match=r"none\.txt"):  # before the other is read, which may take long
        adapted(bundle, CorpusFile(write(tmp_path / "empty.txt", [])), CorpusFile(tmp_path / "none.txt"))
    with pytest.raises(InputError, match="nothing to adapt to"):
        adapted(bundle)
    with pytest.raises(InputError, match="all titles have the weight 0"):
        adapted(bundle, CorpusFile(path, count_weight=0))
    for prior in (-1, float("nan"), float("inf")):
        with pytest.raises(InputError, match=f"invalid --prior {prior:g}"):
            adapted(bundle, CorpusFile(path), prior=prior)
