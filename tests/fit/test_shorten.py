"""One value to its limit: parts, placeholders, tags, languages; and why some values are left."""

from __future__ import annotations

import pytest

from tersely.fit.parts import parts, shared
from tersely.fit.shorten import Fitted, over, shorten
from tersely.fit.value import Value
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer

SHIP = "The German container ship ran aground early on Tuesday at the entrance of the port"


def fit(summarizer: Summarizer, text: str, language: str | None = None, fixed: str = "", **options: object) -> Fitted:
    value = Value(0, len(text), text, ("key",), language=language, fixed=fixed)
    return shorten(summarizer, value, Options.of(**options), "en")


@pytest.mark.parametrize(
    "limit", [{"chars": 50}, {"bytes": 50}, {"words": 8}, {"pixels": 400}, {"chars": 60, "bytes": 50}]
)
@pytest.mark.parametrize(
    "text",
    [
        SHIP,
        f"  {SHIP}.\n",
        "The ship {name} ran aground on %1$s early in the port of Havre",
        "<p>The German <b>ship</b> ran aground early on Tuesday in the port</p>",
    ],
)
def test_a_value_fits_and_keeps_what_must_stay(summarizer: Summarizer, text: str, limit: dict[str, int]) -> None:
    found = fit(summarizer, text, **limit)
    assert found.text is not None, found.why_not
    assert over(Value(0, 0, found.text, ("key",)), Options.of(**limit)) == ""
    for one in ("{name}", "%1$s", "<p>", "<b>ship</b>", "</p>"):
        assert found.text.count(one) == text.count(one)
    assert (found.text[:2].isspace(), found.text[-1:].isspace()) == (text[:2].isspace(), text[-1:].isspace())
    assert "[-" in found.diff
    assert "\n" not in found.diff


def test_a_message_with_braces_takes_two_septets_each(summarizer: Summarizer) -> None:
    text = f"{{name}} {SHIP}, {SHIP} said {{name}}"
    found = fit(summarizer, text, sms=1)
    assert found.text is not None
    assert over(Value(0, 0, found.text, ()), Options.of(sms=1)) == ""


def test_lines_sentences_and_names_are_parts_with_a_share_each(summarizer: Summarizer) -> None:
    found = fit(summarizer, f"Havre: {SHIP}.\n- {SHIP}\n- No casualties", chars=150)
    assert found.text is not None
    first, second, third = found.text.split("\n")
    assert first.startswith("Havre: ")
    assert second.startswith("- ")
    assert third == "- No casualties"
    assert 100 < len(found.text) <= 150


def test_white_space_alone_can_be_too_much(summarizer: Summarizer) -> None:
    assert fit(summarizer, "The  ship   ran", chars=12).text == "The ship ran"


def test_keep_is_for_the_values_that_have_the_word(summarizer: Summarizer) -> None:
    assert "Tuesday" in str(fit(summarizer, SHIP, chars=30, keep=["Tuesday", "Cuba"]).text)


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        (SHIP, {"language": "de_AT"}, "de_AT"),
        (SHIP, {"fixed": "it has elements"}, "elements"),
        ("The {first_name_of_the_person} ship ran", {}, "keep"),
        (f"{SHIP}\n{SHIP}\n{SHIP}", {}, "room"),
        ("...... ......... ........", {}, "punctuation"),
    ],
)
def test_what_cannot_be_shortened_is_left_with_a_reason(
    summarizer: Summarizer, text: str, more: dict[str, str], why: str
) -> None:
    found = fit(summarizer, text, chars=20, **more)  # type: ignore[arg-type]
    assert found.text is None
    assert why in found.why_not


def test_the_same_language_with_a_region_is_shortened(summarizer: Summarizer) -> None:
    assert fit(summarizer, SHIP, language="en-GB", chars=40).text is not None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("one two", ["one two"]),
        ("- one\r\n- two", ["", "- ", "one", "\r\n- ", "two"]),
        ("Fernhill – one two. Three | four", ["Fernhill", " – ", "one two.", " ", "Three", " | ", "four"]),
        ("Only today: one. Two: three", ["Only today", ": ", "one.", " ", "Two: three"]),
        ("well-known e.g. 9:30 here", ["well-known e.g. 9:30 here"]),
    ],
)
def test_parts(text: str, found: list[str]) -> None:
    assert parts(text) == found
    assert "".join(parts(text)) == text


def test_what_a_short_part_leaves_is_for_the_others() -> None:
    asked = []

    def cut(part: str, share: int) -> str:
        asked.append((part, share))
        return part[:share]

    made = shared("Go on. One two three four five six. No", 30, len, cut)
    assert made == "Go on. One two three four f No"
    assert asked == [("One two three four five six.", 20)]
