"""The work of a request, done in a worker process. Each function takes the shared summariser and returns JSON, so that
the server process only has to send it on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tersely.candidates.length import words_in_share
from tersely.candidates.measure import count_chars
from tersely.candidates.pins import pin_patterns
from tersely.candidates.space import CandidateSpace
from tersely.search.hill_climbing import hill_climbing
from tersely.search.result import Observer, SearchResult, StepwiseScorer
from tersely.search.watcher import Watcher
from tersely.summary.options import Options
from tersely.summary.reading import read_text
from tersely.summary.summarizer import Summarizer
from tersely.summary.summary import Summary
from tersely.text.words import tokenize

MAX_ROWS = 48  # of the grid that shows the steps
RESTARTS = 8  # few, because somebody waits for the page
EFFORT = 0.2
SHORT_FIELDS = ("text", "kept", "score", "factors", "broken", "warnings")  # of a summary among many


def warm_up(shorten: Summarizer) -> None:
    """Load what the first summary needs."""
    shorten("A short text to begin with.", words=3)


def bounded(shorten: Summarizer, most: int, work: Callable[..., str], *args: Any) -> str | int:
    """The JSON that a function below writes; only its size if it has more than `most` characters."""
    written = work(shorten, *args)
    return written if len(written) <= most else len(written)


def summarize(shorten: Summarizer, text: str, options: Options, explain: bool) -> str:
    """A summary with all its evidence."""
    summary = shorten.shorten(text, options)
    return _json({**summary.to_dict(), "explanation": summary.explain().to_dict() if explain else None})


def one_length(shorten: Summarizer, text: str, options: Options) -> str:
    """The words of a text, and its summary of one length."""
    summary = shorten.shorten(text, options)
    return _json({**_words(read_text(text, options), options, summary), "first": _short(summary), "summaries": []})


def every_length(shorten: Summarizer, text: str, options: Options) -> str:
    """The words of a text, and its summaries of every length."""
    summaries = shorten.every_length(text, options)
    words = _words(read_text(text, options), options, summaries[0])
    return _json({**words, "first": None, "summaries": list(map(_short, summaries))})


def climb(shorten: Summarizer, text: str, options: Options) -> str:
    """The steps of the best of a few restarts of hill climbing."""
    watcher = Watcher()
    summary = shorten.shorten(text, replace(options, search=_few_restarts), watcher)
    trail = [
        {"step": move.step, "kept": np.flatnonzero(move.mask).tolist(), "score": move.score}
        for move in watcher.best_trail(MAX_ROWS)
    ]
    steps = {"restarts": len(watcher.accepted), "steps": watcher.steps, "trail": trail}
    return _json({**_words(read_text(text, options), options, summary), **steps, "summary": _short(summary)})


def _few_restarts(
    objective: StepwiseScorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
) -> SearchResult:
    share = RESTARTS / (space.n * space.budget.n_words**2)
    few = replace(hill_climbing, beta_restarts=share, effort=EFFORT, enumerate_up_to=None)
    return few(objective, space, rng, observe)


def _words(text: str, options: Options, summary: Summary) -> dict[str, Any]:
    tokens = tokenize(text, pretokenized=options.pretokenized)
    return {
        "text": text,
        "n_chars": count_chars(text),
        "tokens": summary.tokens,
        "patterns": pin_patterns([token for token in tokens if not token.punctuation]),
        "spans": [(token.start, token.end) for token in tokens if not token.punctuation],
        "tree": summary.tree,
        "weights": summary.weights,
        "shares": [words_in_share(tokens, percent / 100) for percent in range(1, 101)],
    }


def _short(summary: Summary) -> dict[str, Any]:
    return {**{name: getattr(summary, name) for name in SHORT_FIELDS}, "n_chars": count_chars(summary.text)}


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
