from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import serving
from starlette.testclient import TestClient

from tersely.evaluation.judge import Item, Judge
from tersely.evaluation.judge_server import create_app

ITEMS = [Item("the ship ran aground", "ship aground", "the ship"), Item("a storm in cuba", "storm", "a <b>storm</b>")]
ANSWER = {"annotator": "ann", "position": 0, "question": "fluency", "choice": "second"}
LOCAL = "http://127.0.0.1:8765"


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge.create(tmp_path / "judge.sqlite", ("A", "B"), ITEMS)


@pytest.fixture
def client(judge: Judge) -> TestClient:
    return TestClient(create_app(judge), base_url=LOCAL)


def test_the_api(judge: Judge, client: TestClient) -> None:
    assert "Which summary is better?" in client.get("/").text
    assert client.get("/static/judge.js").status_code == 200
    view = client.get("/api/view", params={"annotator": "ann"}).json()
    assert (view["position"], view["total"], view["done"]) == (0, 2, 0)
    assert client.post("/api/answer", json=ANSWER).json()["answers"] == {"fluency": "second"}
    assert judge.report()["fluency"].n_answers == 1


def test_invalid_requests(judge: Judge, client: TestClient) -> None:
    assert client.get("/api/view").status_code == 422  # no annotator
    for position in ("x", "2", "1" * 5_000):
        assert client.get("/api/view", params={"annotator": "ann", "position": position}).status_code == 422
    good = json.dumps(ANSWER)
    assert client.post("/api/answer", content=good, headers={"content-type": "text/plain"}).status_code == 400
    assert client.post("/api/answer", json=ANSWER, headers={"host": "evil.example"}).status_code == 421
    for bad, status in {
        "{": 400,
        "[]": 422,
        good.replace("0", '"0"'): 422,
        good.replace("second", "third"): 422,
        good.replace("ann", "\\ud800", 2): 422,
    }.items():
        reply = client.post("/api/answer", content=bad, headers={"content-type": "application/json"})
        assert reply.status_code == status
        assert reply.json()["error"]["message"]
    assert judge.annotators() == []


@pytest.fixture
def address(judge: Judge) -> Iterator[str]:
    with serving(create_app(judge)) as address:
        yield address


@pytest.mark.slow
def test_judging_with_the_keyboard_alone(judge: Judge, address: str, page: Any) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    page.keyboard.type("ann")
    page.keyboard.press("Enter")
    page.wait_for_selector("#item:not([hidden])")
    shown = judge.view("ann", 0)
    assert page.text_content("#source") == shown["source"]
    assert [page.text_content("#first"), page.text_content("#second")] == shown["summaries"]
    page.keyboard.press("1")
    page.wait_for_selector("fieldset[data-question=fluency].current")
    assert judge.view("ann", 0)["answers"] == {"fidelity": "first"}  # saved before the next key
    page.keyboard.press("0")
    page.wait_for_selector("#source-title:text-is('Source 2 of 2')")
    assert page.text_content("#count") == "1 of 2 answered"
    assert page.text_content("#second") == judge.view("ann", 1)["summaries"][1]  # markup is shown as text
    page.keyboard.press("2")
    page.wait_for_selector("fieldset[data-question=fluency].current")
    page.keyboard.press("2")
    page.wait_for_selector("#finished:not([hidden])")
    assert judge.view("ann")["finished"]
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#item:not([hidden])")
    assert page.is_checked("fieldset[data-question=fluency] input[value=second]")
    assert errors == []


@pytest.mark.slow
def test_judging_with_the_mouse_and_changing_an_answer(judge: Judge, address: str, page: Any) -> None:
    page.goto(address)
    page.fill("#name", "bob")
    page.click("text=Begin")
    page.click("fieldset[data-question=fidelity] input[value=equal]")
    page.wait_for_selector("fieldset[data-question=fluency].current")
    page.click("fieldset[data-question=fidelity] input[value=second]")
    page.wait_for_selector("#error", state="hidden")
    page.click("fieldset[data-question=fluency] input[value=first]")
    page.wait_for_selector("#count:text-is('1 of 2 answered')")
    assert judge.view("bob", 0)["answers"] == {"fidelity": "second", "fluency": "first"}
    page.reload()
    assert page.input_value("#name") == "bob"
