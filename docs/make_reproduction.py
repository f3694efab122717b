"""Write docs/reproduction.md and its figures from what is stored in results/reproduction: seconds, without the data.

`make docs` runs it, and a test fails when the page is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from reproduction.page import page, read_evidence, write_figures  # noqa: E402

PAGE, FIGURES = ROOT / "docs" / "reproduction.md", ROOT / "docs" / "figures"

if __name__ == "__main__":
    evidence = read_evidence()
    PAGE.write_text(page(evidence), encoding="utf-8")
    write_figures(evidence, FIGURES)
