"""Fixtures: the tiny bundle, a summariser and the command line on it, and toy objectives whose optimum is known."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from hypothesis import settings
from streams import Stdin
from threadpoolctl import threadpool_info, threadpool_limits
from tiny_bundle import WORDS, write_tiny_bundle
from toys import Neighbours

from tersely.candidates.length import Budget
from tersely.cli import main
from tersely.scoring.factors import FACTORS, FactorKind
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import Summarizer
from tersely.system.threads import VARIABLES

# A shell that starts the tests in the background lets them, and the programs they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("fixed", derandomize=True)  # CI sees the same examples each time; `make fuzz` draws new ones
if os.environ.get("CI"):
    settings.load_profile("fixed")

__all__ = ["WORDS", "write_tiny_bundle"]  # for tests that say `from conftest import write_tiny_bundle`


@pytest.fixture(scope="session")
def tiny_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "tiny")


@pytest.fixture(scope="session")
def summarizer(tiny_bundle: Path) -> Summarizer:
    return Summarizer.load(tiny_bundle)


@pytest.fixture
def neighbours(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a factor that is a sum over kept neighbours, so that every search can be used, `chain` as well."""

    class Factor:
        def bind(self, sentence: Sentence, budget: Budget) -> Neighbours:
            return Neighbours.random(len(sentence))

    kind = FactorKind("neighbours", "a toy", (), lambda parts, cosine, softmax: Factor())
    monkeypatch.setitem(FACTORS, kind.name, kind)
    return kind.name


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two BLAS threads, and nothing in the environment that says how many."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    before = max(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")
    _limit_threads(2)
    yield
    _limit_threads(before)


def _limit_threads(number: int) -> None:
    """Set the number of threads, but not from this thread: it would own the limit, and nobody else could change it."""
    setting = threading.Thread(target=threadpool_limits, args=(number, "blas"))
    setting.start()
    setting.join()


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's chromium, driven by Playwright. Where there is none its tests skip, but not in CI."""
    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("needs chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a browser that remembers nothing."""
    context = browser.new_context()
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def tersely(capsys: pytest.CaptureFixture[str]) -> Callable[..., CompletedProcess[str]]:
    """Run a command in this process, as `subprocess.run` would in one of its own."""

    def in_process(*arguments: str) -> CompletedProcess[str]:
        return CompletedProcess(arguments, main(list(arguments)), *capsys.readouterr())

    return in_process


Run = tuple[int, str, str]


@pytest.fixture
def run(tiny_bundle: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Run a command in this process: exit code, stdout, stderr."""

    def in_process(*arguments: object, stdin: bytes = b"") -> Run:
        monkeypatch.setattr(sys, "stdin", Stdin(stdin))
        try:
            code = main(["--bundle", str(tiny_bundle), *map(str, arguments)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return in_process
