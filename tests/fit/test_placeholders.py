"""Placeholders and tags are read as words, stay, and keep their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tersely.errors import InputError
from tersely.fit.placeholders import _words, masked, placeholders
from tersely.text.words import tokenize


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hi {name}, {0} and {{ count }}", ["{name}", "{0}", "{{ count }}"]),
        ("%s has %1$d of %(total)d at %.2f%% for %@ and %lld", ["%s", "%1$d", "%(total)d", "%.2f", "%%", "%@", "%lld"]),
        ("${user} and %{user} and :user", ["${user}", "%{user}", ":user"]),
        ("{n, plural, one {# item} other {# items}} left", ["{n, plural, one {# item} other {# items}}"]),
        ("a <a href='x'>link here</a>, a <br/> and &nbsp;", ["<a href='x'>link here</a>", "<br/>", "&nbsp;"]),
        ("50% off, 5 % done at 9:30: really? 3 < 5 & 7 > 6; 100%sure", []),
    ],
)
def test_what_is_a_placeholder(text: str, found: list[str]) -> None:
    assert placeholders(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "{a} {b} {a} {count}s, v{version} has %d%% of {price}% for ${x}",
        "<p><b>Only today:</b> {name} saves <i>a lot</i></p>\n",
        "  no placeholder at all ",
        "{first}{last}",
    ],
)
def test_a_masked_text_is_as_long_and_comes_back(text: str) -> None:
    found = masked(text)
    assert found.unmasked(found.text) == text
    assert len(found.before + found.text + found.after) == len(text)
    assert not placeholders(found.text)
    words = {word.text for word in tokenize(found.text)}
    assert all(any(one in word for word in words) for one in found.stand_ins)  # each is inside of one word


def test_a_number_is_read_as_a_number() -> None:
    assert masked("{count} of %d in {place}").text == "2222222 of 23 in Qaaaaaa"


def test_the_words_that_hold_placeholders_are_pinned() -> None:
    found = masked("It is v{version} of {app}'s map")
    assert [pin.partition("#")[0] for pin in found.pins(found.text)] == ["vQaaaaaaaa", "Qaaae's"]
    assert found.filled(found.text) == "It is v{version} of {app}'s map"


def test_tags_around_the_text_and_a_leading_element_are_set_aside() -> None:
    found = masked(" <p><b>Only today:</b> save 20 %</p>")
    assert (found.before, found.text, found.after) == (" <p><b>Only today:</b> ", "save 20 %", "</p>")


def test_too_many_placeholders() -> None:
    with pytest.raises(InputError, match="placeholders"):
        masked("%s " * 100)


def test_no_word_is_tried_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def words(*args: Any, **kwargs: Any) -> Iterator[str]:
        for word in _words(*args, **kwargs):
            tried.append(word)
            yield word

    monkeypatch.setattr("tersely.fit.placeholders._words", words)
    assert len(masked("{name} " * 300).stand_ins) == 300
    assert len(tried) == len(set(tried))


def test_how_far_the_end_of_an_element_is_looked_for() -> None:
    """Without a bound, twenty thousand open tags take a minute."""
    near, far = f"<b>{'ship ' * 200}</b>", f"<b>{'ship ' * 201}</b>"
    assert placeholders(near) == [near]
    assert placeholders(far) == ["<b>", "</b>"]
