"""The page in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from serving import BUSY

from tersely.summary.summarizer import Summarizer

pytestmark = pytest.mark.slow

TEXT = "A German container ship ran aground early on Tuesday at the entrance to Le Havre, but there were no casualties."


PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True}


@pytest.fixture(autouse=True)
def opened(page: Any, address: str) -> None:
    """The page has the text, and the summaries of all lengths."""
    page.goto(f"{address}/#{urlencode({'text': TEXT})}")
    wait_for_all(page)


def wait_for_all(page: Any) -> None:
    """Wait until the summaries of all lengths are there."""
    page.wait_for_selector("#chart svg")
    page.wait_for_selector("#status:empty", state="attached")


def change(page: Any, action: Callable[[], Any]) -> None:
    """Do something that brings other summaries, and wait for them."""
    page.evaluate("document.getElementById('chart').replaceChildren()")
    action()
    wait_for_all(page)


def type_text(page: Any, text: str) -> None:
    change(page, lambda: page.fill("#text", text))


def click_word(page: Any, word: str) -> None:
    change(page, lambda: page.locator(".word", has_text=word).first.click())


def summary(page: Any) -> str:
    return str(page.text_content("#summary"))


def calls(log: dict[str, list[str]]) -> list[str]:
    return [url for url in log["requests"] if "/v1/" in url and not url.endswith("/v1/info")]


def kept(page: Any) -> list[str]:
    return [str(word) for word in page.locator(".word.kept").all_text_contents()]


def test_type_and_see_the_summary(page: Any, summarizer: Summarizer) -> None:
    text = "The minister said on Tuesday that the president had paid for the new plan with a storm of talks in Cuba."
    type_text(page, text)
    expected = summarizer(text, words=8)
    assert summary(page) == expected.text
    assert kept(page) == [expected.tokens[position] for position in expected.kept]
    assert page.text_content("#source").strip() == text
    assert page.text_content("#measures").startswith("8 of 21 words")


def test_dragging_over_all_lengths_costs_one_request(
    page: Any, log: dict[str, list[str]], summarizer: Summarizer
) -> None:
    text = " ".join(("the german ship ran aground on tuesday at the port and " * 3).split()[:30])
    log["requests"].clear()
    type_text(page, text)
    expected = {len(one.kept): one.text for one in summarizer.lengths(text)}
    page.focus("#size")
    page.keyboard.press("Home")
    for size in range(1, len(text.split()) + 1):
        assert page.input_value("#size") == str(size)
        assert summary(page) == expected[size]
        assert page.get_attribute("#size", "aria-valuetext") == f"{size} words"
        page.keyboard.press("ArrowRight")
    assert len(calls(log)) == 1


def test_lengths_that_were_left_out_are_requested_one_by_one(page: Any, summarizer: Summarizer) -> None:
    text = "the german ship ran aground on tuesday at the port and " * 3
    assert len(summarizer.lengths(text)) < 30
    type_text(page, text)
    assert page.get_attribute("#size", "max") == "33"
    page.focus("#size")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expected = summarizer(text, words=32).text
    page.wait_for_function("text => document.getElementById('summary').textContent == text", arg=expected)


@pytest.mark.parametrize(
    ("unit", "sizes", "options"),
    [
        ("words", range(1, 21), {}),
        ("chars", range(20, 111, 10), {}),
        ("bytes", range(20, 111, 10), {}),
        ("percent", range(5, 101, 5), {}),
        ("bytes", range(20, 111, 10), {"lead": True}),
    ],
)
def test_the_slider_a_link_and_a_single_request_agree(
    page: Any, address: str, unit: str, sizes: range, options: dict[str, bool]
) -> None:
    text = f"{TEXT} It was the second ship on Tuesday." if options else TEXT

    def open_link(size: int) -> str:
        page.goto("about:blank")
        page.goto(f"{address}/#{urlencode({'text': text, 'unit': unit, 'size': size, **options})}")
        wait_for_all(page)
        return summary(page)

    def single(size: int) -> str:
        length = {"ratio": size / 100} if unit == "percent" else {unit: size}
        reply = httpx.post(f"{address}/v1/summarize", json={"text": text, **length, **options}, timeout=30)
        return str(reply.json()["summaries"][0]["text"])

    expected = {size: single(size) for size in sizes}
    for size in sizes[::6]:
        assert open_link(size) == expected[size]
    found = {}
    for size in sizes:
        page.evaluate(
            "size => { const slider = document.getElementById('size');"
            "slider.value = size; slider.dispatchEvent(new Event('input')); }",
            size,
        )
        found[size] = summary(page)
    assert found == expected


@pytest.mark.parametrize("unit", ["chars", "bytes", "percent"])
def test_other_units(page: Any, summarizer: Summarizer, unit: str) -> None:
    change(page, lambda: page.check(f"input[value={unit}]"))
    options = {"chars": {"chars": 60}, "bytes": {"bytes": 60}, "percent": {"ratio": 0.3}}[unit]
    assert summary(page) == summarizer(TEXT, **options).text
    page.focus("#size")
    page.keyboard.press("End")
    assert len(kept(page)) == 20
    page.keyboard.press("Home")
    assert len(kept(page)) == 1


def test_pin_ban_and_free_a_word(page: Any, summarizer: Summarizer) -> None:
    for state, check in (
        ("pinned", lambda: "Havre" in summary(page)),
        ("banned", lambda: "Havre" not in summary(page)),
        ("", lambda: summary(page) == summarizer(TEXT, words=8).text),
    ):
        click_word(page, "Havre")
        label = str(page.locator(".word", has_text="Havre").get_attribute("aria-label"))
        assert label.endswith(state)
        assert check()


def test_pinning_one_of_two_equal_words(page: Any) -> None:
    click_word(page, "the")
    assert page.locator(".word.pinned").count() == 1
    assert page.locator(".word.pinned.kept").count() == 1


def test_with_the_keyboard_alone(page: Any) -> None:
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className").startswith("word"):
            break
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") != first
    change(page, lambda: page.keyboard.press("Enter"))
    assert page.locator(".word.pinned.kept").count() == 1
    assert "pinned" in page.evaluate("document.activeElement.className")  # the focus stays where it was


def test_copy_the_summary_and_a_link_to_the_state(page: Any) -> None:
    page.locator(".word", has_text="Havre").click()
    page.focus("#size")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    wait_for_all(page)
    page.click("#copy")
    page.wait_for_selector("#copy:text-is('Copied')")
    shown = summary(page)
    assert page.evaluate("navigator.clipboard.readText()") == shown
    page.click("#copy-link")
    page.wait_for_selector("#copy-link:text-is('Copied')")
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    wait_for_all(page)
    assert page.input_value("#text") == TEXT
    assert page.input_value("#size") == "6"
    assert summary(page) == shown
    assert page.locator(".word.pinned").text_content() == "Havre"


def test_grammar_factors_others(page: Any) -> None:
    page.click("#show-tree")
    assert page.locator(".arcs path").count() == page.locator(".arcs text").count() == 20
    assert "is" in page.get_attribute(".arcs", "aria-label")
    page.click("#why > summary")
    rows = page.locator(".factors tbody tr")
    shares = [float(text.replace("−", "-")) for text in rows.locator(".number").all_text_contents()]
    assert shares[-1] == pytest.approx(sum(shares[:-1]), abs=0.05)
    page.click("#best > summary")
    page.wait_for_selector(".best li:nth-child(2)")
    other = page.locator(".best .text").nth(1).text_content()
    page.locator(".best input").nth(1).check()
    assert summary(page) == other


def test_the_steps_of_hill_climbing(page: Any) -> None:
    page.click("#climb > summary")
    page.wait_for_selector(".grid svg")
    steps = page.locator(".step").count()
    assert steps > 1
    assert page.locator(".step.shown").count() == steps  # without motion all of it is there at once
    page.focus("[aria-label='Step of the search']")
    page.keyboard.press("Home")
    assert page.locator(".step.shown").count() == 1
    low = page.text_content(".candidate")
    page.click("text=Play")
    page.wait_for_selector(".step.shown + .step.shown")
    assert page.text_content(".candidate") != low


def test_a_text_that_is_too_long(page: Any, log: dict[str, list[str]]) -> None:
    page.fill("#text", ("x" * 9 + " ") * 1_000)
    page.wait_for_selector("#error:not([hidden])")
    assert page.text_content("#error") == "the text has 10,000 characters, the limit is 2,000"
    log["errors"].clear()  # the browser's own line about the status
    type_text(page, TEXT)
    assert page.is_hidden("#error")


def test_errors_of_the_server_are_shown(page: Any, log: dict[str, list[str]]) -> None:
    page.route("**/v1/lengths", lambda route: route.fulfill(**BUSY))
    page.fill("#text", TEXT)
    page.wait_for_selector("#error:not([hidden])")
    assert page.text_content("#error") == "too many requests are waiting"
    page.route("**/v1/lengths", lambda route: route.fulfill(status=502, body="<h1>a proxy</h1>"))
    page.fill("#text", TEXT + " Again.")
    page.wait_for_selector("#error:has-text('status 502')")
    page.route("**/v1/lengths", lambda route: route.abort())
    page.fill("#text", TEXT + " Once more.")
    page.wait_for_selector("#error:has-text('does not respond')")
    page.unroute("**/v1/lengths")
    type_text(page, TEXT)
    assert page.is_hidden("#error")
    log["errors"].clear()  # the browser's own lines about the three


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_on_a_phone_nothing_is_wider_than_the_screen(page: Any) -> None:
    page.click("#show-tree")
    page.click("#why > summary")
    page.click("#climb > summary")
    page.wait_for_selector(".grid svg")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_more_pins_than_the_length_move_the_slider(page: Any) -> None:
    page.focus("#size")
    page.keyboard.press("Home")
    for word in ("German", "Tuesday", "Havre"):
        click_word(page, word)
    assert (page.input_value("#size"), page.get_attribute("#size", "min")) == ("3", "3")
    assert summary(page) == "German Tuesday Havre"
    assert page.is_hidden("#error")


def test_long_summaries_of_a_long_text_come_one_by_one(
    page: Any, log: dict[str, list[str]], summarizer: Summarizer
) -> None:
    text = " ".join(["the german ship ran aground on tuesday at the port and"] * 7)
    n_words = len(text.split())
    assert n_words**2 > 1_600
    log["requests"].clear()
    assert page.is_hidden("#hint")
    type_text(page, text)
    assert page.is_visible("#hint")
    page.focus("#size")
    page.keyboard.press("ArrowRight")
    assert len(kept(page)) == 9
    assert len(calls(log)) == 1
    page.keyboard.press("End")
    page.wait_for_selector(f"#measures:has-text('{n_words} of {n_words} words')")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f"#measures:has-text('{n_words - 3} of {n_words} words')")
    assert summary(page) == summarizer(text, words=n_words - 3).text
    assert len(calls(log)) == 3  # where the slider rested, not where it moved


def test_when_not_all_lengths_come_the_slider_requests_one(page: Any, log: dict[str, list[str]]) -> None:
    real = httpx.post(
        str(page.url).partition("#")[0] + "v1/lengths",
        json={"text": TEXT, "first": {"words": 8}},
        headers={"accept": "application/x-ndjson"},
        timeout=30,
    )
    slow = '{"error": {"code": "too_slow", "message": "that took too long", "field": null}}'
    lines = f"{real.text.splitlines()[0]}\n{slow}\n"
    page.route("**/v1/lengths", lambda route: route.fulfill(content_type="application/x-ndjson", body=lines))
    page.reload()
    page.wait_for_selector("#error:has-text('that took too long')")
    assert len(kept(page)) == 8
    page.focus("#size")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#measures:has-text('9 of 20 words')")
    assert len(kept(page)) == 9
    assert page.is_hidden("#error")
    page.route("**/v1/summarize", lambda route: route.abort())
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#error:has-text('does not respond')")
    assert page.text_content("#measures") == "There is no summary of this length yet."
    log["errors"].clear()  # the browser's own line about the request


def test_fast(page: Any, summarizer: Summarizer) -> None:
    for action, options in (
        (lambda: page.select_option("#objective", "paper"), {"objective": "paper"}),
        (lambda: page.check("#fast"), {"fast": True}),
        (page.reload, {"fast": True}),
        (lambda: page.uncheck("#fast"), {"objective": "paper"}),
    ):
        change(page, action)
        assert summary(page) == summarizer(TEXT, words=8, **options).text
        assert page.is_disabled("#objective") is ("fast" in options)
    page.check("#fast")
    wait_for_all(page)
    page.click("#climb > summary")
    page.wait_for_selector(".grid svg")  # hill climbing is never fast
    page.click("#best > summary")
    page.wait_for_selector(".best li")


def test_bytes_are_those_of_utf_8(page: Any, summarizer: Summarizer) -> None:
    text = TEXT.replace("container", "cöntäinér")
    page.goto(f"{page.url.partition('#')[0]}#{urlencode({'text': text, 'unit': 'bytes', 'size': 40})}")
    page.wait_for_selector("#size-text:has-text('40 bytes')")
    wait_for_all(page)
    expected = summarizer(text, bytes=40)
    assert summary(page) == expected
    assert page.text_content("#measures").endswith(f"{len(expected.encode())} bytes")
    assert page.get_attribute("#size", "max") == str(len(text.encode()))


def test_warnings_are_a_line_and_lead_shortens_the_first_sentence(page: Any, summarizer: Summarizer) -> None:
    assert page.is_hidden("#warnings")
    type_text(page, f"{TEXT} It was the second ship.")
    assert "several sentences" in page.text_content("#warnings")
    change(page, lambda: page.check("#lead"))
    assert page.is_hidden("#warnings")
    assert summary(page) == summarizer(TEXT, words=8)
    assert page.text_content("#source").strip() == TEXT
    assert len(kept(page)) == 8
    page.reload()
    wait_for_all(page)
    assert page.is_checked("#lead")
    assert summary(page) == summarizer(TEXT, words=8)


def test_split_shortens_each_sentence(page: Any, summarizer: Summarizer) -> None:
    text = f"{TEXT} The minister said on Tuesday that the president had paid for the new plan."
    type_text(page, text)
    page.click("#show-tree")
    page.check("#split")

    def wait_for(**options: Any) -> None:
        expected = summarizer(text, split=True, **options)
        page.wait_for_function("text => document.getElementById('summary').textContent === text", arg=str(expected))
        page.wait_for_selector("#status:empty", state="attached")
        assert kept(page) == [expected.tokens[position] for position in expected.kept]
        assert page.locator("path[data-arc$=' -1']").count() == [head for head, _ in expected.tree].count(-1)

    wait_for(words=8)
    assert "\n" in page.inner_text("#summary")  # a line for each, as it is shown
    for hidden in ("#scores", "#best", "#climb", "#warnings"):
        assert page.is_hidden(hidden)
    page.focus("#size")
    page.keyboard.press("ArrowLeft")
    wait_for(words=7)
    page.check("input[value=percent]")
    wait_for(ratio=0.3)
    page.check("input[value=chars]")
    wait_for(chars=60)
    page.locator(".word", has_text="president").click()
    wait_for(chars=60, keep="president")
    page.reload()
    page.wait_for_selector("#summary:not(:empty)")
    page.click("#show-tree")
    wait_for(chars=60, keep="president")
    page.check("input[value=words]")
    wait_for(words=8, keep="president")
    page.uncheck("#split")
    wait_for_all(page)
    assert summary(page) == summarizer(text, words=8, keep="president")
    assert page.is_visible("#best")


def test_markup_is_read_without_its_tags(page: Any, summarizer: Summarizer) -> None:
    type_text(page, f"<p>{TEXT}</p>")
    assert "markup" in page.text_content("#warnings")
    change(page, lambda: page.check("#html"))
    assert (summary(page), page.text_content("#source").strip()) == (summarizer(TEXT, words=8), TEXT)


def test_the_page_has_the_options_that_the_service_has(page: Any, address: str) -> None:
    flags = httpx.get(f"{address}/v1/info").json()["flags"]
    shown = [box.get_attribute("id") for box in page.locator("#flags input").all()]
    assert shown == [name for name in ("lead", "split", "html") if name in flags]
    assert {"lead", "html"} <= set(shown)
    assert flags["lead"] in page.text_content("#flags")


def test_no_summary_is_shown_below_another_text(page: Any, log: dict[str, list[str]]) -> None:
    page.fill("#text", "...")
    page.wait_for_selector("#error:not([hidden])")
    assert page.is_hidden("#result")
    type_text(page, TEXT)
    assert page.is_visible("#result")
    page.fill("#text", "")
    page.wait_for_selector("#result", state="hidden")
    page.wait_for_selector("#status:empty", state="attached")
    log["errors"].clear()  # the browser's own line about the status


def test_a_panel_shows_its_errors(page: Any, log: dict[str, list[str]]) -> None:
    for path, panel in (("summarize", "best"), ("climb", "climb")):
        page.route(f"**/v1/{path}", lambda route: route.fulfill(**BUSY))
        page.click(f"#{panel} > summary")
        page.wait_for_selector(f"#{panel} .hint:has-text('too many requests are waiting')")
    log["errors"].clear()  # the browser's own lines about the two


def test_a_link_opened_in_an_open_page(page: Any, address: str) -> None:
    link = urlencode({"text": "the ship ran aground on tuesday", "unit": "percent", "size": 50})
    change(page, lambda: page.goto(f"{address}/#{link}"))
    assert page.input_value("#text") == "the ship ran aground on tuesday"
    assert page.is_checked("input[value=percent]")
    assert len(kept(page)) == 3


def test_markup_in_a_text_is_text(page: Any) -> None:
    type_text(page, "the <b>ship</b> ran <img src=x onerror=alert(1)> aground on tuesday")
    assert page.locator("#source img, #source b").count() == 0


def test_examples_and_objectives(page: Any) -> None:
    before = summary(page)
    change(page, lambda: page.select_option("#examples", index=2))
    assert summary(page) != before
    assert page.locator("#objective option").count() >= 1


def test_the_api_description(page: Any, address: str) -> None:
    page.goto(f"{address}/docs")
    page.wait_for_selector("#operations section")
    shown = page.text_content("#operations")
    description = httpx.get(f"{address}/openapi.json").json()
    titles = page.locator("h2").all_text_contents()
    for path, methods in description["paths"].items():
        assert {f"{method.upper()} {path}" for method in methods} <= set(titles)
    for name in ("Effect", "Share", "BrokenNeed", "ShortSummary", "ErrorResponse"):
        assert name in description["components"]["schemas"]
        assert titles.count(name) == 1
    assert "word: integer, lost: integer" in shown
    assert shown.count("missing or wrong token") == 1


def test_the_api_description_has_an_example_to_try(page: Any, address: str) -> None:
    page.goto(f"{address}/docs")
    section = page.locator("#operations section", has_text="POST /v1/summarize")
    section.get_by_role("button", name="Send").click()
    section.get_by_text('"summaries"').wait_for()
    section.get_by_role("textbox").fill("not JSON")
    section.get_by_role("button", name="Send").click()
    section.get_by_text("is not valid JSON").wait_for()
