"""Fixtures: the tiny bundle, a summariser on it, and toy objectives whose optimum is known."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tiny_bundle import WORDS, write_tiny_bundle

from tersely.summarizer import Summarizer

# A shell that starts the tests in the background lets them, and the programs they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = ["WORDS", "write_tiny_bundle"]  # for tests that say `from conftest import write_tiny_bundle`


@pytest.fixture(scope="session")
def tiny_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "tiny")


@pytest.fixture(scope="session")
def summarizer(tiny_bundle: Path) -> Summarizer:
    return Summarizer.load(tiny_bundle)
