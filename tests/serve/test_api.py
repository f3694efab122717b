"""The API: every summary is the library's, and every error response has one shape."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tersely.candidates.length import UNITS
from tersely.summary.options import fields
from tersely.summary.summarizer import Summarizer

TEXT = "A German container ship ran aground early on Tuesday at the entrance to Le Havre, but there were no casualties."
OTHER = "The minister said on Tuesday that the president had paid for the new plan."
JSON = {"content-type": "application/json"}


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize(
    "options",
    [
        {"words": 5},
        {"words": [4, 7]},
        {"ratio": 0.4},
        {"chars": 40},
        {"bytes": 40},
        {"words": 5, "objective": "paper", "search": "annealing", "seed": 3},
        {"words": 5, "objective": {"fluency": 1, "position": 2.5}},
        {"words": 6, "keep": ["Havre", "no casualties"], "drop": ["German"]},
        {"words": 6, "keep": "negation", "negation": False, "punctuation": False},
        {"words": 5, "n_best": 4, "diverse": True},
        {"words": 5, "fast": True},
        {"chars": 40, "fast": True, "n_best": 3, "keep": ["Havre"]},
        {"words": 5, "pretokenized": True, "cosine": "plain", "softmax": "exact"},
    ],
)
def test_a_summary_is_the_librarys(client: httpx.Client, summarizer: Summarizer, options: dict[str, Any]) -> None:
    reply = client.post("/v1/summarize", json={"text": TEXT, **options})
    assert reply.status_code == 200, reply.text
    [summary] = reply.json()["summaries"]
    assert summary.pop("explanation") is None
    assert summary == as_json(summarizer(TEXT, **options).to_dict())


def test_split_is_the_librarys(client: httpx.Client, summarizer: Summarizer) -> None:
    asked: dict[str, Any] = {"words": 4, "split": True, "keep": ["plan", "the#2"]}
    reply = client.post("/v1/summarize", json={"text": f"{TEXT} {OTHER}", **asked, "explain": True})
    assert reply.status_code == 200, reply.text
    [summary] = reply.json()["summaries"]
    expected = summarizer(f"{TEXT} {OTHER}", **asked)
    assert summary.pop("explanation") == as_json(expected.explain().to_dict())
    assert summary == as_json(expected.to_dict())
    alone = [summarizer(text, words=4, keep=keep) for text, keep in ((TEXT, []), (OTHER, ["plan", "the#1"]))]
    assert summary["text"].split("\n") == alone


def test_split_has_one_length(client: httpx.Client, summarizer: Summarizer) -> None:
    asked = {"text": f"{TEXT} {OTHER}", "split": True}
    for more in ({}, {"words": 5}, {"first": {"words": 5}}):
        error = client.post("/v1/lengths", json={**asked, **more}).json()["error"]
        assert (error["code"], error["field"]) == ("invalid", "split")
    lines = {"accept": "application/x-ndjson"}
    reply = client.post("/v1/lengths", json={**asked, "first": {"words": 5}}, headers=lines)
    [line] = map(json.loads, reply.text.splitlines())
    expected = summarizer(asked["text"], words=5, split=True)
    assert (line["first"]["text"], line["summaries"]) == (expected, [])
    assert (line["tokens"], line["tree"]) == (as_json(expected.tokens), as_json(expected.tree))
    assert len(line["spans"]) == len(line["patterns"]) == len(expected.tokens)
    rejected = client.post("/v1/lengths", json={**asked, "first": {"words": 1}, "keep": "no casualties"}, headers=lines)
    assert (rejected.status_code, rejected.json()["error"]["code"]) == (422, "cannot_shorten")


def test_many_texts_keep_their_order(client: httpx.Client, summarizer: Summarizer) -> None:
    texts = [OTHER, TEXT, OTHER, "Zoë 👩‍👩‍👧 ran 東京 to Москва on Tuesday.", TEXT]
    found = client.post("/v1/summarize", json={"text": texts, "words": 4}).json()["summaries"]
    assert [summary["text"] for summary in found] == [summarizer(text, words=4).text for text in texts]


@pytest.mark.parametrize("options", [{}, {"words": 4}, {"fast": True}])
def test_every_length_is_the_librarys(client: httpx.Client, summarizer: Summarizer, options: dict[str, Any]) -> None:
    found = client.post("/v1/lengths", json={"text": TEXT, "first": {"words": 7}, **options}).json()
    assert found["first"] is None  # it is one of the others
    lengths = summarizer.lengths(TEXT, **options)
    assert [(one["text"], one["score"]) for one in found["summaries"]] == [(one.text, one.score) for one in lengths]
    assert [TEXT[start:end] for start, end in found["spans"]] == list(lengths[0].tokens)
    assert (found["tree"], found["weights"]) == (as_json(lengths[0].tree), lengths[0].weights)


def test_in_lines_the_first_length_comes_first(client: httpx.Client, summarizer: Summarizer) -> None:
    asked = {"text": TEXT, "first": {"chars": 30}}
    reply = client.post("/v1/lengths", json=asked, headers={"accept": "application/x-ndjson"})
    assert reply.headers["content-type"].startswith("application/x-ndjson")
    first, every = map(json.loads, reply.text.splitlines())
    assert first["first"]["text"] == summarizer(TEXT, chars=30).text
    assert first["summaries"] == []
    assert every["first"] is None
    assert len(every["summaries"]) == len(every["tokens"])


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_a_first_length_that_is_too_short_for_the_pinned_words(client: httpx.Client, accept: str) -> None:
    asked: dict[str, Any] = {"text": TEXT, "first": {"words": 2}, "keep": ["German", "Havre", "Tuesday"]}
    [line] = client.post("/v1/lengths", json=asked, headers={"accept": accept}).text.splitlines()
    found = json.loads(line)
    assert found["first"] is None
    assert [len(summary["kept"]) for summary in found["summaries"]] == list(range(3, 21))
    rejected = client.post("/v1/lengths", json={**asked, "words": 2}, headers={"accept": accept})
    assert (rejected.status_code, rejected.json()["error"]["code"]) == (422, "cannot_shorten")


def test_a_pattern_matches_one_word_alone(client: httpx.Client, summarizer: Summarizer) -> None:
    text = "The ship and the port and the storm said the ship's captain."
    found = client.post("/v1/lengths", json={"text": text, "words": 1}).json()
    for position, pattern in enumerate(found["patterns"]):
        assert summarizer(text, words=1, keep=[pattern]).kept == (position,)


def test_a_climb_ends_at_its_summary_and_only_rises(client: httpx.Client) -> None:
    found = client.post("/v1/climb", json={"text": TEXT, "words": 6, "seed": 1}).json()
    scores = [move["score"] for move in found["trail"]]
    assert len(scores) > 1
    assert scores == sorted(scores)
    assert {len(move["kept"]) for move in found["trail"]} == {6}
    assert found["trail"][-1]["score"] == pytest.approx(found["summary"]["score"])
    assert found["restarts"] > 1
    assert found["trail"][-1]["step"] <= found["steps"]


@pytest.mark.parametrize("option", ["fast", "split"])
def test_a_climb_is_never_fast_or_split(client: httpx.Client, option: str) -> None:
    reply = client.post("/v1/climb", json={"text": TEXT, "words": 6, option: True})
    assert (reply.status_code, reply.json()["error"]["field"]) == (422, option)


def test_there_is_nothing_to_climb_in_a_text_that_fits(client: httpx.Client) -> None:
    found = client.post("/v1/climb", json={"text": "a ship", "words": 6}).json()
    assert found["trail"] == []
    assert found["summary"]["text"] == "a ship"


INVALID: list[tuple[Any, int, str, str | None]] = [
    ({"text": TEXT}, 422, "give a length", None),
    ({"text": TEXT, "words": 3, "ratio": 0.5}, 422, "give a length", None),
    ({"words": 3}, 422, "the field text is missing", "text"),
    ({"text": TEXT, "wrds": 3}, 422, "unknown field wrds", "wrds"),
    ({"text": TEXT, "words": 0}, 422, "words must be at least 1, not 0", "words"),
    ({"text": TEXT, "words": "3"}, 422, "words must be a whole number, not '3'", "words"),
    ({"text": TEXT, "words": True}, 422, "words must be", "words"),
    ({"text": TEXT, "ratio": 2}, 422, "ratio must be above 0 and at most 1", "ratio"),
    ({"text": TEXT, "words": 3, "search": "luck"}, 422, "unknown search 'luck'", "search"),
    ({"text": TEXT, "words": 3, "search": "annealing", "fast": True}, 422, "leave out the others", None),
    ({"text": TEXT, "words": 3, "objective": "paper", "fast": True}, 422, "leave out the others", None),
    ({"text": TEXT, "words": 3, "objective": "luck"}, 422, "unknown objective 'luck'", "objective"),
    ({"text": TEXT, "words": 3, "objective": {"fluency": "1"}}, 422, "the weight of fluency", "objective"),
    ({"text": TEXT, "words": 3, "keep": [1]}, 422, "keep must be a list of words", "keep"),
    ({"text": TEXT, "words": 3, "explain": "yes"}, 422, "valid boolean", "explain"),
    ({"text": TEXT, "words": 3, "keep": ["Paris"]}, 422, "cannot keep 'Paris'", "text"),
    ({"text": "", "words": 3}, 422, "the text is empty", "text"),
    ({"text": [TEXT, "..."], "words": 3}, 422, "only punctuation", "text.1"),
    ({"text": [], "words": 3}, 422, "the list of texts is empty", "text"),
    ({"text": 5, "words": 3}, 422, "text must be a string", "text"),
    ({"text": "a\0b c", "words": 1}, 422, "NUL", "text"),
    ({"text": "a \ud800 c", "words": 1}, 422, "surrogate", None),
    ({"text": TEXT, "words": 3, "\ud800": 1}, 422, "unicode", None),
    ({"text": TEXT, "words": 3, "x" * 10_000: 1}, 422, "unknown field xxx", "x" * 100),
    ({"text": TEXT, "words": 3, "objective": {"fluency": 1e306}}, 422, "weight of fluency", "objective"),
    ({"text": "x" * 2_001, "words": 1}, 413, "the text has 2,001 characters, the limit is 2,000", "text"),
    ({"text": ["x"] * 9, "words": 1}, 413, "at most 8 texts, not 9", "text"),
    ({"text": [TEXT] * 5, "words": 1, "n_best": 50}, 413, "at most 100 summaries, not 250", "n_best"),
    ({"text": "x" * 30_000, "words": 1}, 413, "at most 20,000 bytes", None),
    ([], 422, "", None),
    (None, 422, "", None),
]


@pytest.mark.parametrize(("asked", "status", "message", "field"), INVALID)
def test_error_responses(client: httpx.Client, asked: Any, status: int, message: str, field: str | None) -> None:
    reply = client.post("/v1/summarize", content=json.dumps(asked), headers=JSON)
    assert reply.status_code == status, reply.text
    error = reply.json()["error"]
    assert error.keys() == {"code", "message", "field"}
    assert message in error["message"]
    assert error["field"] == field


@pytest.mark.parametrize(
    "body", [b"{", b"", b"\xff\xfe", b"\0", b'{"words": 1e999', b"[" * 5_000, b'{"seed": 1' + b"0" * 5_000]
)
def test_bodies_that_are_not_json(client: httpx.Client, body: bytes) -> None:
    reply = client.post("/v1/summarize", content=body, headers=JSON)
    assert reply.status_code in (400, 422)
    assert reply.json()["error"]["message"]


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("GET", "/v1/summarize", 405)])
def test_paths_that_do_not_exist(client: httpx.Client, method: str, path: str, status: int) -> None:
    reply = client.request(method, path)
    assert reply.status_code == status
    assert reply.json()["error"]["code"] in ("not_found", "method_not_allowed")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_other_content_types(client: httpx.Client, kind: str) -> None:
    body = json.dumps({"text": TEXT, "words": 3})
    reply = client.post("/v1/summarize", content=body, headers={"content-type": kind})
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "not_json")


def test_a_message_quotes_only_the_start_of_a_long_value(client: httpx.Client) -> None:
    reply = client.post("/v1/summarize", json={"text": TEXT, "words": 3, "search": "x" * 15_000})
    message = reply.json()["error"]["message"]
    assert len(message) < 500
    assert message.endswith("exhaustive")  # the hint is not cut off


def test_the_request_has_every_option_of_the_library(client: httpx.Client) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    asked = schemas["SummarizeRequest"]["properties"].keys()
    expected = {"text", "explain", *fields(), *(name for name, unit in UNITS.items() if unit.budget)}
    assert asked == expected - {"effort"}  # no client may ask for more work


@pytest.mark.parametrize("asked", [{"words": [4, 6]}, {"words": 5, "keep": "ship"}, {"words": 5, "drop": ["ship"]}])
def test_fields_take_what_their_description_says(client: httpx.Client, asked: dict[str, Any]) -> None:
    known = client.get("/openapi.json").json()["components"]["schemas"]["SummarizeRequest"]["properties"]
    for name, value in asked.items():
        kind = {int: "integer", str: "string", list: "array"}[type(value)]
        assert kind in [option.get("type") for option in known[name]["anyOf"]]
        assert "can be repeated" not in known[name]["description"]
        assert "6-10" not in known[name]["description"]
    assert client.post("/v1/summarize", json={"text": TEXT, **asked}).status_code == 200


def test_every_response_has_an_id_of_its_own(client: httpx.Client) -> None:
    replies = [client.get("/healthz"), client.get("/nowhere"), client.post("/v1/summarize", json={"text": TEXT})]
    assert len({reply.headers["x-request-id"] for reply in replies}) == 3


def test_info_health_and_readiness(client: httpx.Client, summarizer: Summarizer) -> None:
    info = client.get("/v1/info").json()
    assert info["bundle"] == summarizer.bundle.signature
    assert info["default_objective"] in info["objectives"]
    assert "fast" not in info["objectives"]  # it is an option of its own
    assert info["limits"]["max_chars"] == 2_000
    assert isinstance(info["limits"]["max_chars"], int)
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_the_metrics_count(client: httpx.Client) -> None:
    def count(metric: str) -> float:
        lines = client.get("/metrics").text.splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(metric)), 0.0)

    good = 'tersely_requests_total{path="/v1/summarize",status="200"}'
    bad = 'tersely_errors_total{path="/v1/summarize",status="422"}'
    before = count(good), count(bad)
    client.post("/v1/summarize", json={"text": TEXT, "words": 3})
    client.post("/v1/summarize", json={"text": TEXT})
    client.get("/unheard-of/" + "x" * 50)
    assert (count(good), count(bad)) == (before[0] + 1, before[1] + 1)
    assert count('tersely_request_seconds_count{path="/v1/summarize"}') >= 2
    assert count("tersely_queue_requests") == 0
    assert "unheard-of" not in client.get("/metrics").text
