"""The command `tersely batch` in this process, on the tiny bundle, with an objective that costs next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streams import Stdin
from tiny_bundle import write_tiny_bundle

from tersely.bundle import set_objective
from tersely.cli import main


@pytest.fixture(scope="session")
def quick_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bundle = write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "quick")
    set_objective(bundle, "headline", {"position": 1.0})  # the default objective keeps the first words
    return bundle


Batch = Callable[..., tuple[int, str, str]]


@pytest.fixture
def batch(quick_bundle: Path, capfdbinary, monkeypatch: pytest.MonkeyPatch) -> Batch:  # type: ignore[no-untyped-def]
    """Run the command: exit code, stdout, stderr. Without a length it keeps two words."""

    def run(*arguments: object, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", Stdin(stdin))
        asked = [str(argument) for argument in arguments]
        for option, default in (("--words", "2"), ("--workers", "1")):
            if option not in asked and not (option == "--words" and "--chars" in asked):
                asked += [option, default]
        try:
            code = main(["batch", *asked, "--bundle", str(quick_bundle)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run
