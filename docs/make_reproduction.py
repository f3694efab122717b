"""Write docs/reproduction.md with its figures, and the table of the README, from the scores in results/reproduction.

It takes seconds and needs no data. `make docs` runs it, and a test fails when the page or the table is stale.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from tersely.evaluation.claims import published
from tersely.evaluation.experiments import draw, sections
from tersely.evaluation.published import MARK, read_published, read_rows
from tersely.evaluation.rouge import METRICS
from tersely.evaluation.scores import Scores
from tersely.evaluation.studies.setting import LEAD
from tersely.evaluation.studies.tables import GROUPS
from tersely.evaluation.table_formats import markdown_table

ROOT = Path(__file__).resolve().parent.parent
DOCS, README = ROOT / "docs", ROOT / "README.md"
OBJECTIVES = ("paper", "headline", "telegraph")
_TABLE = re.compile(r"(<!-- figures: made by docs/make_reproduction.py -->\n).*?(?=\n\n)", re.DOTALL)


def read_scores() -> Scores:
    return Scores.read(ROOT / "results" / "reproduction")


def page(scores: Scores) -> str:
    """The template with its sections filled in."""
    bundles = {row.settings["bundle"] for row in scores.rows("headlines") if row.label in OBJECTIVES}
    deletions = [[f"{system} {MARK}", f"{token_f1}", words] for system, token_f1, words, _ in read_rows("deletions")]
    reported = [row[-1] for name in ("readings", "seconds", "deletions") for row in read_rows(name)]
    sources = dict.fromkeys([*(row.source for row in read_published()), *reported])
    more = {
        "bundle": " and ".join(f"`{bundle}`" for bundle in sorted(bundles)),
        "easier": easier(scores),
        "deletions": markdown_table(["system", "token F1", "words"], deletions),
        "sources": "\n".join(f"- {source}" for source in sources),
    }
    return (DOCS / "reproduction.template").read_text(encoding="utf-8").format(**sections(scores), **more)


def easier(scores: Scores) -> str:
    """How much higher Lead scores here than on the test set."""
    rows = {length: scores.row("headlines", LEAD, length) for length in GROUPS}
    here = {length: row.mean("ROUGE-1") for length, row in rows.items() if row}
    there = {length: published(length)[LEAD]["ROUGE-1"] for length in here}
    points = [here[length] - there[length] for length in here]
    figures = ", ".join(f"{here[length]:.2f} and {there[length]:.2f} at {length}" for length in here)
    return f"ROUGE-1 of Lead is {min(points):.1f} to {max(points):.1f} points higher ({figures})"


def readme(scores: Scores) -> str:
    """The README with a fresh table: R-1 / R-2 / R-L at 8 and 10 words, on the sources that no weight was tuned on."""
    names = {"Lead": "Lead (the first words)", "paper": "`paper`, with this bundle", "headline": "**`headline`**"}
    lines = ["| system | 8 words | 10 words |", "|---|---|---|"]
    for label in ("Lead", *OBJECTIVES):
        cells = []
        for length in ("8 words", "10 words"):
            row = next(row for row in scores.rows("headlines", length) if row.label == label)
            rest = row.without_first(scores.contents["headlines"]["tuned"])
            cells.append(" / ".join(f"{rest.mean(metric):.2f}" for metric in METRICS))
        lines.append(f"| {names.get(label, f'`{label}`')} | {' | '.join(cells)} |")
    return _TABLE.sub(lambda found: found[1] + "\n".join(lines), README.read_text(encoding="utf-8"))


def write_figures(scores: Scores) -> None:
    """The figures that the page shows, as SVG alone."""
    with tempfile.TemporaryDirectory() as name:
        draw(scores, Path(name))
        for figure in re.findall(r"\(figures/(\w+\.svg)\)", page(scores)):
            shutil.copy(Path(name) / figure, DOCS / "figures" / figure)


if __name__ == "__main__":
    scores = read_scores()
    (DOCS / "reproduction.md").write_text(page(scores), encoding="utf-8")
    README.write_text(readme(scores), encoding="utf-8")
    write_figures(scores)
