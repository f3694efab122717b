"""How the verdicts on the paper's claims are made from stored figures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from evaluation_toys import row

from tersely.evaluation.claims import HOLDS, IN_PART, NOT, NOT_RUN, claims, show_gains
from tersely.evaluation.scores import Row, Scores
from tersely.evaluation.studies.tables import GROUPS, system_table

STORED = Path(__file__).parents[2] / "results" / "reproduction"
HIGH, LOW = [500, 510, 490, 505] * 5, [300, 310, 290, 305] * 5


def scores(*headlines: Row, **contents: Any) -> Scores:
    return Scores({"headlines": {"rows": [asdict(found) for found in headlines]}, **contents})


def verdict(found: Scores, beginning: str) -> str:
    return next(claim.verdict for claim in claims(found) if claim.says.startswith(beginning))


@pytest.mark.parametrize(
    ("paper", "lead", "expected"),
    [(HIGH, LOW, HOLDS), (LOW, HIGH, NOT), (HIGH, HIGH, NOT), ([500, 100] * 10, [100, 490] * 10, NOT)],
    ids=["better", "worse", "equal", "chance"],
)
def test_a_verdict_needs_a_difference_beyond_chance(paper: list[int], lead: list[int], expected: str) -> None:
    rows = [row(*one) for length in GROUPS for one in (("paper", length, paper), ("Lead", length, lead))]
    assert verdict(scores(*rows), "HC_title beats Lead") == expected


def test_a_verdict_of_some_groups_holds_in_part_at_most() -> None:
    found = scores(row("paper", "8 words", HIGH), row("Lead", "8 words", LOW))
    claim = next(claim for claim in claims(found) if claim.says.startswith("HC_title beats Lead"))
    assert claim.verdict == IN_PART
    assert "50 % was not run here" in claim.why


def test_what_was_not_run_is_said_to_be_so() -> None:
    assert {claim.verdict for claim in claims(scores())} == {NOT_RUN}


def test_readers_of_a_stored_report_decide() -> None:
    questions = {"fidelity": {"score": 0.2}, "fluency": {"score": -0.1}}
    reading = {"first": "paper", "second": "Lead", "annotators": ["Ann", "Bob"], "questions": questions}
    assert verdict(Scores({}, [reading]), "readers prefer") == IN_PART


def test_every_claim_has_been_run_on_what_is_stored() -> None:
    assert NOT_RUN not in {claim.verdict for claim in claims(Scores.read(STORED))}


def test_only_smaller_gains_than_published_are_listed() -> None:
    lead, paper = row("Lead", "8 words", [200] * 4), row("paper", "8 words", [230] * 4)
    (table,) = show_gains(scores(lead, paper))  # 3.00 points everywhere; published: 4.93, 2.21 and 4.16
    assert [line.split("|")[2].strip() for line in table.splitlines()[2:]] == ["ROUGE-1", "ROUGE-L"]


def test_the_table_marks_the_best_and_never_what_was_published() -> None:
    rows = [row("Lead", "8 words", LOW), row("paper", "8 words", HIGH), row("telegraph", "8 words", HIGH[::-1])]
    lines = system_table(rows, published="8 words").splitlines()
    assert [line.count("**") for line in lines[2:5]] == [0, 6, 0]
    assert lines[4].count("°") == 3  # the same figures in another order
    assert all("†" in line and "**" not in line and "°" not in line for line in lines[5:])
    assert len(lines) > 8
