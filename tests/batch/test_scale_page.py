"""The numbers that docs/scale.md takes from the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tersely.batch.job import SAVE_SECONDS
from tersely.batch.pipeline import CACHE_SIZE
from tersely.system.progress import LOG_INTERVAL

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.mark.parametrize(
    "phrase",
    [
        f"saved every {SAVE_SECONDS:g} seconds",
        f"fewer than {CACHE_SIZE:,} different texts",
        f"a line every {LOG_INTERVAL:g} seconds",
    ],
)
def test_the_page_has_the_numbers_of_the_code(phrase: str) -> None:
    assert phrase in " ".join(PAGE.read_text(encoding="utf-8").split())
