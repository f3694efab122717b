"""What no summary may tear apart, and what is given up first where a length has no room for all of it."""

from __future__ import annotations

import numpy as np
import pytest
from tree_toys import parsed

from tersely.candidates.hard_needs import candidates_of
from tersely.candidates.length import Budget
from tersely.errors import InputError
from tersely.sentence.sentence import Sentence

NOT = "Tests 3 nsubj | did 3 aux | not 3 advmod | show 3 root | lead 3 obj"
MONEY = "It 1 nsubj | paid 1 root | 376 3 nummod | million 1 obj"
SPELLED = "A 1 det | hundred 4 nummod | and 3 cc | twelve 1 conj | ships 5 nsubj | sank 5 root"
FIGURE = "4 1 nummod | 200 2 nummod | died 2 root | of 4 case | it 2 obl"


def pairs(sentence: Sentence, size: int, **options: bool) -> list[str]:
    """The words that need others in the candidates of so many words, with what they need."""
    needs = candidates_of(sentence, Budget.of_words(len(sentence), size), **options).needs
    return [f"{sentence.words[i].text} {sentence.words[j].text}" for i, j in needs.tolist()]


@pytest.mark.parametrize(
    ("text", "size", "needs"),
    [
        (NOT, 2, ["show not"]),
        (MONEY, 2, ["million 376"]),
        (FIGURE, 2, ["4 200", "200 4"]),
        (FIGURE, 4, []),  # there are three other words
        (SPELLED, 4, ["hundred and", "and hundred", "and twelve", "twelve and"]),
    ],
)
def test_words_that_need_others(text: str, size: int, needs: list[str]) -> None:
    assert pairs(parsed(text), size) == needs


def test_an_objective_may_do_without() -> None:
    assert pairs(parsed(NOT), 2, negation=False) == []
    assert pairs(parsed(MONEY), 2, units=False) == []
    assert pairs(parsed(SPELLED), 4, units=False) == []


def test_pinned_words_have_room_for_their_negation_or_are_refused() -> None:
    sentence = parsed(NOT)
    pinned = np.array([word.text == "show" for word in sentence.words])
    assert candidates_of(sentence, Budget.of_words(5, 2), pinned).pinned.sum() == 2
    with pytest.raises(InputError, match="negation=False gives them up"):
        candidates_of(sentence, Budget.of_words(5, 1), pinned)
    assert candidates_of(sentence, Budget.of_words(5, 1), pinned, negation=False).count == 1


def test_a_unit_is_given_up_before_a_pin_is_refused() -> None:
    sentence = parsed(MONEY)
    pinned = np.array([word.text == "million" for word in sentence.words])
    assert candidates_of(sentence, Budget.of_words(4, 1), pinned).needs.tolist() == []
