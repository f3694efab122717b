"""The command `tersely batch` in this process, on the tiny bundle, with an objective that costs next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streams import Stdin
from tiny_bundle import write_tiny_bundle

from tersely.cli import main
from tersely.system import progress


@pytest.fixture(scope="session")
def quick_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    objectives = {"headline": {"position": 1.0}}  # the default objective keeps the first words
    return write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "quick", parser=False, objectives=objectives)


Batch = Callable[..., tuple[int, str, str]]


@pytest.fixture
def batch(quick_bundle: Path, capfdbinary, monkeypatch: pytest.MonkeyPatch) -> Batch:  # type: ignore[no-untyped-def]
    """Run the command: exit code, stdout, stderr. Without a length it keeps two words."""
    monkeypatch.setattr(progress, "LOG_INTERVAL", 1e9)  # no lines of progress, however slow the machine is

    def run(*arguments: object, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", Stdin(stdin))
        command = [str(argument) for argument in arguments]
        for option, default in (("--words", "2"), ("--workers", "1")):
            if option not in command and not (option == "--words" and "--chars" in command):
                command += [option, default]
        try:
            code = main(["batch", *command, "--bundle", str(quick_bundle)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run
