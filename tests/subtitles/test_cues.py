"""Reading SRT and WebVTT: the cues with all their characters, and one clear line for what is wrong."""

from __future__ import annotations

import pytest

from tersely.errors import InputError
from tersely.subtitles.cues import Cue, clock_time, read_cues

SRT = "1\n00:00:01,000 --> 00:00:02,500 X1:10\n<i>Hello\nthere.</i>\n\n7\n0:00:03,0 --> 0:00:03,0\nBye.\n"
VTT = (
    "WEBVTT - a title\n\nSTYLE\n::cue { color: red }\n\nname\n00:01.000 --> 00:02.500 align:start\nHello.\n\n"
    "NOTE a comment\nof two lines\n\n00:03.000 --> 00:04.000\nBye.\n"
)


def cues(text: str) -> list[Cue]:
    return [piece for piece in read_cues(text.splitlines(keepends=True)) if isinstance(piece, Cue)]


@pytest.mark.parametrize("text", [SRT, VTT, SRT.replace("\n", "\r\n"), "\ufeff" + SRT, "\n\n" + SRT, SRT + "\n\n\n"])
def test_what_is_not_changed_comes_out_as_it_was(text: str) -> None:
    header, *found = read_cues(text.splitlines(keepends=True))
    assert header + "".join(cue.written(cue.text) for cue in found) == text


def test_numbers_times_and_texts() -> None:
    first, second = cues(SRT)
    assert (first.number, first.start, first.end, first.text) == ("1", 1000, 2500, "<i>Hello\nthere.</i>")
    assert (second.number, second.start, second.end) == ("7", 3000, 3000)
    assert [(cue.number, cue.start, cue.text) for cue in cues(VTT)] == [("name", 1000, "Hello."), ("2", 3000, "Bye.")]


def test_a_new_text_has_the_line_breaks_of_the_file() -> None:
    assert cues(SRT.replace("\n", "\r\n"))[0].written("a\nb").endswith("X1:10\r\na\r\nb\r\n\r\n")


def test_cues_without_a_blank_line_between_them() -> None:
    assert [cue.text for cue in cues(SRT.replace("\n\n", "\n"))] == ["<i>Hello\nthere.</i>", "Bye."]


def test_a_text_that_goes_on_after_a_blank_line() -> None:
    cue = cues("1\n00:00:01,000 --> 00:00:02,000\none\n\ntwo\n\n")[0]
    assert (cue.text, cue.broken) == ("one\n\ntwo", True)


def test_an_arrow_in_a_text_is_text() -> None:
    assert cues("1\n00:00:01,000 --> 00:00:02,000\nleft\nx --> y\n")[0].text == "left\nx --> y"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Hello\n" + SRT, 1),
        (SRT + "\n3\n00:00:05,000 --> 00:0x:06,000\nNo\n", 11),
        (SRT + "\n3\n00:00:05,000 -> 00:00:06,000\nNo\n", 11),
        (SRT + "\n3\n00:00:06,000 --> 00:00:05,000\nNo\n", 11),
        (SRT + "\n3\n100:00:06,000 --> 100:00:07,000\nNo\n", 11),
        (VTT + "\nstray\n", 16),
        (VTT + "\n00:05,000 --> 00:06,000\nNo\n", 16),
    ],
)
def test_an_error_names_its_line(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"line {line}:") as error:
        cues(text)
    assert "\n" not in str(error.value)


def test_a_file_without_cues() -> None:
    assert cues("WEBVTT\n") == []
    with pytest.raises(InputError, match="no cue"):
        cues("\n")


def test_clock_time() -> None:
    assert clock_time(359_999_999) == "99:59:59,999"
