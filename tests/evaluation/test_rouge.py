from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tersely.errors import InputError
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.rouge_tokens import perl_tokens, stem, unicode_tokens

CASES = Path(__file__).parents[1] / "cases" / "rouge155_wikinews.jsonl"

# What the Perl program printed: recall, precision, F1 of ROUGE-1, ROUGE-2, ROUGE-L.
WIKINEWS_AVERAGES = {
    None: [0.36054, 0.2679, 0.28706, 0.1491, 0.10209, 0.11144, 0.31872, 0.23962, 0.25575],
    75: [0.52746, 0.48723, 0.50013, 0.36705, 0.32917, 0.34177, 0.51219, 0.47218, 0.48518],
}


def test_agrees_with_the_perl_program_on_wikinews() -> None:
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 440
    for limit, averages in WIKINEWS_AVERAGES.items():
        rouge, own = Rouge(limit_bytes=limit), [case for case in cases if case["limit_bytes"] == limit]
        scores = [rouge.score(case["hypothesis"], case["references"]) for case in own]
        ours = np.array([[score[metric] for metric in METRICS] for score in scores]).reshape(-1, 9)
        perl = np.array([[case["scores"][metric] for metric in METRICS] for case in own]).reshape(-1, 9)
        np.testing.assert_allclose(ours, perl, atol=1e-4)  # every pair
        np.testing.assert_allclose(ours.mean(axis=0), averages, atol=1e-3)


# Odd strings, with the scores of the Perl program.
@pytest.mark.parametrize(
    ("summary", "references", "rouge_1", "rouge_2", "rouge_l"),
    [
        ("", ["police kill 3"], (0, 0, 0), (0, 0, 0), (0, 0, 0)),
        ("police killed the gunman", [""], (0, 0, 0), (0, 0, 0), (0, 0, 0)),
        ("running runs ran easily", ["run runner easily ran"], (0.75, 0.75, 0.75), (0, 0, 0), (0.5, 0.5, 0.5)),
        ("café protesters naïve", ["cafe protester naive"], (1 / 3, 1 / 4, 2 / 7), (0, 0, 0), (1 / 3, 1 / 4, 2 / 7)),
        ("UNK takes over unk", ["<unk> taken over"], (1, 3 / 4, 6 / 7), (1, 2 / 3, 0.8), (1, 3 / 4, 6 / 7)),
        ("a a a b b", ["a b a"], (1, 0.6, 0.75), (0.5, 0.25, 1 / 3), (2 / 3, 0.4, 0.5)),
        (
            "the cat sat on the mat",
            ["the cat was on the mat", "a cat sat"],
            (7 / 9, 7 / 12, 2 / 3),
            (4 / 7, 4 / 10, 8 / 17),
            (7 / 9, 7 / 12, 2 / 3),
        ),
    ],
)
def test_odd_strings(summary: str, references: list[str], rouge_1: Any, rouge_2: Any, rouge_l: Any) -> None:
    found = Rouge().score(summary, references)
    assert [found[metric] for metric in METRICS] == [pytest.approx(score) for score in (rouge_1, rouge_2, rouge_l)]


def test_the_cut_takes_bytes_of_summary_and_references() -> None:
    # "ab é cd": é is two bytes, so five bytes are "ab é" and the next one is the space.
    assert perl_tokens("ab é cd", limit_bytes=7) == ["ab", "c"]
    rouge = Rouge(limit_bytes=7, measure="recall")
    assert rouge.score("aaa bbb zzz", ["aaa bbb ccc ddd"])["ROUGE-1"].recall == 1.0  # both are "aaa bbb"
    assert Rouge().score("aaa bbb zzz", ["aaa bbb ccc ddd"])["ROUGE-1"].recall == 0.5


def test_stems_as_the_perl_program_does() -> None:
    # Irregular forms by WordNet, whose base is not stemmed again; three letters are left alone.
    assert [
        stem(word) for word in "found finds sent ran denied denies".split()
    ] == "find find send ran deny deni".split()
    # NLTK's own additions would give "say" twice.
    assert (stem("said"), stem("says")) == ("say", "sai")


@pytest.mark.parametrize(("stemmer", "f1"), [("porter+wordnet", 1.0), ("porter", 2 / 3), ("no", 1 / 3)])
def test_stemming_is_a_choice(stemmer: str, f1: float) -> None:
    assert Rouge(stemmer=stemmer).score("he sought ships", ["he seeks ship"])["ROUGE-1"].f1 == pytest.approx(f1)


def test_unicode_words_count_on_request() -> None:
    assert unicode_tokens("Ünlü साहित्य 東京 3.5") == ["ünlü", "साहित्य", "東", "京", "3", "5"]
    assert Rouge().score("Москва", ["Москва"])["ROUGE-1"].f1 == 0.0
    assert Rouge(tokenizer="unicode").score("Москва горит", ["москва"])["ROUGE-1"].recall == 1.0
    assert "tok:unicode" in Rouge(tokenizer="unicode").signature(1)


def test_the_signature_names_every_setting() -> None:
    duc = Rouge(limit_bytes=75, measure="recall", stemmer="no").signature("1-4")
    assert duc.startswith("ROUGE|nrefs:1-4|refs:average|case:lc|tok:perl|stem:no|limit:75bytes|measure:recall|version:")


@pytest.mark.parametrize(
    "settings", [{"tokenizer": "moses"}, {"stemmer": "snowball"}, {"limit_bytes": 0}, {"measure": "f2"}]
)
def test_refuses_settings_that_do_not_exist(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Rouge(**settings)


def test_refuses_a_single_text_as_references() -> None:
    with pytest.raises(InputError, match="list"):
        Rouge().score("a", "a b")
