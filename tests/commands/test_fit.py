"""`tersely fit` as people and CI run it."""

from __future__ import annotations

import codecs
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tersely.cli import build_parser, main

ROOT = Path(__file__).parent.parent.parent
LONG = "The German container ship ran aground early on Tuesday at the entrance of the port"
FILES = {
    "a.json": '\ufeff{"title" :  "%s",\r\n"other":1.0}',
    "a.yaml": "# c\ntitle:   %s  # comment\n",
    "a.properties": "! c\ntitle : %s\n",
    "a.po": 'msgid ""\nmsgstr "Language: en\\n"\n\n#, fuzzy\nmsgid "title"\nmsgstr "%s"\n',
    "a.xlf": '<xliff><file trgLang="en"><unit id="title"><segment><target>%s</target></segment></unit></file></xliff>',
    "a.csv": 'id,title\n1,"%s"\n',
    "title.txt": "%s\n\n",
}


@pytest.fixture
def fit(tmp_path: Path, tiny_bundle: Path, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Run the command on files of a folder, with a limit of 40 characters: exit code, stdout, stderr."""
    (tmp_path / "limits.toml").write_text('title = "40 chars"\n')

    def run(*arguments: str) -> tuple[int, str, str]:
        paths = [one if one.startswith("-") else str(tmp_path / one) for one in arguments]
        try:
            code = main(["fit", *paths, "--limits", str(tmp_path / "limits.toml"), "--bundle", str(tiny_bundle)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, *(text.replace(f"{tmp_path}{os.sep}", "") for text in capsys.readouterr())

    return run


@pytest.mark.parametrize("name", FILES)
def test_a_file_in_which_nothing_is_over_keeps_every_byte(name: str, tmp_path: Path, fit) -> None:  # type: ignore[no-untyped-def]
    data = (FILES[name] % "No casualties").encode()
    (tmp_path / name).write_bytes(data)
    before = (tmp_path / name).stat().st_mtime_ns
    assert fit(name, "--write") == (0, "", "")
    assert fit(name, "--check") == (0, "", "")
    assert (tmp_path / name).read_bytes() == data
    assert (tmp_path / name).stat().st_mtime_ns == before


@pytest.mark.parametrize("name", FILES)
def test_check_then_write_then_check(name: str, tmp_path: Path, fit) -> None:  # type: ignore[no-untyped-def]
    before = (FILES[name] % LONG).encode()
    (tmp_path / name).write_bytes(before)
    code, out, err = fit(name, "--check")
    assert (code, out.count("\n"), err) == (1, 1, "")
    assert "82 characters, the limit is 40 characters" in out
    assert out.startswith(f"{name}:")
    assert (tmp_path / name).read_bytes() == before

    code, shown, err = fit(name, "--diff")
    assert (code, err) == (1, "")
    assert "[-" in shown
    assert (tmp_path / name).read_bytes() == before

    code, out, err = fit(name, "--write")
    assert (code, err) == (0, "")
    new = out.strip().rpartition(": ")[2]
    assert new in shown
    assert (tmp_path / name).read_bytes() == before.replace(LONG.encode(), new.encode())
    assert fit(name, "--check") == (0, "", "")


def test_lines_are_named_and_several_files_read(tmp_path: Path, fit) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.yaml").write_text(f"one: 1\ntitle: {LONG}\n")
    folder = tmp_path / "metadata" / "en-US"
    folder.mkdir(parents=True)
    (folder / "title.txt").write_text(LONG)
    code, out, _ = fit("a.yaml", "metadata")
    where = ["a.yaml:2: title", f"{Path('metadata/en-US/title.txt')}:1: en-US.title"]
    assert (code, [line.rpartition(": ")[0] for line in out.splitlines()]) == (1, where)


def test_what_is_left_is_named_and_the_others_are_written(tmp_path: Path, fit) -> None:  # type: ignore[no-untyped-def]
    text = f'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "title"\nmsgstr "{LONG}"\n'
    (tmp_path / "de.po").write_text(text)
    (tmp_path / "a.json").write_text(FILES["a.json"] % LONG, encoding="utf-8", newline="")
    code, out, err = fit("de.po", "a.json", "--write")
    assert (code, out.count("\n")) == (1, 1)
    assert "de.po:5: title: left as it is: its language is de" in err
    assert "1 of 2" in err
    assert (tmp_path / "de.po").read_text() == text
    assert LONG.encode() not in (tmp_path / "a.json").read_bytes()
    assert (tmp_path / "a.json").read_bytes().startswith(codecs.BOM_UTF8)


def test_a_bad_file_is_one_line_and_nothing_is_written(tmp_path: Path, fit) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.yaml").write_text(f"title: {LONG}\n")
    (tmp_path / "b.json").write_text("{")
    code, out, err = fit("a.yaml", "b.json", "--write")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "b.json" in err
    assert (tmp_path / "a.yaml").read_text() == f"title: {LONG}\n"
    assert fit("c.json")[0] == 1
    assert fit("a.yaml", "--check", "--write")[0] == 2


def test_a_key_that_no_file_has_is_named(tmp_path: Path, fit) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.yaml").write_text("titel: x\n")
    code, out, err = fit("a.yaml")
    assert (code, out) == (0, "")
    assert "key title" in err


@pytest.mark.skipif(os.name != "posix", reason="rights and links of POSIX")
def test_rights_and_links_stay(tmp_path: Path, fit) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "real.yaml").write_text(f"title: {LONG}\n")
    (tmp_path / "real.yaml").chmod(0o640)
    (tmp_path / "a.yaml").symlink_to("real.yaml")
    assert fit("a.yaml", "--write")[0] == 0
    assert (tmp_path / "a.yaml").is_symlink()
    assert (tmp_path / "real.yaml").stat().st_mode & 0o777 == 0o640
    assert LONG not in (tmp_path / "real.yaml").read_text()


def test_the_hooks_and_the_action_call_the_command_as_it_is() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:
        program, command, *arguments = shlex.split(hook["entry"])
        assert (program, command) == ("tersely", "fit")
        build_parser("fit").parse_args([*arguments, "a.json"])
        extra = ", ".join(f'"{one}"' for one in hook["additional_dependencies"])
        assert f"fit = [{extra}]" in (ROOT / "pyproject.toml").read_text()
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    *_, last = action["runs"]["steps"]
    line = last["run"].replace("$FILES", "a.json").replace("$MODE", action["inputs"]["mode"]["default"])
    assert build_parser("fit").parse_args(shlex.split(line, comments=True)[2:]).check


@pytest.mark.skipif(os.name != "posix" or shutil.which("git") is None, reason="needs sh and git")
@pytest.mark.parametrize(("most", "subject"), [(50, "Fix it"), (72, f"port: {LONG[:62]}"), (99, f"port: {LONG}")])
def test_the_example_of_a_commit_hook(most: int, subject: str, tmp_path: Path, tiny_bundle: Path) -> None:
    program = tmp_path / "bin" / "tersely"
    program.parent.mkdir()
    command = f'"{sys.executable}" -m tersely "$@" --bundle "{tiny_bundle}"'
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec {command}\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    message = tmp_path / "message"
    message.write_text(f"{subject}\n\nA body\nof two lines.\n")
    done = subprocess.run(
        [ROOT / "examples" / "prepare-commit-msg", message, "message"],
        env=environment, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    first, _, rest = message.read_text().partition("\n")
    assert rest == "\nA body\nof two lines.\n"
    assert (first == subject) == (most < 99)
    assert first.startswith(subject[:5])
    assert len(first) <= 72
    assert ("72" in done.stderr, "50" in done.stderr) == (most > 72, most > 50)
