"""The data of a language: word lists and kinds of needs, read from a file, and refused if they are wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from english import ENGLISH

from tersely.sentence.language import BadLanguage, Language, Step, read_language
from tersely.sentence.sentence import Sentence
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize

NEED = {"kind": "subject", "cost": 4, "path": "down nsubj", "example": "The [crew] *left*."}


def read(*needs: Any, **lists: Any) -> Language:
    return read_language(json.dumps({"lists": lists, "needs": list(needs)}).encode())


def sentence(text: str, language: Language) -> Sentence:
    return Sentence.of(tokenize(text), Vocabulary.of([]), language=language)


def test_a_path_and_its_conditions() -> None:
    row = {
        **NEED,
        "path": "up conj, down cc or phrase fixed",
        "word": "not in bare, with bare as aux",
        "unmarked": True,
    }
    kind = read(row, bare="be, been", fixed="such as").kinds[0]
    assert kind.paths == ((Step("up", ("conj",)), Step("down", ("cc",))), (Step("phrase", ("fixed",)),))
    assert [(c.test, c.names, c.negated) for c in kind.word] == [("in", ("bare",), True), ("with", ("bare",), False)]
    assert kind.word[1].labels == ("aux",)
    assert kind.unmarked


WRONG: list[tuple[bytes | dict[str, Any], str]] = [
    (b"", "JSON"),
    (b"\xff", "JSON"),
    (b"[]", "lists"),
    (b'{"lists": {"bare": 3}}', "'bare'"),
    (b'{"lists": {"two words": "a"}}', "two words"),
    (b'{"lists": {}, "needs": {}}', "needs"),
    (b'{"lists": {}, "needs": [3]}', "no kind"),
    ({"cost": "4"}, "cost"),
    ({"cost": -1}, "cost"),
    ({"cost": float("nan")}, "cost"),
    ({"cost": 1e9}, "cost"),
    ({"path": ""}, "step"),
    ({"path": "down"}, "step"),
    ({"path": "sideways nsubj"}, "sideways"),
    ({"path": "down kase"}, "'kase'"),
    ({"path": "phrase fixed"}, "'fixed'"),
    ({"word": "in bare"}, "'bare'"),
    ({"word": "not"}, "condition"),
    ({"needed": "near it"}, "near it"),
    ({"needed": 3}, "needed"),
    ({"unmarked": "no"}, "unmarked"),
    ({"prose": 1}, "prose"),
    ({"paths": "down obj"}, "'paths'"),
]


@pytest.mark.parametrize(("content", "word"), WRONG)
def test_what_is_wrong_is_named_in_one_line(content: bytes | dict[str, Any], word: str) -> None:
    if isinstance(content, dict):
        content = json.dumps({"lists": {}, "needs": [{**NEED, **content}]}).encode()
    with pytest.raises(BadLanguage, match=word) as caught:
        read_language(content)
    assert "\n" not in str(caught.value)


def test_a_kind_is_there_once() -> None:
    with pytest.raises(BadLanguage, match="same kind"):
        read(NEED, NEED)


def test_words_and_phrases_are_found() -> None:
    language = read(negation="not, n't, far from", parts="end")
    found = sentence("It isn't far from the end , not far off", language)
    assert [found.words[i].text for i in found.among("negation").nonzero()[0]] == ["isn't", "far", "not"]
    assert found.phrases(("negation",)) == [slice(2, 4)]
    assert not found.among("unheard-of").any()


def test_a_name_is_in_no_list() -> None:
    found = sentence("It may rain in May.", ENGLISH)
    assert found.among("hedge").tolist() == [False, True, False, False, False]


@pytest.mark.parametrize("key", ["path", "word"])
def test_what_is_wrong_is_named_in_one_short_line(key: str) -> None:
    need = {"kind": "host", "cost": 1, "path": "next", key: "x" * 100_000 + "\n"}
    with pytest.raises(BadLanguage) as raised:
        read_language(json.dumps({"lists": {}, "needs": [need]}).encode())
    assert len(str(raised.value)) < 300
    with pytest.raises(BadLanguage, match=r"a need has no kind: '\\n'$"):
        read_language(json.dumps({"lists": {}, "needs": ["\n"]}).encode())
