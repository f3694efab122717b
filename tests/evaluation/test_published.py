from __future__ import annotations

import csv
import io

import pytest
from evaluation_toys import DATASET, Canned

from tersely.candidates.length import Length
from tersely.evaluation.published import MARK, read_published, read_rows
from tersely.evaluation.results import Evaluation, evaluate
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.table_formats import format_evaluation


def table(rouge: Rouge | None = None, *, published: bool = True) -> Evaluation:
    systems = [Canned(name, [name, name], Length.of(words=8)) for name in ("low", "lower")]
    return evaluate(DATASET, systems, rouge or Rouge(), published=published)


def test_every_figure_is_in_a_bracket_that_tables_have() -> None:
    for row in read_published():
        assert row.bracket in ("8 words", "10 words", "50 %", "cut at 75 bytes")
        assert (row.cut_bytes is not None) == (row.bracket == "cut at 75 bytes") == (row.measure == "recall")
        assert all(0 < row.figures[metric] < 100 for metric in METRICS)
    assert len({(row.system, row.bracket, row.dataset) for row in read_published()}) == len(read_published())


def test_readings_are_of_a_hundred_sources() -> None:
    for _, _, (wins, ties, losses), score, *_ in read_rows("readings"):
        assert wins + ties + losses == 100
        assert (wins > losses) == (score > 0)  # they are the score only where all readers agree


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_they_are_shown_and_marked_and_never_best(form: str) -> None:
    own, shown = (format_evaluation(table(published=wanted), form) for wanted in (False, True))
    mark = r"$^\dagger$" if form == "latex" else MARK
    assert mark not in own
    lines = [line for line in shown.splitlines() if mark in line]
    assert "reported elsewhere, on other data, so neither ranked nor tested" in lines[-1]
    rows = lines[:-1]
    assert len(rows) == len([r for r in read_published() if r.bracket == "8 words"])
    assert any("26.32" in line and "HC" in line for line in rows)
    for line in rows:  # far above our 0.00, and still neither best nor tied
        assert not any(sign in line for sign in ("*", "°", r"\textbf", r"\circ"))


def test_csv_names_their_data_and_their_source() -> None:
    rows = list(csv.DictReader(io.StringIO(format_evaluation(table(), "csv"))))
    hc = next(row for row in rows if row["system"] == "HC_title")
    assert (hc["dataset"], hc["ROUGE-1"]) == ("Gigaword test set, 1,951 sources", "26.32")
    assert hc["signature"].startswith("reported elsewhere: Schumann")
    assert rows[0]["signature"].startswith("ROUGE|")


def test_only_figures_of_the_same_measure_are_shown() -> None:
    duc = table(Rouge(limit_bytes=75, measure="recall"))
    assert {row.dataset for row in duc.published} == {"DUC 2004, 500 sources, 4 references"}
    assert table(Rouge(measure="recall")).published == ()
