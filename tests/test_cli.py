"""The command line: in a process of its own with its whole output compared, and its twins in this process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from streams import Stdin

from tersely import __version__
from tersely.cli import COMMANDS, main

SHIP = "The German ship ran aground, authorities said"
LENGTHY = "a " * 500_000


def start(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tersely", *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


# In a process of its own


@pytest.mark.parametrize(
    ("given", "used"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2"), ({"OMP_NUM_THREADS": "2"}, None)]
)
def test_one_thread_unless_the_user_says_otherwise(given: dict[str, str], used: str | None, tiny_bundle: Path) -> None:
    program = f"""
import os, sys, tersely.cli
too_late = "numpy" in sys.modules
tersely.cli.main(["--bundle", {str(tiny_bundle)!r}, "--words", "7", {SHIP!r}])
print(too_late, "numpy" in sys.modules, os.environ.get("OPENBLAS_NUM_THREADS"))
"""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")} | given
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == [SHIP, f"False True {used}"]


def test_the_first_summary_is_out_before_the_last_line_is_read(tiny_bundle: Path) -> None:
    process = start("--bundle", tiny_bundle, "--words", 2, "-")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"ship aground\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"ship aground\n"  # while stdin is still open
    process.stdin.write(b"U.S. ships\nno casualties\n")
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (0, b"U.S. ships\nno casualties\n", b"")


def test_an_interrupted_pipe_ends_quietly(tiny_bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("ship aground\n" * 20_000)
    process = start("--bundle", tiny_bundle, "--words", 2, tmp_path / "in.txt")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"ship aground\n"
    process.stdout.close()
    assert process.wait(timeout=300) == 0
    assert process.stderr.read() == b""


def test_control_c_ends_quietly(tiny_bundle: Path) -> None:
    process = start("--bundle", tiny_bundle, "--words", 2, "-")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"ship aground\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_one_line(tiny_bundle: Path) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "tersely", "--bundle", str(tiny_bundle), "--words", "2", SHIP]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (1, b"tersely: No space left on device\n")


# The same code in this process


def test_a_line_of_a_million_characters(run) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run("--words", 2, "-", stdin=b"ship aground\n" + LENGTHY.encode() + b"\n")
    message = "tersely: stdin, line 2: the line has more than 100,000 characters, the limit: split it into sentences\n"
    assert (code, out) == (1, "ship aground\n\n")
    assert err == message + "tersely: 1 of 2 lines could not be shortened\n"


def test_order_is_kept_and_blank_lines_stay_blank(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "in.txt").write_bytes("\ufeffship one\r\n\nship two\nship three".encode())
    code, out, err = run("--words", 2, tmp_path / "in.txt")
    assert (code, out, err) == (0, "ship one\n\nship two\nship three\n", "tersely: 1 of 4 lines are left blank\n")


def test_json(run) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run(
        "--words", 2, "--json", "--n-best", 2, "--objective", "paper", "-", stdin=SHIP.encode() + b"\n\n"
    )
    first, second = out.splitlines()
    summary = json.loads(first)
    assert (code, second, err) == (0, "null", "tersely: 1 of 2 lines are left blank\n")
    keys = {"text", "kept", "tokens", "score", "factors", "signature", "evaluations", "others"}
    assert keys <= set(summary)
    assert summary["text"] == " ".join(summary["tokens"][i] for i in summary["kept"])
    assert list(summary["factors"]) == ["fluency", "similarity"]
    assert len(summary["others"]) == 1


def test_explain(run) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = run("--words", 2, "--explain", "--objective", "paper", "--search", "exhaustive", SHIP)
    text, score, _, *words, head, fluency, similarity, signature = out.splitlines()
    assert code == 0
    names = [word.split()[0] for word in words]
    assert [name.strip("[]") for name in names] == SHIP.replace(",", "").split()
    assert [name.strip("[]") for name in names if name.startswith("[")] == text.split()
    assert score.startswith("  log f = -")
    assert fluency.split()[0] == "fluency"
    assert similarity.split()[0] == "similarity"
    assert head.split() == ["factor", "log", "weight", "share"]
    shares = [float(line.split()[-1]) for line in (fluency, similarity)]
    assert sum(shares) == pytest.approx(float(score.split()[-1]), abs=2e-4)
    assert signature.startswith(f"  21 evaluations, tersely:{__version__}|bundle:tiny@")


def test_a_named_pipe_can_be_read(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"echo ship aground > '{pipe}'"])
    assert run("--words", 2, pipe) == (0, "ship aground\n", "")
    assert writer.wait() == 0


BAD = [
    (["--words", 0, SHIP], b"", "words must be at least 1, not 0"),
    (["--words", 2, " "], b"", "the text is empty: there is nothing to shorten"),
    (["--words", 2, "-"], b"", "the input is empty: there is nothing to shorten"),
    (["--words", 2, "-"], b"\n \n", "the input is empty: there is nothing to shorten"),
    (["--words", 2, "--strict", "-"], b"...\n", "stdin, line 1: the text has no words, only punctuation"),
    (["--words", 2, "--strict", "-"], b"ship\nba\xffd\n", "stdin, line 2: not valid UTF-8 (byte 3)"),
    (["--words", 2, "no/such/file"], b"", "no such file: no/such/file"),
    (["--words", 2, "no such file.txt"], b"", "no such file: no such file.txt"),
    (["--words", 2, "caf\udce9 bar"], b"", "the text is not valid UTF-8"),
    (["--words", 2, "--keep", "whale", SHIP], b"", "cannot keep 'whale': it is not a word of the text"),
    (["--words", 2, "--strict", "-"], LENGTHY.encode(), "stdin, line 1: the line has more than 100,000 characters"),
    (["--words", 2, "--strict", "-"], b"a " * 60_000, "stdin, line 1: the text has 120,000 characters, the limit is"),
    (["--words", 2, "--strict", "-"], b"a " * 5_000, "stdin, line 1: the text has 5,000 words, the limit is 1,000"),
]


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_bad_line_does_not_cost_the_others(run, form: str) -> None:  # type: ignore[no-untyped-def]
    lines = b"ship one\n...\n\nba\xffd\n" + b"a " * 2_000 + b"\nship two\n"
    code, out, err = run("--words", 5, *(["--json"] if form == "json" else []), "-", stdin=lines)
    assert code == 1
    shown = out.splitlines()
    if form == "json":
        found = [json.loads(line) for line in shown]
        assert [one and one.get("text") for one in found] == ["ship one", None, None, None, None, "ship two"]
        assert [one and one.get("error", "")[:16] for one in found[1:5]] == [
            "the text has no ", None, "not valid UTF-8 ", "the text has 2,0",
        ]  # fmt: skip
    else:
        assert shown == ["ship one", "", "", "", "", "ship two"]
    places = [line.split(": ")[1] for line in err.splitlines()]
    assert places == [
        "stdin, line 2", "stdin, line 4", "stdin, line 5",
        "1 of 6 lines are left blank", "3 of 6 lines could not be shortened",
    ]  # fmt: skip


@pytest.mark.parametrize(("arguments", "stdin", "message"), BAD, ids=[message for _, _, message in BAD])
def test_bad_input(run, arguments: list[object], stdin: bytes, message: str) -> None:  # type: ignore[no-untyped-def]
    code, _, err = run(*arguments, stdin=stdin)
    assert code == 1
    assert err.startswith(f"tersely: {message}")
    assert err.count("\n") == 1


def test_a_folder_is_not_a_file(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, err = run("--words", 2, tmp_path)
    assert (code, err) == (1, f"tersely: {tmp_path} is a folder: give a file with one sentence a line\n")


@pytest.mark.parametrize(
    "arguments", [[SHIP], ["--words", 2, "--ratio", 0.5, SHIP], ["--words", "two", SHIP], ["--words", 2, SHIP, "more"]]
)
def test_wrong_usage(run, arguments: list[object]) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("tersely: ")


def test_no_text_at_a_terminal(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(Stdin, "isatty", lambda self: True)
    code, _, err = run("--words", 2)
    assert (code, err) == (1, "tersely: nothing to shorten: give a text, a file or - for stdin\n")


def test_a_closed_stdin(tiny_bundle: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["--bundle", str(tiny_bundle), "--words", "2", "-"]) == 1
    assert capsys.readouterr().err == "tersely: cannot read stdin: it is closed\n"


def test_version_and_help(run) -> None:  # type: ignore[no-untyped-def]
    assert run("--version") == (0, f"tersely {__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    assert "(default: 0)" in out
    assert all(f"tersely {name}" in out for name in COMMANDS if name != "summarize")


def test_an_error_is_one_line_whatever_it_names(
    tiny_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["batch", "no\nsuch.csv", str(tmp_path / "out.csv"), "--words", "2"]) == 1
    path = tmp_path / "in\n.csv"
    path.write_text("".join(f'"column\n{number}",' for number in range(10_000)) + "\n")
    assert main(["batch", str(path), str(tmp_path / "out.csv"), "--words", "2"]) == 2
    missing, column = capsys.readouterr().err.splitlines()
    assert missing == "tersely: no such file: no such.csv"
    assert "there is no column 'text'" in column
    assert len(column) < 500 + len(str(tmp_path))


def test_too_little_memory_is_one_line(
    tiny_bundle: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr("tersely.commands.info.open_bundle", no_memory)
    assert main(["info", "--bundle", str(tiny_bundle)]) == 1
    assert capsys.readouterr().err.startswith("tersely: there is not enough memory: ")
