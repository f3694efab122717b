"""Subtitles by the service: what it responds is the library's, and the file can be made again from it."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import httpx
import pytest

from tersely.errors import MissingExtra
from tersely.serve.limits import Limits as ServeLimits
from tersely.serve.requests import SUBTITLES
from tersely.serve.subtitles import shorten as shorten_in_worker
from tersely.subtitles import Limits, cues, shorten
from tersely.summary.summarizer import Summarizer
from tersely.web.errors import api_error_of

pytest.importorskip("pysubs2")

FILE = (
    "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\nWell, you know, the German ship ran aground early on Tuesday.\r\n\r\n"
    "2\r\n00:00:03,000 --> 00:00:05,000 X1:40\r\n<i>There were\r\nno casualties.</i>\r\n\r\n\r\n"
    "3\r\n00:00:05,000 --> 00:00:05,000\r\nNo time.\r\n"
)


def joined(found: dict[str, Any]) -> str:
    """The file with its new texts, as the page makes it."""
    made = found["header"]
    for cue in found["cues"]:
        made += cue["before"] + (cue["text"].replace("\n", "\r\n") if cue["changed"] else cue["source"]) + cue["after"]
    return str(made)


@pytest.mark.parametrize(
    "options", [{}, {"cps": 20, "line": 20}, {"fast": True, "keep": ["German"]}, {"cues": "alone"}]
)
def test_the_response_is_the_librarys(client: httpx.Client, summarizer: Summarizer, options: dict[str, Any]) -> None:
    reply = client.post("/v1/subtitles", json={"text": FILE, **options})
    assert reply.status_code == 200, reply.text
    expected = shorten(FILE, summarizer=summarizer, **options)
    assert joined(reply.json()) == expected.subs != FILE
    for found, one in zip(reply.json()["cues"], expected.cues, strict=True):
        assert (found["over"], found["fits"], found["status"]) == (one.over, one.fits, one.status)
        assert " ".join(found["shown"].split()[i] for i in found["dropped"]) == one.dropped_words
    assert reply.json()["cues"][2]["cps_before"] is None


def test_a_check_changes_nothing(client: httpx.Client) -> None:
    found = client.post("/v1/subtitles", json={"text": FILE, "check": True}).json()
    assert joined(found) == FILE
    assert [bool(cue["over"]) for cue in found["cues"]] == [True, False, True]


@pytest.mark.parametrize(
    ("body", "field", "word"),
    [
        ({"text": "1\n00:00:01 -> 2\nHello\n"}, "text", "no cue"),
        ({"text": "1\n00:00:01,000 --> 00:00:02,000\nA\n\n2\n00:00:03,000 --> soon\nB\n"}, "text", "line 6"),
        ({"text": SUBTITLES, "cps": 0}, "cps", "cps"),
        ({"text": SUBTITLES, "cps": 1e308}, "cps", "at most 10,000"),
        ({"text": SUBTITLES, "line": 1.5}, "line", "line"),
        ({"text": SUBTITLES, "cues": "some"}, "cues", "alone"),
        ({"text": SUBTITLES, "words": 3}, "words", "unknown"),
        ({"text": SUBTITLES, "objective": "unheard"}, "objective", "unheard"),
        ({"text": SUBTITLES * 9}, "text", "9 cues"),
        ({"text": SUBTITLES + "a " * 1_000}, "text", "limit is 2,000"),
        ({"text": SUBTITLES + "<i>a</i> " * 1_000, "check": True}, "text", "limit is 2,000"),
    ],
)
def test_bad_input(client: httpx.Client, body: dict[str, Any], field: str, word: str) -> None:
    reply = client.post("/v1/subtitles", json=body)
    assert (reply.status_code, reply.json()["error"]["field"]) == (422, field)
    assert word in reply.json()["error"]["message"]


def test_a_check_has_no_limit_of_cues(client: httpx.Client) -> None:
    found = client.post("/v1/subtitles", json={"text": SUBTITLES * 9, "check": True}).json()
    assert len(found["cues"]) == 9


def test_without_the_extra(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysubs2.formats.subrip", None)
    cues._format.cache_clear()
    with pytest.raises(MissingExtra) as raised:
        shorten_in_worker(summarizer, SUBTITLES, "sentence", Limits(), ServeLimits(), None)
    error = api_error_of(pickle.loads(pickle.dumps(raised.value)))  # a worker raises it
    assert (error.type.status, error.code) == (501, "missing_extra")
    assert "tersely[subtitles]" in str(error)
