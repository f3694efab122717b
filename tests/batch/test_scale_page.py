"""The numbers that docs/scale.md takes from the code."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("ray")
from tersely.batch.cluster import WAVE_SECONDS
from tersely.batch.job import SAVE_SECONDS
from tersely.batch.pipeline import CACHE_SIZE
from tersely.batch.ray_tasks import BLOCK_ROWS, FAST_BLOCK_ROWS, PART_ROWS

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.mark.parametrize(
    "phrase",
    [
        f"saved every {SAVE_SECONDS:g} seconds",
        f"fewer than {CACHE_SIZE:,} different texts",
        f"files of about {PART_ROWS:,} rows",
        f"waves of about {WAVE_SECONDS / 60:g} minutes",
        f"some seconds in {WAVE_SECONDS / 60:g} minutes",
        f"{BLOCK_ROWS} rows with the search and {FAST_BLOCK_ROWS:,} with `--fast`",
    ],
)
def test_the_page_has_the_numbers_of_the_code(phrase: str) -> None:
    assert phrase in " ".join(PAGE.read_text(encoding="utf-8").split())
