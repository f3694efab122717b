from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

import httpx
from serving import serving
from tiny_bundle import write_tiny_bundle

from tersely.serve.app import create_app
from tersely.serve.limits import Limits
from tersely.serve.service import Settings
from tersely.summary.summarizer import Summarizer


@pytest.fixture(scope="session")
def tiny_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny bundle whose default objective knows grammar."""
    objectives = {"headline": {"fluency": 1.0, "similarity": 2.0, "position": 1.0, "grammar": 0.3}}
    return write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "tiny", objectives=objectives)


@pytest.fixture(scope="session")
def summarizer(tiny_bundle: Path) -> Summarizer:
    """A summariser on it, and not the one that the tests of other folders share."""
    return Summarizer.load(tiny_bundle)


@pytest.fixture(scope="session")
def address(summarizer: Summarizer) -> Iterator[str]:
    """A service with a tiny bundle, ready to work."""
    limits = Limits(max_chars=2_000, max_texts=8, max_summaries=100, max_body=20_000, max_seconds=20)
    with serving(create_app(summarizer, Settings(workers=2, limits=limits))) as address:
        while httpx.get(f"{address}/readyz").status_code != 200:
            time.sleep(0.05)
        yield address


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=30) as client:
        yield client
