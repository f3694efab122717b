"""Marks between kept words: those that still divide what is left stay, those of a dropped aside go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tree_toys import FixedParser, tree_of

from tersely import Summarizer
from tersely.sentence.sentence import Sentence
from tersely.summary import marks as source_marks
from tersely.summary.marks import marks_of, with_marks
from tersely.text.punctuation import endings
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize

# the head of every token, marks included
SENTENCES = {
    "After three weeks of use, the battery died.": [2, 2, 7, 4, 2, 7, 7, 8, 8, 8],
    "The bridge, closed in March, could reopen.": [1, 7, 3, 1, 5, 3, 1, 8, 8, 8],
    "Police in Rome, Italy arrested two men.": [5, 2, 0, 2, 2, 5, 7, 5, 5],
    '"We won, of course," Ann said, "but I fell."': [2, 2, 9, 2, 5, 2, 2, 2, 9, 9, 9, 9, 14, 14, 2, 9, 9],
}
LABELLED = {2: "ccomp", 14: "conj", 8: "nsubj", 9: "root"}  # of the last one; elsewhere they make no difference


def shortened(text: str, kept: str, *, heads: list[int] | None = None, period: bool = False) -> str:
    """The kept words with their marks; without heads there is no tree."""
    parser = FixedParser(tree_of(heads, [LABELLED.get(i, "nsubj") for i in range(len(heads))])) if heads else None
    sentence = Sentence.of(tokenize(text), Vocabulary.of(["police"]), parser)
    positions = [i for i, word in enumerate(sentence.words) if word.text in kept.split()]
    marks = marks_of(sentence, endings(text, sentence.tokens), positions, period=period)
    return with_marks([sentence.words[i] for i in positions], marks)


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("After three weeks of use, the battery died.", "three weeks battery died", "three weeks, battery died"),
        ("After three weeks of use, the battery died.", "the battery died", "the battery died"),
        ("The bridge, closed in March, could reopen.", "bridge could reopen", "bridge could reopen"),
        ("The bridge, closed in March, could reopen.", "bridge closed could reopen", "bridge, closed, could reopen"),
        ("Police in Rome, Italy arrested two men.", "Police in Rome arrested men", "Police in Rome arrested men"),
        ("Police in Rome, Italy arrested two men.", "Police in Italy arrested men", "Police in Italy arrested men"),
        ('"We won, of course," Ann said, "but I fell."', "We won Ann said", "We won, Ann said"),
        ('"We won, of course," Ann said, "but I fell."', "We won but I fell", 'We won, "but I fell"'),
    ],
)
def test_marks(text: str, kept: str, expected: str) -> None:
    assert shortened(text, kept, heads=SENTENCES[text]) == expected


def test_a_call_goes_with_its_word() -> None:
    heads = [4, 2, 0, 2, 4]
    assert shortened("Shares of Yahoo! fell", "Shares fell", heads=heads) == "Shares fell"


QUESTION = "After that, will it float?"


@pytest.mark.parametrize(
    ("kept", "heads", "expected"),
    [
        ("will float", [5, 0, 5, 5, 5, 5, 5], "will float?"),  # the root is kept
        ("After that", [5, 0, 5, 5, 5, 5, 5], "After that"),
        ("it float", None, "it float?"),  # without a tree: a word of the last clause
        ("After that", None, "After that"),
    ],
)
def test_a_question_keeps_its_mark_with_its_main_clause(kept: str, heads: list[int] | None, expected: str) -> None:
    assert shortened(QUESTION, kept, heads=heads) == expected


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("Don't miss out! Only 3 rooms left.", "miss out Only 3 rooms", "miss out! Only 3 rooms"),
        ("We won. Who? They lost.", "We They lost", "We. They lost"),  # the mark of the sentence that is kept
        ("Won in the U.S. Then they lost.", "Won Then lost", "Won. Then lost"),
        ("Won in the U.S. Then they lost.", "U.S. Then lost", "U.S. Then lost"),
        ("Really?! Yes it is.", "Really Yes", "Really?! Yes"),
        ("1. Open the box", "1 Open box", "1 Open box"),
    ],
)
def test_two_kept_sentences_do_not_run_together(text: str, kept: str, expected: str) -> None:
    assert shortened(text, kept) == expected


def test_a_full_stop_is_the_sources_own() -> None:
    assert shortened("The ship sank. It is lost", "ship sank", period=True) == "ship sank."
    assert shortened("The ship sank. It is lost", "It is", period=True) == "It is"
    assert shortened("It sank in the U.S.", "It sank", period=True) == "It sank."
    assert shortened("It sank in the U.S.", "It U.S.", period=True) == "It U.S."
    assert shortened("The ship sank.", "ship sank") == "ship sank"


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ('a "big fat" lie', "a big fat", 'a "big fat"'),
        ('a "big fat" lie', "a big", "a big"),
        ("the firm (Apple) sued", "firm Apple", "firm (Apple)"),
        ("the firm (Apple) sued", "Apple sued", "Apple sued"),  # a bracket needs what it explains
        ("(Apple) sued us", "Apple sued", "(Apple) sued"),
        ("“We ‘won’ it”, he said", "We won it", "“We ‘won’ it”"),
        ("“We ‘won’ it”, he said", "We won said", "We ‘won’ said"),
        ("the workers' \"pay (now", "workers' pay now", "workers' pay now"),
        ("we “?) won” it", "we won it", "we won it"),  # the mark opens nothing: it stands before another
        ("we '“; won' it", "we won it", "we won it"),
        ('5 pipes of 6" and "more"', '6" and more', '6" and "more"'),
    ],
)
def test_quotes_and_brackets_come_in_pairs(text: str, kept: str, expected: str) -> None:
    assert shortened(text, kept) == expected


def test_commas_of_an_aside_come_in_pairs() -> None:
    text, heads = "The mayor, aged 78, won it.", [1, 6, 3, 1, 3, 3, 6, 6, 6]
    assert aside(text, heads, "mayor 78 won") == ["mayor 78 won"]
    assert aside(text, heads, "mayor aged 78 won") == ["mayor, aged 78, won", "mayor aged 78 won"]
    assert aside("Ann, aged 78, won it.", [5, 1, 0, 2, 2, 5, 5, 5], "Ann 78 won", head=2) == ["Ann 78 won"]
    assert aside(text, heads, "mayor aged 78") == ["mayor, aged 78", "mayor aged 78"]


def aside(text: str, heads: list[int], kept: str, head: int = 3) -> list[str]:
    """The kept words with all their marks, and with fewer and fewer, as if there were no room."""
    labels = ["acl" if i == head else "nsubj" for i in range(len(heads))]
    sentence = Sentence.of(tokenize(text), Vocabulary.of(["mayor"]), FixedParser(tree_of(heads, labels)))
    positions = [i for i, word in enumerate(sentence.words) if word.text in kept.split()]
    marks = marks_of(sentence, endings(text, sentence.tokens), positions)
    return [with_marks([sentence.words[i] for i in positions], marks[first:]) for first in range(len(marks) + 1)]


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ('He asked "Why me?" on Friday.', "He asked Why me", 'He asked "Why me?"'),
        ('He asked: "Why me?".', "He asked Why me", 'He asked "Why me?"'),
        ('Did he say "no."?', "Did he say no", 'Did he say "no"?'),
    ],
)
def test_a_quoted_question_keeps_its_mark(text: str, kept: str, expected: str) -> None:
    assert shortened(text, kept) == expected


def test_a_question_mark_is_worth_more_than_a_comma() -> None:
    text, heads = '"Why me?", he asked us.', [2, 7, 1, 1, 1, 1, 7, 7, 7, 7]
    assert shortened(text, "Why me he asked", heads=heads) == '"Why me?" he asked'


def test_the_heads_of_a_long_list_are_read_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []

    class Heads(np.ndarray[Any, Any]):
        def __getitem__(self, at: Any) -> Any:
            reads.append(1)
            return super().__getitem__(at)

    text, n = ", ".join(["ships"] * 400), 799
    tree = tree_of([max(0, i - 2 if i % 2 == 0 else i - 1) for i in range(n)], ["nmod"] * n)
    sentence = Sentence.of(tokenize(text), Vocabulary.of(["ships"]), FixedParser(tree))
    assert sentence.tree is not None
    object.__setattr__(sentence.tree, "heads", sentence.tree.heads.view(Heads))
    marks_of(sentence, endings(text, sentence.tokens), range(400))
    assert len(reads) < 20 * n


def test_pairs_and_asides_are_found_once_for_all_summaries(
    summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    for name in ("pairs", "_all_asides"):
        whole = getattr(source_marks, name)
        monkeypatch.setattr(source_marks, name, lambda *args, name=name, whole=whole: made.append(name) or whole(*args))
    found = summarizer('The "old" ship, it ran (aground), said the port.', words=4, n_best=20, fast=True)
    assert len(found.others) == 19
    assert sorted(made) == ["_all_asides", "pairs"]
