"""What a summary cannot be asked is refused in one clear line, whatever the value is."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tersely
from tersely import Summarizer, TerselyError
from tersely.candidates.length import UNITS
from tersely.summary.options import Options, SummaryOptions, fields

BAD = [
    ({"text": ""}, "the text is empty"),
    ({"text": " \t\n"}, "the text is empty"),
    ({"text": "... -- !"}, "no words, only punctuation"),
    ({"text": None}, "text must be a str, not NoneType"),
    ({"text": b"The ship"}, "text must be a str, not bytes"),
    ({"text": "a " * 60_000}, "120,000 characters, the limit is 100,000"),
    ({"text": "a " * 2_000}, "2,000 words, the limit is 1,000"),
    ({"words": None}, "none was given"),
    ({"ratio": 0.5}, "words=2 and ratio=0.5 was given"),
    ({"words": 0}, "at least 1, not 0"),
    ({"words": -3}, "at least 1, not -3"),
    ({"words": None, "ratio": 1.5}, "above 0 and at most 1, not 1.5"),
    ({"objective": "best"}, "unknown objective 'best': known are .*paper"),
    ({"objective": {}}, "at least one factor"),
    ({"objective": {"beauty": 1}}, "unknown factor 'beauty': known are fluency"),
    ({"search": "hope"}, "unknown search 'hope': known are .*hill_climbing"),
    ({"cosine": "round"}, "unknown cosine 'round': known are shifted, plain"),
    ({"keep": ["casualties"]}, "cannot keep 'casualties': it is not a word of the text"),
    ({"keep": ["ship", "ran", "aground"]}, "3 words are to be kept, but the summary has only 2"),
    ({"drop": ["the", "ship", "ran", "aground"]}, "no word is left to choose from"),
    ({"keep": ["ship"], "drop": ["ship"]}, "cannot be kept and dropped"),
    ({"n_best": 0}, "n_best must be at least 1, not 0"),
    ({"n_best": "2"}, "n_best must be a whole number, not '2'"),
    ({"n_best": 5_000}, "n_best must be at most 1,000, not 5000"),
    ({"seed": -1}, "seed must be at least 0, not -1"),
    ({"seed": None}, "seed must be a whole number, not None"),
    ({"seed": 2**64}, "seed must be at most 18,446,744,073,709,551,615, not 18446744073709551616"),
    ({"seed": -(10**5000)}, "seed must be at least 0, not an int that cannot be shown"),
    ({"n_best": 10**5000}, "n_best must be at most 1,000, not an int that cannot be shown"),
    ({"ratio": 10**5000}, "words=2 and ratio=an int that cannot be shown was given"),
    ({"keep": 10**5000}, "keep must be a list of words, not an int that cannot be shown"),
    ({"fast": np.ones((2, 2))}, r"fast must be True or False, not array\(\[\[1., 1.\],"),
    ({"keep": ["x" * 9_000]}, r"cannot keep 'x{76}\.\.\.: it is not a word of the text"),
    ({"keep": 5}, "keep must be a list of words, not 5"),
    ({"drop": [None]}, r"drop must be a list of words, not \[None\]"),
    ({"pretokenized": "yes"}, "pretokenized must be True or False, not 'yes'"),
    ({"objective": 3}, "objective must be a name or factors with their weights, not 3"),
    ({"objective": {"fluency": float("nan")}}, "the weight of fluency must be a finite number, not nan"),
    ({"objective": {"fluency": "much"}}, "the weight of fluency must be a finite number, not 'much'"),
    ({"search": 3}, "search must be a name or a search, not 3"),
    ({"softmax": "fast"}, "unknown softmax 'fast': known are self, exact"),
    ({"effort": 0}, "effort must be above 0, not 0"),
    ({"effort": "much"}, "effort must be a finite number, not 'much'"),
    ({"effort": float("inf")}, "effort must be a finite number"),
    ({"effort": 1e308}, r"effort must be a finite number, not 1e\+308: at most 1e\+09"),
    ({"case": np.array(["source", "sentence"])}, r"unknown case array\(.*: known are sentence, source"),
    ({"observe": []}, r"observe must be a function, not \[\]"),
    ({"text": "The ship \ud800 ran"}, r"half of a surrogate pair, U\+D800 at character 9"),
    ({"words": None, "chars": 2}, "the limit of 2 characters is too small for any word: the smallest possible is 3"),
    ({"words": None, "bytes": 1}, "the limit of 1 bytes is too small for any word: the smallest possible is 3"),
    ({"words": (3, 2)}, r"range of words \(3, 2\): the least comes first"),
    ({"words": (3, 4, 5)}, "expected a least and a most"),
    ({"words": (0, 4)}, "words must be at least 1, not 0"),
    ({"words": None, "chars": 2.5}, "chars must be a whole number"),
    ({"lenght": 3}, "unknown option 'lenght': known are words, ratio, chars, bytes, sms, pixels, objective"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_clear_line(summarizer: Summarizer, options: dict[str, object], message: str) -> None:
    given_options = {"text": "The ship ran aground", "words": 2, **options}
    with pytest.raises(TerselyError, match=message) as caught:
        summarizer(**given_options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("function", "own"),
    [
        (tersely.summarize, ["text"]),
        (Summarizer.__call__, ["self", "text", "observe"]),
        (Summarizer.batch, ["self", "texts", "workers", "errors"]),
        (Summarizer.lengths, ["self", "text"]),
    ],
)
def test_every_option_is_a_keyword_with_its_type_and_default(function: Callable[..., Any], own: list[str]) -> None:
    found = inspect.signature(function).parameters
    assert list(found) == [*own, *SummaryOptions.__annotations__] == [*own, *UNITS, *fields()]
    defaults = Options.of(words=1)
    for name in SummaryOptions.__annotations__:
        expected = None if name in UNITS else getattr(defaults, name)
        assert (found[name].kind, found[name].default) == (inspect.Parameter.KEYWORD_ONLY, expected)
        assert found[name].annotation == SummaryOptions.__annotations__[name].__forward_arg__
