"""Depth on hand-made trees."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tree_toys import FixedParser, parsed

from tersely.scoring.depth import depths
from tersely.sentence.sentence import Sentence


def depths_of(sentence: Sentence) -> list[float]:
    return depths(sentence.dependencies).tolist()


def found(text: str) -> dict[str, float]:
    sentence = parsed(text)
    return dict(zip((word.text for word in sentence.words), depths_of(sentence), strict=True))


def test_a_word_is_as_deep_as_there_are_words_above_it() -> None:
    deep = found("Police 1 nsubj | left 1 root | a 3 det | port 1 obl | of 5 case | Rome 3 nmod | , 1 punct")
    assert deep == {"left": 0, "Police": 1, "port": 1, "a": 2, "Rome": 2, "of": 3}


def test_objects_and_complements_are_no_deeper_for_their_verb() -> None:
    deep = found("They 1 nsubj | want 1 root | to 3 mark | sell 1 xcomp | the 5 det | ship 3 obj")
    assert deep["sell"] == deep["ship"] == deep["the"] == 1


def test_what_was_said_is_higher_than_who_says_it() -> None:
    deep = found("Officials 1 nsubj | said 1 root | heavy 3 amod | rain 4 nsubj | fell 1 ccomp")
    assert deep["rain"] < deep["Officials"]


def test_a_clause_beside_the_main_one_is_deep() -> None:
    deep = found("It 1 nsubj | sank 1 root | when 4 mark | waves 4 nsubj | hit 1 advcl | it 4 obj")
    assert deep["hit"] == 1
    assert deep["waves"] == 3


def test_words_that_depend_on_each_other_have_a_depth() -> None:
    assert np.isfinite(depths_of(parsed("a 1 dep | b 0 dep"))).all()


def test_it_counts_as_far_as_the_parser_is_sure() -> None:
    sentence = parsed("ran 0 root | aground 0 advmod | today 1 advmod")
    half = sentence.tree.probabilities.copy()
    half[2] = [0.5, 0.5, 0]
    unsure = FixedParser(dataclasses.replace(sentence.tree, probabilities=half))
    assert depths_of(dataclasses.replace(sentence, parser=unsure))[2] == pytest.approx(1.5)
