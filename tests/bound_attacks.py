"""Attacks on bounds: the work of a search, denials at every length, hostile clients of a running service."""

from __future__ import annotations

import json
import random
import socket
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from attacks import attack, in_one_line
from promises import Case
from serving import serving

from tersely import Summarizer
from tersely.search import search_named
from tersely.search.result import SearchResult
from tersely.search.work import MOST_WORK
from tersely.serve.app import create_app
from tersely.serve.service import Settings
from tersely.summary.summarizer import DEFAULT_BUNDLE
from tersely.text.sentences import sentences
from tersely.text.words import MAX_CHARS, tokenize

_RUNS = [".", ". ", "?!", "Mr. ", "a", "\u3002", '"', "(", "-", "\u2019s", "1,", "$", "&", "#1", "\n", "\u0301", "A."]
_WORDS = ["ship", "no", "not", "didn't", "$5", "the", "12 000", "said", ",", '"', ";"]


@attack
def the_work_of_a_search_is_bounded(shorten: Summarizer, case: Case) -> None:
    """Long texts of few words, many marks or many negations, with every search, by the work that it counts."""
    rng = random.Random(case["seed"])
    n, effort, n_best = rng.choice([20, 60, 150]), rng.choice([0.01, 0.1]), rng.choice([1, 2, 50])
    text = " ".join(rng.choices(rng.choices(_WORDS, k=6), k=n)) + " ship ran aground"
    length = rng.choice([{"words": rng.randint(1, n)}, {"words": (1, n)}, {"chars": rng.randint(20, 5 * n)}])
    search = rng.choice(["chain", "chain", "lattice", "hill_climbing", "annealing"])
    seen: list[SearchResult] = []

    def counted(*problem: Any) -> SearchResult:
        seen.append(search_named(search, n_best, effort)(*problem))
        return seen[-1]

    objective = "fast" if search == "chain" else "paper"
    with in_one_line():
        shorten(text, search=counted, objective=objective, n_best=n_best, **length)
    for found in seen:  # a little is always done: two readings of a few prefixes, a move of each climb
        assert found.work <= 1.5 * MOST_WORK * effort + 400 * n, f"{search}, work {found.work:,.0f} of {n} words"


@attack
def long_runs_are_read_in_linear_time(shorten: Summarizer, case: Case) -> None:
    """A pattern that needs quadratic time takes minutes here."""
    rng = random.Random(case["seed"])
    text = "".join(rng.choices(_RUNS, k=rng.randint(1, 3))) * 50_000
    text = text[: rng.randint(1, MAX_CHARS // 2)]
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert not text.strip() or tokenize(text)[-1].end == len(text.rstrip())


@attack
def a_denial_is_never_lost(shorten: Summarizer, case: Case) -> None:
    """With the bundle of the package, whose parser has learned."""
    rng = random.Random(case["seed"])
    if not DEFAULT_BUNDLE.is_dir():
        return
    negation, governed, text = rng.choice(_denials())
    length = rng.choice([{"words": rng.randint(1, len(text.split()))}, {"chars": rng.randint(12, len(text))}])
    with in_one_line():
        summary = _shipped()(text, fast=rng.random() < 0.8, **length)
        kept = [summary.tokens[i] for i in summary.kept]
        assert governed not in kept or negation in kept, f"{summary!r} of {text!r}"


@cache
def _denials() -> list[list[str]]:
    lines = (Path(__file__).parent / "cases" / "denials.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


@cache
def _shipped() -> Summarizer:
    return Summarizer.load()


_HEAD = b"POST /v1/summarize HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"


@attack
def hostile_clients_do_not_stop_a_service(shorten: Summarizer, case: Case) -> None:
    """A few clients send garbage, half a request, too much, or do not read; then a good request has its answer."""
    rng = random.Random(case["seed"])
    with serving(create_app(shorten, Settings(workers=1))) as address, ExitStack() as hostile:
        for _ in range(rng.randint(1, 12)):
            url = urlsplit(address)
            line = hostile.enter_context(socket.create_connection((url.hostname, url.port), timeout=20))
            with suppress(OSError):  # the service has cut it, or waits for more
                line.sendall(_sent(rng))
                line.settimeout(0.2)
                if rng.random() < 0.3:
                    line.recv(rng.randint(1, 2_000))
            if rng.random() < 0.5:
                line.close()
        options = {"words": rng.randint(1, 6), "fast": rng.random() < 0.5}
        text = "The German ship ran aground early on Tuesday at the port"
        reply = httpx.post(f"{address}/v1/summarize", json={"text": text, **options}, timeout=60)
        assert reply.status_code == 200, reply.text
        assert reply.json()["summaries"][0]["text"] == shorten(text, **options)
        assert httpx.get(f"{address}/healthz", timeout=20).status_code == 200


def _sent(rng: random.Random) -> bytes:
    """What a hostile client sends."""
    text = " ".join(rng.choices(["ship", "ran", "no", "port"], k=rng.randint(4, 60)))
    body = json.dumps({"text": text, "words": 3, "n_best": rng.choice([1, 50]), "fast": True}).encode()
    keys = json.dumps({"text": text, "words": 3, **{f"k{i}": 0 for i in range(rng.choice([2, 9_000]))}}).encode()
    whole = _HEAD + b"content-length: %d\r\n\r\n" % len(body) + body
    return rng.choice(
        [
            whole,
            whole * rng.randint(2, 5),
            _HEAD + b"content-length: %d\r\n\r\n" % len(keys) + keys,
            whole[: rng.randrange(len(whole))],
            rng.randbytes(rng.randint(1, 3_000)),
            _HEAD + b"x: " + b"a" * rng.randint(1, 40_000),
            _HEAD + b"content-length: %d\r\n\r\n" % rng.choice([0, 5, 10**12]) + body,
            _HEAD + b"transfer-encoding: chunked\r\n\r\n" + rng.choice([b"zz\r\n", b"ffffffff\r\nabc", b"0\r\n"]),
            b"GET /" + rng.randbytes(20).hex().encode() + b" HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
        ]
    )
