"""The spaCy component: found by its entry point, sentence by sentence, stored, loaded and sent to other processes."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tersely.errors import InputError
from tersely.summary.summarizer import Summarizer
from tersely.summary.summary import Summary

spacy = pytest.importorskip("spacy")

FIRST, SECOND = (
    "The german ship ran aground early on Tuesday.",
    "Authorities said there were no casualties at the port.",
)


def pipeline(bundle: Path, **config: object):  # type: ignore[no-untyped-def]
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tersely", config={"bundle": str(bundle), **config})
    return nlp


def test_spacy_finds_it_by_its_entry_point() -> None:
    (found,) = {point.value for point in entry_points(group="spacy_factories") if point.name == "tersely"}
    assert found == "tersely.summary.pipe:factory"


def test_every_sentence_is_shortened(tiny_bundle: Path, summarizer: Summarizer) -> None:
    doc = pipeline(tiny_bundle, words=4)(f"{FIRST} {SECOND}")
    found = [sentence._.tersely for sentence in doc.sents]
    assert found == [summarizer(text, words=4) for text in (FIRST, SECOND)]
    assert all(isinstance(one, Summary) and len(one.kept) == 4 for one in found)
    assert doc._.tersely == "\n".join(found)
    assert doc[0:3]._.tersely is None  # no sentence


def test_options_are_those_of_the_library(tiny_bundle: Path, summarizer: Summarizer) -> None:
    options = {"chars": 20, "objective": {"fluency": 1.0, "position": 2.0}, "keep": ["Tuesday"], "seed": 3}
    doc = pipeline(tiny_bundle, **options)(FIRST)
    assert doc._.tersely == summarizer(FIRST, **options)
    assert pipeline(tiny_bundle, words=[2, 3])(FIRST)._.tersely == summarizer(FIRST, words=(2, 3))


def test_without_a_length_it_keeps_eight_words(tiny_bundle: Path) -> None:
    sentence = next(pipeline(tiny_bundle)(SECOND).sents)
    assert len(sentence._.tersely.kept) == 8


def test_a_doc_without_sentences_is_one(tiny_bundle: Path, summarizer: Summarizer) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tersely", config={"bundle": str(tiny_bundle), "words": 3})
    doc = nlp(FIRST)
    assert doc._.tersely == doc[:]._.tersely == summarizer(FIRST, words=3)
    assert nlp("")._.tersely == ""


def test_what_cannot_be_shortened_costs_no_other(tiny_bundle: Path, summarizer: Summarizer) -> None:
    nlp = pipeline(tiny_bundle, words=3)
    parts = [FIRST.split(), ["--", "?"], SECOND.split()]
    words = [word for part in parts for word in part]
    starts = [k == 0 for part in parts for k in range(len(part))]
    doc = nlp.get_pipe("tersely")(spacy.tokens.Doc(nlp.vocab, words=words, sent_starts=starts))
    expected = [summarizer(FIRST, words=3), None, summarizer(SECOND, words=3)]
    assert [sentence._.tersely for sentence in doc.sents] == expected
    assert doc._.tersely == f"{expected[0]}\n{expected[2]}"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"words": 0}, "words must be at least 1, not 0"),
        ({"words": 3, "ratio": 0.5}, "give a length"),
        ({"words": 3, "objective": "best"}, "unknown objective 'best'"),
    ],
)
def test_what_is_refused_is_refused_at_once(tiny_bundle: Path, config: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pipeline(tiny_bundle, **config)


def test_an_unknown_option_is_refused(tiny_bundle: Path) -> None:
    with pytest.raises(ValueError, match="wordz"):
        pipeline(tiny_bundle, wordz=3)


def test_a_pipeline_is_stored_and_loaded(tiny_bundle: Path, tmp_path: Path) -> None:
    nlp = pipeline(tiny_bundle, words=3)
    nlp.to_disk(tmp_path / "nlp")
    again = spacy.load(tmp_path / "nlp")
    assert again(FIRST)._.tersely == nlp(FIRST)._.tersely
    doc = nlp(FIRST)
    copy = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert copy._.tersely == doc._.tersely
    assert [sent._.tersely for sent in copy.sents] == [sent._.tersely for sent in doc.sents]


@pytest.mark.slow
def test_two_processes(tiny_bundle: Path) -> None:
    nlp = pipeline(tiny_bundle, words=3)
    texts = [FIRST, SECOND] * 5
    docs = list(nlp.pipe(texts, n_process=2, batch_size=2))
    assert [doc._.tersely for doc in docs] == [nlp(text)._.tersely for text in texts]
