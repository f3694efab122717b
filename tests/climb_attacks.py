"""Attacks on /v1/climb: drawn texts and options, many of them long or odd, through the application of the service.

A climb is what a request may ask for most work with. It is counted in the words that the objective reads.
"""

from __future__ import annotations

import json
import random
from concurrent.futures import Future
from functools import cache
from itertools import pairwise
from typing import Any
from unittest import mock

from attacks import attack
from fuzz_texts import ODD, make_case
from promises import Case
from starlette.testclient import TestClient

from tersely import Summarizer
from tersely.candidates.length import UNITS
from tersely.scoring.objective import BoundObjective
from tersely.search.work import MOST_WORK
from tersely.serve import tasks
from tersely.serve.app import create_app
from tersely.serve.service import Settings
from tersely.summary.options import fields
from tersely.system.arrays import BoolArray

_EFFORT = 0.02  # a tenth of the service's own bound, so that a climb is quick


class _HerePool:
    """In place of worker processes: the work is done at once, in this process."""

    workers = n_ready = 1

    def __init__(self, shorten: Summarizer, *args: object, **options: object) -> None:
        self._shorten = shorten

    def submit(self, work: Any, *args: object) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(work(self._shorten, *args))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        pass


@cache
def _app(shorten: Summarizer) -> Any:
    return create_app(shorten, Settings(workers=1, allowed_host=None))


def _body(rng: random.Random) -> Case:
    """A request: a drawn case, or a long text; sometimes with odd values."""
    case = make_case(rng)
    body = {"text": case["text"], **case["options"]}
    for name in ("search", "n_best", "diverse"):  # a climb has none
        body.pop(name, None)
    if rng.random() < 0.3:
        words = [*body["text"].split(), "no", "ship", "the", "$", "n't"]
        body["text"] = " ".join(rng.choices(words, k=rng.randint(100, 400)))
        for name in UNITS:
            body.pop(name, None)
        body |= rng.choice([{"words": rng.randint(1, 400)}, {"ratio": rng.random()}, {"chars": rng.randint(1, 3_000)}])
    if rng.random() < 0.2:
        body[rng.choice(["text", "first", *UNITS, *fields()])] = rng.choice(
            [odd for odd in ODD if odd != -(10**5000)]
        )  # JSON cannot be made of it
    return body


@attack
def a_climb_is_answered_within_its_bound(shorten: Summarizer, case: Case) -> None:
    content = json.dumps(_body(random.Random(case["seed"])), default=str)
    read: list[int] = []
    score = BoundObjective.log_scores

    def counted(self: BoundObjective, masks: BoolArray) -> Any:
        read.append(int(masks.sum()))
        return score(self, masks)

    with (
        mock.patch("tersely.serve.service.WorkerPool", _HerePool),
        mock.patch.object(tasks, "EFFORT", _EFFORT),
        TestClient(_app(shorten)) as client,
    ):
        again = client.post("/v1/climb", content=content, headers={"content-type": "application/json"})
        with mock.patch.object(BoundObjective, "log_scores", counted):
            reply = client.post("/v1/climb", content=content, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.content) == (again.status_code, again.content), "equal requests, other answers"
    assert sum(read) < _EFFORT * MOST_WORK, f"{sum(read):,} words are read"  # with the starts, and the summary
    if reply.status_code == 200:
        found = reply.json()
        scores = [move["score"] for move in found["trail"]]
        assert all(after > before - 1e-4 for before, after in pairwise(scores)), "a step went down"
        assert not scores or scores[-1] > found["summary"]["score"] - 1e-4, "it ends below its summary"
    else:
        assert 400 <= reply.status_code < 500, f"status {reply.status_code}: {reply.text[:100]}"
        message = reply.json()["error"]["message"]
        assert 0 < len(message.strip()) < 400, message
        assert "\n" not in message, message
