"""Write docs/reproduction.md with its figures, and the table of the README, from the figures in results/reproduction.

It takes seconds and needs no data. `make docs` runs it, and a test fails when the page or the table is stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from reproduction.claims import Evidence  # noqa: E402
from reproduction.page import page, read_evidence, write_figures  # noqa: E402
from reproduction.tables import readme_table  # noqa: E402

PAGE, FIGURES, README = ROOT / "docs" / "reproduction.md", ROOT / "docs" / "figures", ROOT / "README.md"
_TABLE = re.compile(r"(<!-- figures: made by docs/make_reproduction.py -->\n).*?(?=\n\n)", re.DOTALL)


def readme(evidence: Evidence) -> str:
    """The README with a fresh table of figures."""
    table = "\n".join(readme_table(evidence.headlines))
    return _TABLE.sub(lambda found: found[1] + table, README.read_text(encoding="utf-8"))


if __name__ == "__main__":
    evidence = read_evidence()
    PAGE.write_text(page(evidence), encoding="utf-8")
    README.write_text(readme(evidence), encoding="utf-8")
    write_figures(evidence, FIGURES)
