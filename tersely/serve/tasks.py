"""What a worker process does for a request: it gets the summariser that all workers share, and gives JSON, so that the
process that answers requests only has to pass it on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from tersely.candidates import CandidateSpace
from tersely.errors import InputError
from tersely.length import words_in_share
from tersely.measure import count_chars
from tersely.options import Options
from tersely.pins import wishes
from tersely.search.hill_climbing import hill_climbing
from tersely.search.result import Observer, SearchResult, StepwiseScorer
from tersely.search.watcher import Watcher
from tersely.summarizer import Summarizer
from tersely.summary import Summary
from tersely.text import tokenize

MOST_ROWS = 48  # of the grid that shows a climb
RESTARTS = 8  # of a climb that is watched: people wait for it
WORDS_READ = 30_000


def warm_up(shorten: Summarizer) -> None:
    """Touch what the first summary needs."""
    shorten("A short text to begin with.", words=3)


def summarize(shorten: Summarizer, text: str, options: Options, explain: bool) -> str:
    """A summary with all its evidence."""
    summary = shorten.shorten(text, options)
    return _json({**summary.to_dict(), "explanation": summary.explain().to_dict() if explain else None})


def one_length(shorten: Summarizer, text: str, options: Options) -> str:
    """The words of a text, and its summary of one length."""
    return _lengths(text, options, shorten.shorten(text, options), [])


def every_length(shorten: Summarizer, text: str, options: Options, first: Options | None = None) -> str:
    """The words of a text, and its summaries of every length; one of them looked for by itself."""
    summaries, alone = shorten.every_length(text, options), None
    if first is not None:
        with suppress(InputError):  # too short for what has to be kept
            alone = shorten.shorten(text, first)
    return _lengths(text, options, alone, summaries)


def _lengths(text: str, options: Options, first: Summary | None, summaries: Sequence[Summary]) -> str:
    one = first or summaries[0]
    return _json(
        {
            **_words(text, options, one),
            "weights": one.weights,
            "first": None if first is None else _short(first),
            "summaries": [_short(summary) for summary in summaries],
        }
    )


def climb(shorten: Summarizer, text: str, options: Options) -> str:
    """The way of the best of a few restarts of hill climbing."""
    watcher = Watcher()
    summary = shorten.shorten(text, replace(options, search=_few_restarts), watcher)
    trail = [
        {"step": move.step, "kept": np.flatnonzero(move.mask).tolist(), "score": move.score}
        for move in watcher.best_trail(MOST_ROWS)
    ]
    return _json(
        {
            **_words(text, options, summary),
            "restarts": len(watcher.accepted),
            "steps": watcher.steps,
            "trail": trail,
            "summary": _short(summary),
        }
    )


def _few_restarts(
    objective: StepwiseScorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
) -> SearchResult:
    share = RESTARTS / (space.n * space.budget.n_words**2)
    few = replace(hill_climbing, beta_restarts=share, max_words_read=WORDS_READ)
    return few.climb(objective, space, rng, observe)


def _words(text: str, options: Options, summary: Summary) -> dict[str, Any]:
    tokens = tokenize(text, pretokenized=options.pretokenized)
    return {
        "n_chars": count_chars(text),
        "tokens": summary.tokens,
        "wishes": wishes([token for token in tokens if not token.punctuation]),
        "spans": [(token.start, token.end) for token in tokens if not token.punctuation],
        "tree": summary.tree,
        "shares": [words_in_share(tokens, percent / 100) for percent in range(1, 101)],
    }


def _short(summary: Summary) -> dict[str, Any]:
    names = ("text", "kept", "score", "factors", "broken")
    return {**{name: getattr(summary, name) for name in names}, "n_chars": count_chars(summary.text)}


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
