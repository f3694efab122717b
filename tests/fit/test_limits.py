"""The file of limits: keys, patterns, units, and one clear line for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tersely.candidates.length import UNITS
from tersely.errors import FileError, InputError
from tersely.fit.limits import Limits, read_limits
from tersely.fit.value import Value


def limits(folder: Path, text: str, **more: Any) -> Limits:
    (folder / "limits.toml").write_text(text, encoding="utf-8")
    return read_limits(folder / "limits.toml", **more)


def found(limits: Limits, *names: str) -> str | None:
    options = limits.of(Value(0, 0, "", names))
    return None if options is None else str(options.length)


def test_a_key_has_its_own_limit_or_that_of_the_last_pattern_that_matches(tmp_path: Path) -> None:
    read = limits(tmp_path, '"*.title"="60 chars"\n"a.title"="30 chars"\n"a.*"="1 sms"\n[b]\ntitle="5-8 words"')
    assert found(read, "a.title") == "chars=30"
    assert found(read, "a.body") == "sms=1"
    assert found(read, "c.title") == "chars=60"
    assert found(read, "title", "c.title") == "chars=60"
    assert found(read, "b.title") == "words=5-8"
    assert found(read, "title") is None
    assert read.keys == ["a.title", "b.title"]


@pytest.mark.parametrize(
    ("written", "length"),
    [
        ('"30 chars"', "chars=30"), ('"30 characters"', "chars=30"), ('"1 char"', "chars=1"),
        ('"178 bytes"', "bytes=178"), ('"1 sms"', "sms=1"), ('"2 messages"', "sms=2"), ('"600 pixels"', "pixels=600"),
        ('"8 words"', "words=8"), ('"60 chars and 178 bytes"', "chars=60+bytes=178"), ("{ chars = 30 }", "chars=30"),
        ('"4,000 chars"', "chars=4000"),
        ("{ words = [5, 8], keep = ['x'] }", "words=5-8"),
    ],
)  # fmt: skip
def test_every_unit(tmp_path: Path, written: str, length: str) -> None:
    assert found(limits(tmp_path, f"a = {written}"), "a") == length
    assert {"chars", "bytes", "sms", "pixels", "words"} == set(UNITS) - {"ratio"}


def test_options_of_all_and_of_one(tmp_path: Path) -> None:
    read = limits(tmp_path, 'a = { chars = 30, objective = "headline", keep = "numbers" }\nb = "30 chars"', fast=False)
    a, b = read.options["a"], read.options["b"]
    assert (a.objective, a.keep, a.end) == ("headline", ("numbers",), "period")
    assert (b.objective, b.keep) == (None, ())
    assert limits(tmp_path, 'a = "30 chars"', fast=True).options["a"].objective == "fast"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('a = "30"', "no limit"), ("a = 30", "no limit"), ('a = "x chars"', "no limit"), ('a = "0 chars"', "chars"),
        ('a = "30 miles"', "no limit"), ("a = { ratio = 0.5 }", "share"), ("a = { chars = 3, colour = 1 }", "colour"),
        ("a = ", "TOML"), ("", "no limits"), ('a = "1 chars and 2 bytes and 3 sms"', "two"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_with_the_file(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(InputError, match=word) as raised:
        limits(tmp_path, text)
    assert "limits.toml" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.toml"):
        read_limits(tmp_path / "none.toml")
