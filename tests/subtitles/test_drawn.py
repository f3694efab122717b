"""Drawn files: every output can be read, only texts change, and every limit holds or its cue is named.

`TERSELY_SUBTITLE_FILES=2000` draws more of them.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import warnings
from functools import partial
from pathlib import Path

import pysubs2
import pytest
from subtitle_files import draw_file

from tersely import Summarizer
from tersely.subtitles import Limits, reports
from tersely.subtitles.files import SubtitleFile, speech_options

FILES = int(os.environ.get("TERSELY_SUBTITLE_FILES", "40"))
FFMPEG = shutil.which("ffmpeg")


def times_by_pysubs2(path: Path) -> list[tuple[int, int]]:
    return [(event.start, event.end) for event in pysubs2.load(str(path), encoding="utf-8-sig")]


def times_by_ffmpeg(path: Path) -> list[str]:
    assert FFMPEG is not None
    command = [FFMPEG, "-v", "error", "-nostdin", "-i", str(path), "-f", "srt", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=300)
    return re.findall(r"^\d\d:\d\d:.* --> .*$", done.stdout.decode(), re.MULTILINE)


def shortened(summarizer: Summarizer, folder: Path, seed: int) -> tuple[Path, Path]:
    """A drawn file and its output, after everything but other programs has checked them."""
    rng = random.Random(seed)
    suffix, content = draw_file(rng)
    limits = Limits(rng.choice([10, 17, 25]), rng.choice([20, 42]), rng.choice([1, 2, 3]))
    source, target = folder / f"in{suffix}", folder / f"out{suffix}"
    source.write_bytes(content)
    file = SubtitleFile.of(source)
    make = partial(
        reports,
        summarizer=summarizer,
        limits=limits,
        options=speech_options(summarizer),
        cues=rng.choice(["sentence", "alone"]),
    )
    made = list(file.write(target, make))
    before, after = list(file.pieces()), list(SubtitleFile.of(target).pieces())
    assert before[0] == after[0]
    assert len(before) == len(after) == len(made) + 1
    for old, new, report in zip(before[1:], after[1:], made, strict=True):
        assert old == report.cue
        assert (new.number, new.start, new.end, new.before) == (old.number, old.start, old.end, old.before)
        assert new.after == old.after
        assert (new.source == old.source) if not report.over and not report.changed else new.text == report.text
        assert not limits.problems(new, new.text) or (not report.fits and report.status.startswith("left"))
        assert report.changed <= report.fits
    if not any(report.changed for report in made):
        assert target.read_bytes() == content
    return source, target


@pytest.mark.parametrize("seed", range(FILES))
def test_a_drawn_file(summarizer: Summarizer, tmp_path: Path, seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source, target = shortened(summarizer, tmp_path, seed)
    assert times_by_pysubs2(source) == times_by_pysubs2(target)


@pytest.mark.slow
@pytest.mark.skipif(FFMPEG is None, reason="needs ffmpeg")
@pytest.mark.parametrize("seed", range(FILES))
def test_ffmpeg_reads_a_drawn_file(summarizer: Summarizer, tmp_path: Path, seed: int) -> None:
    source, target = shortened(summarizer, tmp_path, seed)
    assert times_by_ffmpeg(source) == times_by_ffmpeg(target)


def test_most_drawn_files_have_a_cue_that_is_changed(summarizer: Summarizer, tmp_path: Path) -> None:
    changed = 0
    for seed in range(20):
        source, target = shortened(summarizer, tmp_path, seed)
        changed += source.read_bytes() != target.read_bytes()
    assert changed >= 12
