"""What users of the command line fall into: closed streams, odd locales, packed files, tables, misspelt options."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SHIP = "The German ship ran aground, authorities said"


def tersely(*arguments: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tersely", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, timeout=300, **options)


@pytest.mark.parametrize("option", ["text", "--keep"])
def test_a_posix_locale_reads_utf8_arguments(tiny_bundle: Path, option: str) -> None:
    posix = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
    posix |= {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    more = ["--keep", "naïve"] if option == "--keep" else []
    done = tersely("--bundle", tiny_bundle, "--words", 3, *more, "Zoë’s naïve 👍", env=posix)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "Zoë’s naïve 👍\n", b"")


@pytest.mark.parametrize(
    ("closing", "expected"),
    [
        ("2>&-", (0, b"ship aground\n", b"")),
        (">&-", (1, b"", b"tersely: cannot write: stdout is closed\n")),
        (">&- 2>&-", (1, b"", b"")),
        ("<&- 2>&-", (0, b"ship aground\n", b"")),
    ],
)
def test_closed_streams(tiny_bundle: Path, tmp_path: Path, closing: str, expected: tuple[int, bytes, bytes]) -> None:
    (tmp_path / "in.txt").write_text("ship aground\n")
    command = f'"{sys.executable}" -m tersely --bundle "{tiny_bundle}" --words 2 "{tmp_path}/in.txt" {closing}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == expected


def test_a_bad_line_with_stderr_closed_is_exit_1(tiny_bundle: Path) -> None:
    command = f'echo ... | "{sys.executable}" -m tersely --bundle "{tiny_bundle}" --words 2 - 2>&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (1, b"\n")


def test_n_best_of_several_lines_end_with_an_empty_line(run) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = run("--words", 2, "--n-best", 2, "-", stdin=b"one two three\n\n...\nfour five six\n")
    assert code == 1  # for the line without words
    found = [bool(line) for line in out.splitlines()]
    assert found == [True, True, False, False, False, True, True, False]  # the blank line and the bad one are empty


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.csv.gz"])
def test_a_table_is_read_as_plain_text_with_a_warning(run, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    write = gzip.open if name.endswith(".gz") else open
    with write(tmp_path / name, "wb") as file:
        file.write(b"ship aground\n")
    code, out, err = run("--words", 2, tmp_path / name)
    assert (code, out) == (0, "ship aground\n")
    assert err.startswith(
        f"tersely: {tmp_path / name} is read as plain text, one sentence a line: tersely batch reads "
    )


@pytest.mark.parametrize(("name", "pack"), [("in.txt.gz", gzip.compress), ("in.txt.xz", lzma.compress)])
def test_packed_files_are_unpacked(run, tmp_path: Path, name: str, pack: Any) -> None:  # type: ignore[no-untyped-def]
    packed = pack("ship aground\nZoë’s ship\n".encode() * 20)
    (tmp_path / name).write_bytes(packed)
    assert run("--words", 2, tmp_path / name) == (0, "ship aground\nZoë’s ship\n" * 20, "")
    (tmp_path / name).write_bytes(packed[: len(packed) // 2])
    code, _, err = run("--words", 2, tmp_path / name)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith(f"tersely: cannot read {tmp_path / name}: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--characters", 20, SHIP], "unknown option --characters, did you mean --chars?"),
        (["--wrods", 3, SHIP], "unknown option --wrods, did you mean --words?"),
        (["-w", 3, SHIP], "unknown option -w"),
        (["--words=3", "--explian", SHIP], "unknown option --explian, did you mean --explain?"),
    ],
)
def test_an_unknown_option_is_named(run, arguments: list[object], said: str) -> None:  # type: ignore[no-untyped-def]
    assert run(*arguments) == (2, "", f"tersely: {said} (see tersely --help)\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--words", "6-"], "--words: invalid value '6-': exactly N words, or the best number of a range: 6-10"),
        (["--ratio", "half"], "--ratio: invalid value 'half': this share of the words, above 0 and at most 1"),
        (["--chars", "x" * 999], f"--chars: invalid value 'x{'x' * 75}...: at most N characters, spaces included"),
    ],
)
def test_a_wrong_length_says_what_is_right(run, arguments: list[str], said: str) -> None:  # type: ignore[no-untyped-def]
    assert run(*arguments, SHIP) == (2, "", f"tersely: argument {said} (see tersely --help)\n")


def test_the_papers_search_to_the_letter(run) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(run("--words", 3, "--search", "paper", "--json", SHIP)[1])
    assert "search:paper" in found["signature"]
    assert found["evaluations"] == 2 * (1 + 6)  # two restarts of six steps, though there are only 35 candidates


def test_a_text_with_line_breaks_is_one_summary(run) -> None:  # type: ignore[no-untyped-def]
    assert run("--words", 9, "The ship\nran aground") == (0, "The ship ran aground\n", "")


def test_workers_give_the_same_lines(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lines = [f"ship {number} ran aground, authorities said" for number in range(8)]
    (tmp_path / "in.txt").write_bytes(("\n".join([*lines, "", "..."])).encode() + b"\nba\xffd\nship two\n")
    for form in ([], ["--json", "--explain"], ["--all-lengths"]):
        asked = ("--words", 3, *form, tmp_path / "in.txt")
        alone = run(*asked)
        assert run("--workers", 2, *asked) == alone
        assert alone[0] == 1
    assert run("--words", 3, "--workers", 0, tmp_path / "in.txt")[0] == 1
