from __future__ import annotations

from pathlib import Path

import pytest
from training_toys import articles, titles, write


@pytest.fixture
def corpora(tmp_path: Path) -> tuple[Path, Path]:
    """A file of titles and a file of articles."""
    return write(tmp_path / "titles.txt", titles(300)), write(tmp_path / "articles.txt", articles(200))
