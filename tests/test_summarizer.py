"""The summariser end to end on the tiny bundle: exact length, own words, evidence that can be replayed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tersely
import tersely.scoring.together
import tersely.summarizer
from tersely import Summarizer, Summary, TerselyError
from tersely.scoring.lstm import Array, Layer
from tersely.scoring.together import run_together
from tersely.search.result import Step
from tersely.source import Source
from tersely.text import tokenize

TEXT = (
    "A German registered container ship ran aground at the entrance to the French port of Le Havre early Tuesday, "
    "but authorities said there were no casualties."
)


def is_subsequence(words: list[str], source: list[str]) -> bool:
    rest = iter(source)
    return all(word in rest for word in words)


def rescored(summarizer: Summarizer, text: str, summary: Summary, objective: str = "paper") -> float:
    source = Source.of(tokenize(text), summarizer.bundle.vocabulary)
    mask = np.zeros((1, len(source)), dtype=bool)
    mask[0, list(summary.kept)] = True
    return float(summarizer.objective(summarizer.weights(objective)).bind(source).log_scores(mask)[0])


@pytest.mark.parametrize(
    ("search", "size"), [("hill_climbing", 1), ("hill_climbing", 4), ("annealing", 4), ("lattice", 4), ("lattice", 21)]
)
def test_exactly_the_wanted_words_in_order(summarizer: Summarizer, search: str, size: int) -> None:
    summary = summarizer(TEXT, words=size, objective="paper", search=search)
    assert len(summary.text.split()) == len(summary.kept) == size
    assert is_subsequence(summary.text.split(), TEXT.replace(",", "").replace(".", "").split())
    assert list(summary.kept) == sorted(set(summary.kept))
    assert str(summary) == summary.text == " ".join(summary.tokens[i] for i in summary.kept)


def test_replay(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, words=3, n_best=5, objective="paper", search="hill_climbing")
    for one in (summary, *summary.others):
        # Another batch has another shape, and the last bit of a float may differ before it is rounded.
        assert rescored(summarizer, TEXT, one) == pytest.approx(one.score, abs=2e-6)
        weights = summarizer.weights("paper")
        assert sum(weights[name] * value for name, value in one.factors.items()) == pytest.approx(one.score, abs=1e-5)
    assert len(summary.others) == 4
    scores = [summary.score, *(one.score for one in summary.others)]
    assert scores == sorted(scores, reverse=True)
    assert len({one.text for one in (summary, *summary.others)}) == 5


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from("the ship Cuba's didn't $5.2 12.5 % U.S. , . -- “ zzz 中国 👍 (a) port".split()), min_size=1
    ),
    st.integers(1, 12),
)
def test_any_text_any_length(summarizer: Summarizer, words: list[str], size: int) -> None:
    text = " ".join(words)
    n = sum(not word.punctuation for word in tokenize(text))
    if n == 0:
        return
    summary = summarizer(text, words=size, objective={"similarity": 1.0}, search="annealing")
    assert len(summary.kept) == min(size, n)
    assert "  " not in summary.text


def test_a_ratio(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, ratio=0.1)  # of 26 words and two marks
    assert len(summary.kept) == 3


def test_a_short_text_comes_back_whole(summarizer: Summarizer) -> None:
    assert summarizer("The ship, it ran aground!", words=5).text == "The ship, it ran aground!"
    assert summarizer("  The ship\tran\naground. ", words=8).text == "The ship ran aground."
    assert summarizer("The ship -- aground", words=3).text == "The ship aground"  # a dash between spaces counts
    summary = summarizer("The ship ran.", ratio=1)
    assert (summary.text, summary.kept) == ("The ship ran.", (0, 1, 2))


def test_keep_and_drop(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, words=4, keep=["HAVRE", "casualties"], drop=["the", "a"])
    assert {"Havre", "casualties"} <= set(summary.text.split())
    assert not {"the", "A"} & set(summary.text.split())
    assert "ship" in summarizer(TEXT, words=2, keep="ship").text


def test_keep_means_that_word_and_no_other(summarizer: Summarizer) -> None:
    summary = summarizer("Storms in 2012 and 2013 killed people in Cuba's new port", words=3, keep=["2013", "Cuba"])
    assert "2013" in summary.text
    assert "Cuba's" in summary.text
    assert "2012" not in summarizer("Storms in 2012 and 2013 killed people", words=1, keep="2013").text


def test_contractions_and_signs_stay_whole(summarizer: Summarizer) -> None:
    text = "Cuba's minister didn't pay $ 5.2 billion, 12.5 % of the U.S. plan"
    for size in (1, 2, 5, 9):
        summary = summarizer(text, words=size)
        allowed = ["Cuba's", "minister", "didn't", "pay", "$5.2", "billion", "12.5%", "of", "the", "U.S.", "plan"]
        assert is_subsequence(summary.text.split(), allowed)


def test_pretokenised_clitics_never_stay_without_their_word(summarizer: Summarizer) -> None:
    text = "cuba 's minister did n't pay $ #.# billion , ## % of the UNK plan"
    for size in (1, 2, 6, 11):
        words = summarizer(text, words=size, pretokenized=True).text.split()
        assert len(words) == size
        for clitic, host in (("'s", "cuba"), ("n't", "did"), ("%", "##"), ("$", "#.#")):
            assert clitic not in words or host in words


def test_an_unknown_word_appears_as_itself(summarizer: Summarizer) -> None:
    summary = summarizer("The Zyxwv ran aground", words=2, keep="zyxwv")
    assert "Zyxwv" in summary.text
    assert "unk" not in summary.text.lower()


def test_the_signature_says_how(summarizer: Summarizer) -> None:
    summary = summarizer("The ship ran aground", words=2, objective="paper", search="annealing", seed=3, cosine="plain")
    name, *rest = summary.signature.split("|")
    assert name == f"tersely:{tersely.__version__}"
    assert {"objective:paper(fluency:1,similarity:12)", "cosine:plain", "search:annealing", "seed:3"} <= set(rest)
    assert any(part.startswith("bundle:tiny@") for part in rest)


def test_plain_values_for_json(summarizer: Summarizer) -> None:
    summary = summarizer("The ship ran aground", words=2, n_best=2)
    read = json.loads(json.dumps(summary.to_dict()))
    assert read["text"] == summary.text
    assert read["kept"] == list(summary.kept)
    assert read["others"][0]["text"] == summary.others[0].text


def test_an_objective_of_ones_own(summarizer: Summarizer) -> None:
    forward = summarizer(TEXT, words=2, objective={"fluency_forward": 1}, search="exhaustive")
    backward = summarizer(TEXT, words=2, objective={"fluency_backward": 1}, search="exhaustive")
    assert list(forward.factors) == ["fluency_forward"]
    assert forward.score != backward.score
    assert "objective:custom(fluency_forward:1)" in forward.signature


def test_exact_softmax(summarizer: Summarizer) -> None:
    quick, exact = (summarizer("The ship ran aground", words=2, exact_softmax=flag) for flag in (False, True))
    assert quick.factors["similarity"] != 0
    assert "softmax:exact" in exact.signature
    assert exact.factors["fluency"] < 0


def test_the_search_can_be_watched(summarizer: Summarizer) -> None:
    seen: list[Step] = []
    summary = summarizer(TEXT, words=2, search="exhaustive", observe=seen.append)
    assert len(seen) == summary.evaluations == 325


def test_batch_keeps_the_order_and_does_not_read_ahead(summarizer: Summarizer) -> None:
    read: list[str] = []

    def texts():  # type: ignore[no-untyped-def]
        for text in ("The ship ran", "The port was new"):
            read.append(text)
            yield text

    summaries = summarizer.batch(texts(), words=1)
    first = next(summaries)
    assert read == ["The ship ran"]
    assert first.text in ("The", "ship", "ran")
    assert next(summaries).text in ("The", "port", "was", "new")


SENTENCES = [
    TEXT,
    "Cuba's minister didn't pay $5.2 billion, 12.5 % of the U.S. plan",
    "The storm killed ten people in the port",
    "A new ship",
    "The president said early Tuesday that there were talks with the French authorities on the new plan for Cuba",
    "Authorities in Le Havre said the German container ship was registered in the U.S.",
]


def count_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of each step of an LSTM layer from now on."""
    steps: list[int] = []
    plain = Layer.step

    def counted(layer: Layer, projected: Array, h: Array, c: Array) -> tuple[Array, Array]:
        steps.append(len(h))
        return plain(layer, projected, h, c)

    monkeypatch.setattr(Layer, "step", counted)
    return steps


@pytest.mark.parametrize("search", ["lattice", "hill_climbing", "annealing", "exhaustive"])
def test_texts_together_have_the_summaries_that_they_have_alone(
    summarizer: Summarizer, search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = count_steps(monkeypatch)
    alone = list(summarizer.batch(SENTENCES, words=3, search=search, n_best=2, together=1))
    steps_alone = len(steps)
    shared = list(summarizer.batch(SENTENCES, words=3, search=search, n_best=2, together=4))
    assert len(steps) - steps_alone < steps_alone
    for one, other in zip(alone, shared, strict=True):
        assert (one.text, one.kept, one.signature) == (other.text, other.kept, other.signature)
        assert one.score == pytest.approx(other.score, abs=2e-6)
        assert [best.kept for best in one.others] == [best.kept for best in other.others]


@pytest.mark.parametrize("search", ["lattice", "hill_climbing"])
def test_four_times_the_same_text_takes_the_steps_of_one(
    summarizer: Summarizer, search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tersely.scoring.together, "_ENOUGH", 1_000_000)
    steps = count_steps(monkeypatch)
    alone = summarizer(TEXT, words=3, search=search)
    rows = sorted(steps)
    steps.clear()
    assert [summary.text for summary in summarizer.batch([TEXT] * 4, words=3, search=search, together=4)] == [
        alone.text
    ] * 4
    begins = [1] * 2  # behind the begin symbol; they are not shared
    assert sorted(steps) == sorted([4 * n for n in rows[2:]] + 4 * begins)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from([*SENTENCES, "", "..."]), max_size=8), st.integers(2, 5), st.integers(1, 6))
def test_any_texts_together(summarizer: Summarizer, texts: list[str], together: int, size: int) -> None:
    """The same scores up to the first text that is refused, and the same refusal."""

    def outcome(at_once: int) -> tuple[list[float], str]:
        scores: list[float] = []
        try:
            for summary in summarizer.batch(texts, words=size, together=at_once):
                scores.append(summary.score)
        except TerselyError as error:
            return scores, str(error)
        return scores, ""

    (alone, refusal), (shared, same) = outcome(1), outcome(together)
    assert shared == pytest.approx(alone, abs=2e-6)
    assert same == refusal


def test_an_observer_sees_one_search_after_the_other(summarizer: Summarizer) -> None:
    seen: dict[int, list[Step]] = {1: [], 4: []}
    for together, steps in seen.items():
        list(summarizer.batch(SENTENCES, words=3, search="annealing", observe=steps.append, together=together))
    assert [(step.restart, step.step, step.score) for step in seen[1]] == [
        (step.restart, step.step, step.score) for step in seen[4]
    ]


@pytest.mark.parametrize(("search", "at_once"), [("hill_climbing", 4), ("lattice", 1)])
def test_a_batch_shares_where_the_search_gains_by_it(
    search: str, at_once: int, summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def watched(jobs: Iterable[Callable[[], Summary]], together: int) -> Iterator[Summary]:
        asked.append(together)
        return run_together(jobs, together)

    monkeypatch.setattr(tersely.summarizer, "run_together", watched)
    shared = [summary.text for summary in summarizer.batch(SENTENCES, words=3, search=search)]
    assert asked == ([at_once] if at_once > 1 else [])
    assert shared == [summarizer(text, words=3, search=search).text for text in SENTENCES]


def test_at_least_one_text_at_a_time(summarizer: Summarizer) -> None:
    with pytest.raises(TerselyError, match="together must be at least 1, not 0"):
        summarizer.batch(SENTENCES, words=3, together=0)


BAD = [
    ({"text": ""}, "the text is empty"),
    ({"text": " \t\n"}, "the text is empty"),
    ({"text": "... -- !"}, "no words, only punctuation"),
    ({"text": None}, "text must be a str, not NoneType"),
    ({"text": b"The ship"}, "text must be a str, not bytes"),
    ({"text": "a " * 60_000}, "120,000 characters, the limit is 100,000"),
    ({"text": "a " * 2_000}, "2,000 words, the limit is 1,000"),
    ({"words": None}, "none was given"),
    ({"ratio": 0.5}, "both words=2 and ratio=0.5"),
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
    ({"drop": ["ship", "ran", "aground"]}, "only 1 words are left"),
    ({"keep": ["ship"], "drop": ["ship"]}, "cannot be kept and dropped"),
    ({"n_best": 0}, "n_best must be at least 1, not 0"),
    ({"seed": -1}, "seed must not be negative, not -1"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_clear_line(summarizer: Summarizer, options: dict[str, object], message: str) -> None:
    given_options = {"text": "The ship ran aground", "words": 2, **options}
    with pytest.raises(TerselyError, match=message) as caught:
        summarizer(**given_options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_the_default_bundle(tiny_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tersely.summarizer, "_default", None)
    monkeypatch.setattr(tersely.summarizer, "DEFAULT_BUNDLE", tmp_path / "none")
    with pytest.raises(TerselyError, match="no default bundle"):
        tersely.summarize("The ship ran aground", words=2)
    shutil.copytree(tiny_bundle, tmp_path / "bundle")
    monkeypatch.setattr(tersely.summarizer, "DEFAULT_BUNDLE", tmp_path / "bundle")
    assert len(tersely.summarize("The ship ran aground", words=2).kept) == 2
    assert tersely.load(tiny_bundle)("The ship ran", words=1).kept
