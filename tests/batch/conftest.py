"""The command `tersely batch` in this process, on the tiny bundle, with an objective that costs next to nothing."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from batch_toys import OFTEN, AtText, Batch, Stopped
from streams import Stdin
from tiny_bundle import write_tiny_bundle

from tersely.cli import main
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.system import progress


@pytest.fixture(scope="session")
def quick_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    objectives = {"headline": {"position": 1.0}}  # the default objective keeps the first words
    return write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "quick", parser=False, objectives=objectives)


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


@pytest.fixture
def at_text(monkeypatch: pytest.MonkeyPatch) -> AtText:
    """Do something while the command shortens the text of this number, counted from 0; by default stop, as Ctrl-C."""

    @contextmanager
    def at_text(number: int, action: Callable[[], object] = _interrupt) -> Iterator[None]:
        attempt, numbers = Summarizer.attempt, itertools.count()

        def watched(self: Summarizer, text: str, options: Options) -> object:
            if next(numbers) == number:
                action()
            return attempt(self, text, options)

        with monkeypatch.context() as patch:
            patch.setattr(Summarizer, "attempt", watched)
            yield

    return at_text


def _interrupt() -> None:
    raise KeyboardInterrupt


@pytest.fixture
def stopped(batch: Batch, at_text: AtText) -> Stopped:
    """Run the command, saving every block, until it has shortened so many texts, and stop it."""

    def run(texts: int, *arguments: object, stdin: bytes = b"") -> None:
        with at_text(texts):
            assert batch(*arguments, *OFTEN, stdin=stdin)[0] == 130

    return run
