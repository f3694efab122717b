"""What `keep` and `drop` mean: words, phrases, the second of several, kinds of words; and impossible pins."""

from __future__ import annotations

import pytest
from english import ENGLISH

import tersely.candidates.pins
from tersely import Summarizer
from tersely.candidates import space
from tersely.candidates.length import Length
from tersely.candidates.names import is_name
from tersely.candidates.pins import fewest_words, pins, soft_pins
from tersely.errors import InputError
from tersely.sentence.language import Language
from tersely.sentence.sentence import Sentence
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import Word, tokenize

TEXT = (
    "The BBC said on Tuesday that two of 4,200 people in the port of Le Havre didn't get the call, but there were no "
    "casualties. Officials, I think, saw the Queen's ship."
)


def chosen(keep: object = (), drop: object = (), text: str = TEXT, **length: object) -> tuple[list[str], list[str]]:
    """The words that are pinned, and those that are banned."""
    tokens = tokenize(text)
    sentence = Sentence.of(tokens, Vocabulary.of(["ship"]), language=ENGLISH)
    budget = Length.of(**(length or {"words": 20})).budget(tokens)
    masks = pins(sentence, budget, [keep] if isinstance(keep, str) else keep, [drop] if isinstance(drop, str) else drop)
    return tuple([word.text for word, chosen in zip(sentence.words, mask, strict=True) if chosen] for mask in masks)


@pytest.mark.parametrize(
    ("keep", "pinned"),
    [
        ("havre", ["Havre"]),
        ("no casualties", ["no", "casualties"]),
        ("Le Havre, didn't", ["Le", "Havre", "didn't"]),
        (["casualties", "port of"], ["port", "of", "casualties"]),
        ("queen", ["Queen's"]),
        ("numbers", ["two", "4,200"]),
        ("names", ["BBC", "Le", "Havre", "Queen's"]),
        ("negation", ["didn't", "no"]),
        (["negation", "casualties"], ["didn't", "no", "casualties"]),
        ("the", ["The", "the", "the", "the"]),
        ("the#2", ["the"]),
        ([], []),
    ],
)
def test_what_a_pattern_matches(keep: object, pinned: list[str]) -> None:
    assert chosen(keep=keep)[0] == pinned
    assert chosen(drop=keep)[1] == pinned


@pytest.mark.parametrize("keep", ["workers", "workers'", "Workers\u2019"])
def test_a_possessive_is_found_with_and_without_its_apostrophe(keep: str) -> None:
    assert chosen(keep=keep, text="They said 'no' to the workers' plan")[0] == ["workers'"]


def test_a_word_that_occurs_often_is_kept_once_if_not_all_fit() -> None:
    assert chosen(keep=["the", "ship"], words=5)[0] == ["The", "the", "the", "the", "ship"]
    assert chosen(keep=["the", "ship"], words=4)[0] == ["The", "ship"]
    assert chosen(keep="the", chars=6)[0] == ["The"]
    assert chosen(keep="US", text="they told us what the US does", words=1)[0] == ["US"]
    assert chosen(keep="The Port", text="the port and The Port", words=2)[0] == ["The", "Port"]


def test_many_patterns_do_not_read_the_words_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Word] = []
    forms = tersely.candidates.pins._forms
    monkeypatch.setattr(tersely.candidates.pins, "_forms", lambda word: read.append(word) or forms(word))
    assert chosen(drop=["the ship", "whale", "port of", "call"] * 50)[1] == ["port", "of", "call"]
    assert len(read) == sum(not word.punctuation for word in tokenize(TEXT))


def test_many_patterns_do_not_search_for_one_word_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read, readings = [], tersely.candidates.pins._occurrences
    monkeypatch.setattr(
        tersely.candidates.pins, "_occurrences", lambda sentence, words: read.append(words) or readings(sentence, words)
    )
    text = "ship's " * 30
    assert len(chosen([f"ship#{i}" for i in range(1, 31)], text=text, words=30)[0]) == 30
    assert read.count(["ship"]) == 1
    read.clear()
    chosen(["ship"] * 30, ["no"] * 30, text=text, words=30)
    assert read.count(["ship"]) == 1


def test_the_fewest_words_that_hold_what_is_kept() -> None:
    tokens = tokenize("two of 12 ships from cuba 's port", pretokenized=True)
    sentence = Sentence.of(tokens, Vocabulary.of([]), language=ENGLISH)
    assert fewest_words(sentence, []) == 0
    assert fewest_words(sentence, ["numbers", "two", "from cuba", "cuba"]) == 4
    assert fewest_words(sentence, ["'s"]) == 2  # with its host


def test_words_that_several_patterns_prefer_are_preferred_once() -> None:
    sentence = Sentence.of(tokenize("the ship and the port"), Vocabulary.of(["ship"]))
    found = soft_pins(sentence, ["the", "THE", "ship", "the", "the ship"])
    assert [mask.nonzero()[0].tolist() for mask in found] == [[0], [3], [1], [0, 1]]


def test_a_kind_may_match_nothing() -> None:
    assert chosen(keep=["numbers", "names", "negation"], text="ships sank") == ([], [])


def test_a_kind_is_also_a_word() -> None:
    assert chosen(keep="names#1", text="two names sank")[0] == ["names"]


@pytest.mark.parametrize(
    ("keep", "drop", "message"),
    [
        ("whale", [], "'whale': it is not a word"),
        ("casualties no", [], "'casualties no': these words do not follow"),
        ("the#5", [], "'the#5': the text has 'the' 4 times"),
        ("the#0", [], "cannot keep 'the#0'"),
        ("", [], "cannot keep ''"),
        ("ship" + "#1" * 2000, [], "cannot keep 'ship#1"),
        ("ship#" + "9" * 4400, [], "cannot keep 'ship#9"),
        ("--", [], "cannot keep '--'"),
        ("port", ["the port"], "'port' cannot be kept and dropped"),
        ("Havre", ["names"], "'Havre' cannot be kept and dropped"),
        (["ship", "no casualties"], [], "cannot keep 'no casualties': 3 words are to be kept, but .* has only 2"),
        ("names", [], "cannot keep 'names': 4 words are to be kept, but the summary has only 2"),
    ],
)
def test_an_impossible_pin_is_named(keep: object, drop: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        chosen(keep=keep, drop=drop, words=2)


def test_pins_and_a_limit_of_characters() -> None:
    with pytest.raises(InputError, match=r"cannot keep 'casualties': .* up to 16, but the limit is 12 characters"):
        chosen(keep=["Havre", "casualties"], chars=12)


def test_diverse_summaries_differ_by_a_third(summarizer: Summarizer) -> None:
    best = summarizer(TEXT, words=6, n_best=4, diverse=True)
    kept = [set(one.kept) for one in (best, *best.others)]
    assert len(kept) > 1
    for i, one in enumerate(kept):
        assert all(3 * len(one - better) >= len(one) for better in kept[:i])
    assert best.score > summarizer(TEXT, words=6).score - 1e-5  # several are looked for more widely than one


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Angela Merkel met Theresa May in May", ["Angela", "Merkel", "Theresa", "May"]),
        ("Cuba's ship left", ["Cuba's"]),
        ("It's London", ["London"]),
        ("The French port", ["French"]),
        ("Apple sued, and Apple won", ["Apple", "Apple"]),
        ("Ships sank", []),
        ("An iPhone on eBay", ["iPhone", "eBay"]),
        ("On Tuesday, 5 March, I left Rome", ["Rome"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert chosen(keep="names", text=text)[0] == names


@pytest.mark.parametrize(
    ("lists", "names"),
    [
        ({}, ["Am", "Montag", "Rom"]),
        ({"days": frozenset(["montag"])}, ["Rom"]),
        ({"openers": frozenset(["am"])}, ["Montag", "Rom"]),
    ],
)
def test_days_and_openers_are_those_of_the_language(lists: dict[str, frozenset[str]], names: list[str]) -> None:
    sentence = Sentence.of(tokenize("Am Montag brannte Rom"), Vocabulary.of(["ship"]), language=Language(lists))
    assert [word.text for i, word in enumerate(sentence.words) if is_name(sentence, i)] == names


@pytest.mark.parametrize(
    ("options", "preferred"),
    [
        ({"prefer": ["names"], "words": 1}, set()),  # "Le Havre" only as a whole
        ({"prefer": ["names"], "words": 2}, {"Le", "Havre"}),
        ({"prefer": ["names", "numbers"], "words": 3}, {"Le", "Havre", "5"}),
        ({"prefer": ["numbers", "names"], "words": 2}, {"5"}),
        ({"prefer": ["names", "numbers"], "words": 3, "keep": ["storm"]}, {"storm", "Le", "Havre"}),
        ({"prefer": ["names", "numbers"], "words": 3, "drop": ["Havre"]}, {"5"}),
        ({"prefer": ["whale"], "words": 3}, set()),
        ({"prefer": ["Le Havre"], "chars": 10}, {"Le", "Havre"}),
    ],
)
def test_what_is_preferred_is_kept_as_far_as_there_is_room(
    summarizer: Summarizer, options: dict[str, object], preferred: set[str]
) -> None:
    summary = summarizer("the storm killed 5 people at the port of Le Havre early", **options)
    assert preferred <= {summary.tokens[i] for i in summary.kept}
    assert "prefer:" in summary.signature


def test_many_preferred_words_take_one_space(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    whole = space.closures
    monkeypatch.setattr(space, "closures", lambda *needs: made.append(1) or whole(*needs))
    text = "The ship " + " of ".join(f"Harbour{i}" for i in range(60)) + " ran aground"
    summary = summarizer(text, words=(1, 30), prefer=["names"], fast=True)
    assert sum(word.startswith("Harbour") for word in summary.split()) == 30
    assert len(made) < 5


def test_no_more_patterns_than_a_text_has_words(summarizer: Summarizer) -> None:
    with pytest.raises(InputError, match="prefer has 1,001 entries, the limit is 1,000"):
        summarizer("The ship ran aground", words=2, prefer=["ship"] * 1_001)


def test_no_more_characters_in_patterns_than_a_text_may_need(summarizer: Summarizer) -> None:
    with pytest.raises(InputError, match="drop has 20,001 characters, the limit is 20,000"):
        summarizer("The ship ran aground", words=2, drop=["ship", "x" * 19_997])


def test_a_pattern_is_split_into_words_once(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    whole = tokenize
    monkeypatch.setattr(tersely.candidates.pins, "tokenize", lambda text: read.append(text) or whole(text))
    summarizer.lengths("The German container ship ran aground on Tuesday", keep="container ship")
    assert read.count("container ship") == 1
