"""Why this summary: each word's effect is the score of a candidate that exhaustive search has scored as well."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable

import pytest

from tersely import Summarizer
from tersely.errors import InputError
from tersely.scoring.objective import BoundObjective

SHIP = "The German ship ran aground, authorities said"
Run = Callable[..., tuple[int, str, str]]


def scores(summarizer: Summarizer, **length: int) -> dict[frozenset[int], float]:
    """The score of every candidate of that length."""
    best = summarizer(SHIP, search="exhaustive", objective="paper", n_best=1000, **length)
    return {frozenset(one.kept): one.score for one in (best, *best.others)}


def test_every_word_is_left_out_and_swapped(summarizer: Summarizer) -> None:
    summary = summarizer(SHIP, words=3, objective="paper")
    shorter, equal, kept = scores(summarizer, words=2), scores(summarizer, words=3), frozenset(summary.kept)
    words = summary.explain().words
    assert [effect.word for effect in words] == list(summary.tokens)
    for i, effect in enumerate(words):
        assert effect.kept == (i in kept)
        assert effect.without == (pytest.approx(shorter[kept - {i}], abs=1e-5) if effect.kept else None)
        near = {one: score for one, score in equal.items() if len(one & kept) == 2 and (i in one) != (i in kept)}
        assert effect.swap == pytest.approx(max(near.values()), abs=1e-5)
        partner = {effect.partner}
        assert near[kept - {i} | partner if effect.kept else kept - partner | {i}] == pytest.approx(effect.swap)


def test_within_a_limit_a_word_may_also_be_added(summarizer: Summarizer) -> None:
    summary = summarizer(SHIP, chars=20, objective={"position": 20.0}, keep=["ran"], drop=["The"])
    assert summary == "German ship ran"
    the, german, ship, ran, aground, authorities, said = summary.explain().words
    assert (the.swap, ran.swap) == (None, None)  # what is dropped or pinned has no choice
    assert (german.partner, ship.partner, aground.partner) == (5, 4, 2)
    assert (authorities.partner, said.partner) == (1, None)  # there is room for "said" beside the others


def test_no_swap_is_better_where_a_capital_has_no_room(summarizer: Summarizer) -> None:
    text = "``Yahoo!'s raised AT&T $5.2 billion in Fresno, Calif.,..."
    summary = summarizer(text, pixels=360, punctuation=False, fast=True)
    assert summary == "raised AT&T $5.2 billion in Fresno Calif."  # "Raised" is too wide
    assert all(effect.swap is None or effect.swap <= summary.score for effect in summary.explain().words)


def test_one_word_has_nothing_without_it(summarizer: Summarizer) -> None:
    effects = summarizer(SHIP, words=1).explain().words
    assert all(effect.without is None and effect.swap is not None for effect in effects)
    assert all(effect.swap is None for effect in summarizer(SHIP, words=9).explain().words)  # it came back whole


def test_of_a_long_summary_not_every_word_is_left_out(summarizer: Summarizer) -> None:
    summary = summarizer(SHIP, words=6, effort=6e-4)  # 36 words may be read: three summaries, and three swaps
    words = [effect for effect in summary.explain().words if effect.kept]
    assert [effect.without is not None for effect in words] == [True, False, True, False, True, False]


def test_what_is_scored_is_bounded(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = summarizer(SHIP, words=6, effort=6e-4)
    scored: list[int] = []
    whole = BoundObjective.log_scores
    monkeypatch.setattr(
        BoundObjective, "log_scores", lambda self, masks: scored.append(int(masks.sum())) or whole(self, masks)
    )
    summary.explain()
    assert sum(scored) <= 60_000 * 6e-4


def test_others_and_every_length_can_be_explained(summarizer: Summarizer) -> None:
    best = summarizer(SHIP, words=3, n_best=3)
    assert all([word.kept for word in one.explain().words].count(True) == 3 for one in best.others)
    for one in (*summarizer.lengths(SHIP), *summarizer.lengths(SHIP, chars=20)):
        assert tuple(i for i, word in enumerate(one.explain().words) if word.kept) == one.kept
        assert sum(share.share for share in one.explain().factors) == pytest.approx(one.score, abs=1e-5)


def test_a_copy_cannot_be_explained(summarizer: Summarizer) -> None:
    summary = summarizer(SHIP, words=3)
    for copied in (copy.deepcopy(summary), pickle.loads(pickle.dumps(summary))):
        with pytest.raises(InputError, match="only where it was made"):
            copied.explain()
    assert len(pickle.dumps(summary)) < 10_000  # and not the bundle with it


def test_the_columns_line_up(summarizer: Summarizer) -> None:
    text = "\u6771\u4eac ship cafe\u0301 ran aground in the harbour"
    _, head, *lines = str(summarizer(text, words=4, objective="paper", pretokenized=True).explain()).splitlines()
    assert head.split() == ["word", "without", "best", "swap"]
    end = head.index("without") + len("without")
    wide, plain, accent = (next(line for line in lines if word in line) for word in ("\u6771", "ship", "cafe"))
    values = [line.rstrip().split("  ")[-1] for line in lines[:8]]
    assert all(values)
    assert len(plain.split(" for ")[0]) == len(accent.split(" for ")[0]) - 1 == len(wide.split(" for ")[0]) + 2
    assert end < len(plain)


def test_colour_only_for_terminals(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in run("--words", 2, "--explain", SHIP)[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    coloured = run("--words", 2, "--explain", SHIP)[1]
    assert coloured.count("\x1b[1m") == 2
    assert coloured.count("\x1b[2m") == 5
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("--words", 2, "--explain", SHIP)[1]


def test_as_json(run: Run) -> None:
    _, out, _ = run("--words", 2, "--explain", "--json", SHIP)
    found = json.loads(out)
    assert [word["word"] for word in found["explanation"]["words"] if word["kept"]] == found["text"].split()
    shares = {share["factor"]: share["share"] for share in found["explanation"]["factors"]}
    assert sum(shares.values()) == pytest.approx(found["score"], abs=1e-5)
    assert "explanation" not in json.loads(run("--words", 2, "--json", SHIP)[1])
