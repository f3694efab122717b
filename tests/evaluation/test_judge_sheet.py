from __future__ import annotations

import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tersely.errors import FileError, InputError
from tersely.evaluation.judge import Item, Judge
from tersely.evaluation.judge_sheet import read_sheet, write_sheet

ITEMS = [Item(f"source {i}", f"good {i}", f"bad {i}") for i in range(6)]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge.create(tmp_path / "judge.sqlite", ("ALPHA", "OMEGA"), ITEMS)


def answered(sheet: Path, fluency: str = "=") -> None:
    """Fill in a sheet like an annotator who finds every "good" faithful."""
    lines = sheet.read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        if line.startswith("  1: "):
            lines[i + 2] += "1" if "good" in line else "2"
            lines[i + 3] += fluency
    sheet.write_text("\n".join(lines), encoding="utf-8")


def test_the_sheet_names_no_system_and_has_a_random_order(judge: Judge, tmp_path: Path) -> None:
    write_sheet(judge, "ann", tmp_path / "sheet.txt")
    text = (tmp_path / "sheet.txt").read_text(encoding="utf-8")
    assert not re.search("ALPHA|OMEGA", text)
    firsts = {line.split()[1] for line in text.splitlines() if line.startswith("  1: ")}
    assert firsts == {"good", "bad"}
    assert all(f"source: source {i}\n" in text for i in range(6))


def test_answers_find_their_system_whatever_the_order(judge: Judge, tmp_path: Path) -> None:
    for reader in ("ann", "bob"):
        sheet = tmp_path / f"{reader}.txt"
        write_sheet(judge, reader, sheet)
        assert read_sheet(judge, sheet) == 0  # nothing is answered yet
        answered(sheet)
        assert read_sheet(judge, sheet) == 12
        assert read_sheet(judge, sheet) == 12  # a second time changes nothing
    report = judge.report()
    assert report["fidelity"].tally == (6, 0, 0)
    assert report["fidelity"].score == 1.0
    assert report["fluency"].tally == (0, 6, 0)
    assert judge.annotators() == ["ann", "bob"]


def test_a_sheet_with_answers_is_not_replaced(judge: Judge, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.txt"
    sheet.write_text("answers", encoding="utf-8")
    with pytest.raises(FileError, match="exists already: give another file"):
        write_sheet(judge, "ann", sheet)
    assert sheet.read_text(encoding="utf-8") == "answers"


def test_mistakes_are_named_with_their_line(judge: Judge, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.txt"
    write_sheet(judge, "ann", sheet)
    answered(sheet, fluency="both")
    with pytest.raises(InputError, match=r"sheet.txt, line 11: write 1, 2 or = after fluency, not 'both'"):
        read_sheet(judge, sheet)
    (tmp_path / "letter.txt").write_text("Dear reader\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"letter.txt is not a sheet of judgements"):
        read_sheet(judge, tmp_path / "letter.txt")


def test_the_command_writes_and_reads_a_sheet(tmp_path: Path, tersely) -> None:
    def judge(*arguments: object) -> CompletedProcess[str]:
        return tersely("judge", "--db", str(tmp_path / "j.sqlite"), *map(str, arguments))

    files = [tmp_path / name for name in ("in.txt", "a.txt", "b.txt")]
    for file, texts in zip(files, zip(*ITEMS, strict=True), strict=True):
        file.write_text("\n".join(texts))
    sheet = tmp_path / "sheet.txt"
    assert judge(*files, "--sample", 3, "--sheet", sheet, "--reader", "ann").returncode == 0
    answered(sheet)
    assert "6 answers read" in judge("--answers", sheet).stderr
    assert "a against b, 3 items, 1 annotators" in judge("--report").stdout
