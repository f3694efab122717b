"""The tab for subtitles in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from serving import BUSY

from tersely.subtitles import shorten
from tersely.summary.summarizer import Summarizer

pytest.importorskip("pysubs2")
pytestmark = pytest.mark.slow

LONG = "Well, you know, the German ship ran aground early on Tuesday."
FILE = (
    f"\ufeff1\r\n00:00:01,000 --> 00:00:03,500\r\n{LONG}\r\n\r\n"
    "2\r\n00:00:04,000 --> 00:00:06,000 X1:40\r\n<i>There were\r\nno casualties.</i>\r\n\r\n\r\n"
    "3\r\n00:00:07,000 --> 00:00:09,500\r\nThe minister said that the president had paid for the new plan.\r\n"
)
DROP = """([name, bytes]) => {
    const carried = new DataTransfer();
    carried.items.add(new File([new Uint8Array(bytes)], name));
    document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: carried, cancelable: true}));
}"""


@pytest.fixture(autouse=True)
def opened(page: Any, address: str) -> None:
    """The tab is open."""
    page.goto(f"{address}/#text=")
    page.click("#subtitles-tab")


def drop(page: Any, content: bytes, name: str = "talk.srt") -> None:
    page.evaluate(DROP, [name, list(content)])


def wait_for_proposals(page: Any) -> None:
    page.wait_for_selector("#subtitles-result:not([hidden])")
    page.wait_for_selector("#cues:not(:has(textarea:disabled))", state="attached")
    page.wait_for_selector("#status:empty", state="attached")


def downloaded(page: Any) -> tuple[str, bytes]:
    with page.expect_download() as found:
        page.click("#download")
    return found.value.suggested_filename, Path(found.value.path()).read_bytes()


def test_drop_a_file_accept_and_download(page: Any, summarizer: Summarizer) -> None:
    drop(page, FILE.encode())
    wait_for_proposals(page)
    assert page.locator(".cue").count() == 2
    assert page.text_content("#counts").startswith("2 of 3 cues are over")
    expected = shorten(FILE, summarizer=summarizer)
    areas = page.locator(".cue textarea")
    assert [areas.nth(i).input_value() for i in (0, 1)] == [expected.cues[0].text, expected.cues[2].text]
    dropped = " ".join(page.locator(".cue").first.locator("del").all_text_contents())
    assert " ".join(dropped.split()) == expected.cues[0].dropped_words
    assert downloaded(page) == ("talk.short.srt", FILE.encode())  # nothing is accepted yet
    page.locator(".accept").first.click()
    new = expected.cues[0].text.replace("\n", "\r\n")
    assert downloaded(page)[1] == FILE.replace(LONG, new).encode()
    page.click("#accept-all")
    assert downloaded(page)[1] == expected.subs.encode()
    assert "2 accepted" in page.text_content("#counts")
    page.locator(".accept").first.click()
    page.locator(".accept").nth(1).click()
    assert downloaded(page)[1] == FILE.encode()


def test_an_edit_is_measured_and_written(page: Any) -> None:
    drop(page, FILE.encode())
    wait_for_proposals(page)
    area = page.locator(".cue textarea").first
    area.fill("<i>The ship ran aground on Tuesday,\n\nand nobody at all was hurt.</i>")
    page.wait_for_selector(".cue:first-child .too-long:has-text('Over: ')")
    assert area.get_attribute("aria-invalid") == "true"
    area.fill("<i>The ship\n\nran --> aground.</i>")
    page.wait_for_selector(".cue textarea[aria-invalid=false] + p:has-text('characters a second')")
    assert page.locator(".accept").first.get_attribute("aria-pressed") == "true"
    new = "<i>The ship\r\nran -> aground.</i>"
    assert downloaded(page)[1] == FILE.replace(LONG, new).encode()


def test_a_sentence_over_two_cues_is_accepted_as_one(page: Any, summarizer: Summarizer) -> None:
    text = (
        "WEBVTT\n\n00:01.000 --> 00:03.000\nThe German ship ran aground early on Tuesday\n\n"
        "00:03.100 --> 00:05.000\nat the port of Le Havre and there were no casualties.\n"
    )
    page.fill("#cues-text", text)
    wait_for_proposals(page)
    expected = shorten(text, summarizer=summarizer)
    assert all(one.changed for one in expected.cues)
    assert (page.locator(".cue").count(), page.locator(".accept").count()) == (2, 1)
    page.click(".accept")
    assert downloaded(page) == ("subtitles.vtt", expected.subs.encode())


def test_other_limits(page: Any) -> None:
    page.fill("#cues-text", FILE.replace("\r\n", "\n"))
    wait_for_proposals(page)
    page.fill("#cps", "100")
    page.fill("#line", "100")
    page.wait_for_selector("#counts:has-text('All 3 cues')")
    page.fill("#lines", "1")
    page.wait_for_selector("#counts:has-text('1 of 3 cues')")
    page.wait_for_selector(".cue .too-long:has-text('2 lines')")


def test_lines_without_times(page: Any, summarizer: Summarizer, log: dict[str, list[str]]) -> None:
    page.fill("#cues-text", f"A short line.\n\n{LONG}\n{'x' * 70}\n")
    wait_for_proposals(page)
    assert page.is_visible("#chars")
    assert page.is_hidden("#cps")
    page.fill("#chars", "")
    page.wait_for_selector("#subtitles-error:has-text('at least 1')")
    page.fill("#chars", "30")
    page.wait_for_selector(".cue .too-long:has-text('the limit is 30')")
    wait_for_proposals(page)
    first, second = page.locator(".cue").all()
    expected = summarizer(LONG, chars=30).text
    assert first.locator("textarea").input_value() == expected
    dropped = "".join(first.locator("del").all_text_contents())
    assert all((word in dropped) != (word in expected) for word in ("Well", "ship", "aground", "Tuesday"))
    assert "cannot shorten" in second.text_content()
    assert page.locator(".accept").nth(1).is_disabled()
    second.locator("textarea").fill("y" * 31)
    page.wait_for_selector(".cue .too-long:has-text('Over: 31')")
    second.locator("textarea").fill("yes,\nyes")
    page.wait_for_selector("li:nth-child(2) .cue textarea + p:text-is('8 characters')")
    log["errors"].clear()  # the browser's own lines about the status
    page.click("#accept-all")
    assert downloaded(page) == ("lines.txt", f"A short line.\n\n{expected}\nyes, yes\n".encode())


def test_more_cues_than_a_request_can_have(page: Any) -> None:
    cues = [f"{i}\n00:00:{i:02},000 --> 00:00:{i + 1:02},000\n{LONG}\n\n" for i in range(1, 21)]
    page.fill("#cues-text", "".join(cues))
    wait_for_proposals(page)
    assert page.text_content("#counts").startswith("20 of 20 cues")
    assert page.is_hidden("#subtitles-error")


def test_bad_input_is_one_line(page: Any, log: dict[str, list[str]]) -> None:
    page.fill("#cues-text", "1\n00:00:01,000 --> soon\nHello\n")
    page.wait_for_selector("#subtitles-error:has-text('line 2')")
    assert page.is_hidden("#subtitles-result")
    log["errors"].clear()  # the browser's own line about the status
    drop(page, b"1\n00:00:01,000 --> 00:00:02,000\nd\xe9j\xe0\n", "old.srt")
    page.wait_for_selector("#subtitles-error:has-text('old.srt is not UTF-8')")


def test_an_error_on_the_way_leaves_the_cues_to_edit(page: Any, log: dict[str, list[str]]) -> None:
    def answer(route: Any) -> None:
        if route.request.post_data_json["check"]:
            route.continue_()
        else:
            route.fulfill(**BUSY)

    page.route("**/v1/subtitles", answer)
    page.fill("#cues-text", FILE)
    page.wait_for_selector("#subtitles-error:has-text('too many requests')")
    page.wait_for_selector(".cue:has-text('no proposal') textarea:enabled")
    log["errors"].clear()  # the browser's own line about the status


def test_tabs_with_the_keyboard(page: Any) -> None:
    page.focus("#subtitles-tab")
    for key, chosen in (
        ("ArrowRight", "sentence"),
        ("ArrowLeft", "subtitles"),
        ("Home", "sentence"),
        ("End", "subtitles"),
    ):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == f"{chosen}-tab"
        assert page.locator("[role=tabpanel]:visible").get_attribute("id") == chosen
        assert page.locator("[aria-selected=true]").get_attribute("id") == f"{chosen}-tab"
        assert page.locator("[role=tab][tabindex='-1']").count() == 1


@pytest.mark.parametrize("page", [{"viewport": {"width": 360, "height": 740}, "is_mobile": True}], indirect=True)
def test_on_a_phone_nothing_is_wider_than_the_screen(page: Any) -> None:
    drop(page, FILE.encode())
    wait_for_proposals(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
