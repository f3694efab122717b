"""Shortening: the library and the command, with a bundle of random weights."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pysubs2
import pytest

from tersely import Summarizer
from tersely.cli import main
from tersely.errors import InputError
from tersely.subtitles import shorten

LONG = "the port of the city was not closed by the ship on the way to the sea"


def srt(*cues: tuple[float, str]) -> str:
    """Cues of so many seconds, one after the other."""
    made = [
        f"{i}\n00:00:{5 * i:02},000 --> 00:00:{5 * i + int(seconds):02},{round(seconds % 1 * 1000):03}\n{text}\n"
        for i, (seconds, text) in enumerate(cues)
    ]
    return "\n".join(made)


def test_what_is_within_the_limits_stays_and_the_rest_fits(summarizer: Summarizer) -> None:
    text = srt((4, "The ship  ran."), (2, f"<i>{LONG}</i>."), (4, "A port."))
    made = shorten(text, summarizer=summarizer, cues="alone")
    assert [one.changed for one in made.cues] == [False, True, False]
    changed = made.cues[1]
    assert changed.fits
    assert changed.limit == 34
    assert changed.cps_after <= 17 < changed.cps_before
    assert "not" in changed.text
    assert changed.text.startswith("<i>")
    assert made.subs == text.replace(f"<i>{LONG}</i>.", changed.text)


def test_only_breaks_or_only_fillers_change_where_that_is_enough(summarizer: Summarizer) -> None:
    made = shorten(srt((9, LONG), (1.5, "Um, well, you know, the ship ran.")), summarizer=summarizer)
    assert [one.status for one in made.cues] == ["laid out", "shortened"]
    assert made.cues[0].text.replace("\n", " ") == LONG
    assert made.cues[1].text == "The ship ran."
    assert made.cues[1].dropped_words == "Um, well, you know,"


def test_a_sentence_of_which_little_would_be_left_is_shortened_cue_by_cue(
    summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tersely.subtitles.shortening._LEAST", 2.0)  # no choice of words is enough
    text = srt((1, LONG), (1, f"{LONG}."))
    together, alone = (shorten(text, summarizer=summarizer, cues=cues) for cues in ("sentence", "alone"))
    assert together.subs == alone.subs


def test_both_speakers_keep_words(summarizer: Summarizer) -> None:
    made = shorten(srt((3, f"- {LONG.capitalize()}.\n- Yes.")), summarizer=summarizer)
    first, second = made.cues[0].text.split("\n")
    assert first.startswith("- ")
    assert second == "- Yes."


def test_a_sentence_is_laid_out_over_its_cues(summarizer: Summarizer) -> None:
    text = "1\n00:00:01,000 --> 00:00:04,000\nthe port of\n\n"
    text += "2\n00:00:04,000 --> 00:00:05,000\nthe city was closed by it.\n"
    together = shorten(text, summarizer=summarizer)
    assert [one.text for one in together.cues] == ["the port of the city", "was closed by it."]
    assert [one.changed for one in shorten(text, summarizer=summarizer, cues="alone").cues] == [False, True]


def test_what_cannot_be_read_without_a_denial_is_left_and_named(summarizer: Summarizer) -> None:
    made = shorten(srt((0.1, LONG), (1, "not never nothing nobody")), summarizer=summarizer)
    assert not any(one.changed or one.fits for one in made.cues)
    assert all(one.status.startswith("left") and one.why for one in made.cues)
    pinned = shorten(srt((2, LONG)), summarizer=summarizer, keep=["closed by the ship on the way to the sea", "Rome"])
    assert "keep" in pinned.cues[0].why


def test_what_pysubs2_has_read(summarizer: Summarizer) -> None:
    subs = pysubs2.SSAFile.from_string(srt((2, f"<i>{LONG}</i>."), (4, "A port.")))
    made = shorten(subs, summarizer=summarizer)
    assert made.subs[0].text != subs[0].text
    assert made.subs[0].text.startswith("{\\i1}")
    assert made.subs[1].text == subs[1].text


@pytest.mark.parametrize("wrong", [{"cps": 0}, {"line": 0}, {"lines": 1.5}, {"cues": "some"}, {"keep": 3}])
def test_wrong_options(summarizer: Summarizer, wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        shorten(srt((2, LONG)), summarizer=summarizer, **wrong)  # type: ignore[arg-type]


def test_the_command(tiny_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target, table = tmp_path / "in.srt", tmp_path / "out.srt", tmp_path / "report.csv"
    source.write_bytes(b"\xef\xbb\xbf" + srt((2, LONG), (4, "A port."), (0, "Gone.")).replace("\n", "\r\n").encode())
    bundle = ("--bundle", str(tiny_bundle))
    assert main(["srt", str(source), "--check"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [line.split("cue ")[1][:1] for line in shown] == ["0", "0", "2"]
    assert main(["srt", str(source), str(target), "--diff", "--report", str(table), *bundle]) == 1
    captured = capsys.readouterr()
    assert "[-" in captured.out
    assert "cue 2" in captured.err
    content = target.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf0\r\n")
    assert b"A port.\r\n" in content
    rows = list(csv.DictReader(table.open(encoding="utf-8", newline="")))
    assert [row["number"] for row in rows] == ["0", "2"]
    assert rows[0]["status"] == "shortened"
    assert rows[0]["dropped"]
    assert float(rows[0]["cps_after"]) <= 17
    assert main(["srt", str(source), *bundle]) == 1
    assert "OUT" in capsys.readouterr().err


def test_a_folder(tiny_bundle: Path, tmp_path: Path) -> None:
    source = tmp_path / "in"
    (source / "one").mkdir(parents=True)
    (source / "one" / "a.srt").write_text(srt((2, LONG)))
    (source / "b.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:05.000 line:0\nA port.\n")
    assert main(["srt", str(source), str(tmp_path / "out"), "--bundle", str(tiny_bundle)]) == 0
    assert (tmp_path / "out" / "b.vtt").read_bytes() == (source / "b.vtt").read_bytes()
    assert (tmp_path / "out" / "one" / "a.srt").read_bytes() != (source / "one" / "a.srt").read_bytes()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"1\n00:00:01,000 --> x\nNo\n", "line 2"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nN\xff\n", "line 3"),
        (b"", "cue"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, word: str
) -> None:
    (tmp_path / "a.srt").write_text(srt((4, "A port.")))
    (tmp_path / "b.srt").write_bytes(content)
    assert main(["srt", str(tmp_path), str(tmp_path / "out")]) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert word in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("report", ["talk.srt", "out.srt", "link.csv"])
def test_a_report_replaces_no_subtitles(
    tiny_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], report: str
) -> None:
    source, target = tmp_path / "talk.srt", tmp_path / "out.srt"
    source.write_text(srt((2, LONG)))
    (tmp_path / "link.csv").symlink_to(source)
    command = ["srt", str(source), str(target), "--report", str(tmp_path / report), "--bundle", str(tiny_bundle)]
    assert main(command) == 1
    assert "--report would replace" in capsys.readouterr().err
    assert source.read_text() == srt((2, LONG))
    assert not target.exists()


def test_other_encodings(tiny_bundle: Path, tmp_path: Path) -> None:
    text = srt((2, LONG), (4, "Café."))
    for name, encoding, content in [
        ("a", "cp1252", text.encode("cp1252")),
        ("b", "utf-8", b"\xff\xfe" + text.encode("utf-16-le")),
    ]:
        source, target = tmp_path / f"{name}.srt", tmp_path / f"{name}.out.srt"
        source.write_bytes(content)
        bundle = ("--bundle", str(tiny_bundle))
        assert main(["srt", str(source), str(target), "--encoding", encoding, *bundle]) == 0
        assert target.read_bytes()[:30] == content[:30]
        assert target.read_bytes()[-14:] == content[-14:]


def test_workers_give_the_same(summarizer: Summarizer) -> None:
    text = srt(*((2, LONG) for _ in range(5)))
    assert shorten(text, summarizer=summarizer, workers=2).subs == shorten(text, summarizer=summarizer).subs


@pytest.mark.parametrize(
    ("subs", "options", "message"),
    [
        (None, {}, "must be the content of a file or a pysubs2.SSAFile, not None"),
        (b"1", {}, "must be the content of a file or a pysubs2.SSAFile, not b'1'"),
        (srt((2, LONG)), {"chars": 60}, "leave out chars"),
        (srt((2, LONG)), {"words": 5}, "leave out words"),
        (srt((2, LONG)), {"objective": {}}, "an objective needs at least one factor"),
        (srt((2, LONG)), {"fast": []}, r"fast must be True or False, not \[\]"),
    ],
)
def test_bad_input_is_one_clear_line(summarizer: Summarizer, subs: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        shorten(subs, summarizer=summarizer, **options)
