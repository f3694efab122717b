"""The claims of the paper, each with the verdict of the stored figures: holds, in part, not here, or not run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tersely.evaluation.published import read_published
from tersely.evaluation.results import SIGNIFICANT
from tersely.evaluation.rouge import METRICS

from .parts import ARTICLES, GROUPS
from .stored import Row, compare
from .tables import optimum_share

HOLDS, IN_PART, NOT, NOT_RUN = "holds", "holds in part", "does not hold here", "not run here"
NOTHING = "no outputs are stored"
NEAR = 0.9  # a search "comes near the optimum" if it finds it for this share of the sources
BRACKETS = {**{length: length for length in GROUPS}, "75 bytes": "cut at 75 bytes"}  # of published figures, by length


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, the verdict, and why."""

    says: str
    verdict: str
    why: str


@dataclass(frozen=True)
class Evidence:
    """All stored figures, by part."""

    headlines: list[Row]
    duc: list[Row]
    ablation: list[Row]
    own_ablation: list[Row]
    climbed: list[Row]
    sizes: list[dict[str, Any]]
    lead: dict[str, Any]
    judgements: dict[str, Any]

    def row(self, label: str, length: str) -> Row | None:
        return next((r for r in [*self.headlines, *self.duc] if (r.label, r.length) == (label, length)), None)


def ahead(better: Row, worse: Row, metrics: Sequence[str] = METRICS) -> tuple[list[bool], str]:
    """On which metrics one system is ahead by more than chance, and the differences."""
    gaps = [compare(better, worse, metric) for metric in metrics]
    said = " / ".join(f"{gap.difference:+.2f}" + ("°" if gap.may_be_chance else "") for gap in gaps)
    return [gap.difference > 0 and gap.p_value < SIGNIFICANT for gap in gaps], said


def judged(tests: Sequence[bool]) -> str:
    """One verdict from many tests.

    >>> judged([True, True]), judged([True, False]), judged([False]), judged([])
    ('holds', 'holds in part', 'does not hold here', 'not run here')
    """
    if not tests:
        return NOT_RUN
    return HOLDS if all(tests) else IN_PART if any(tests) else NOT


def published(bracket: str) -> dict[str, dict[str, float]]:
    """The published figures of a bracket, by system and metric."""
    return {row.system: row.figures for row in read_published() if row.bracket == bracket}


def _over_lead(evidence: Evidence, says: str, lengths: Sequence[str]) -> Claim:
    tests: list[bool] = []
    said: list[str] = []
    missing: list[str] = []
    for length in lengths:
        paper, lead = evidence.row("paper", length), evidence.row("Lead", length)
        if not paper or not lead:
            missing.append(f"{length} was not run here")
            continue
        wins, differences = ahead(paper, lead)
        tests += wins
        theirs = published(BRACKETS[length])
        gains = " / ".join(f"{theirs['HC_title'][metric] - theirs['Lead'][metric]:+.2f}" for metric in METRICS)
        said.append(f"{length}: {differences} (published {gains})")
    if not said:
        return Claim(says, NOT_RUN, NOTHING)
    verdict = IN_PART if missing and judged(tests) == HOLDS else judged(tests)
    return Claim(says, verdict, "R-1/2/L over Lead. " + "; ".join([*said, *missing]))


def _titles_over_articles(evidence: Evidence) -> Claim:
    tests, said = [], []
    for length in GROUPS:
        titles, articles = evidence.row("paper", length), evidence.row(ARTICLES, length)
        if titles and articles:
            wins, differences = ahead(titles, articles)
            tests += wins
            said.append(f"{length}: {differences}")
            if lead := evidence.row("Lead", length):
                said[-1] += f", HC_article over Lead {ahead(articles, lead)[1]}"
    missing = "no HC_article bundle of the same size was trained; `runs/train_article.sh` makes one"
    return Claim("models of titles beat models of articles", judged(tests), "; ".join(said) or missing)


def _vectors(evidence: Evidence) -> Claim:
    says = "vectors of more text than the titles help"
    tests, said = [], []
    for length in GROUPS:
        of_titles = evidence.row("HC_title, vectors of titles", length)
        for side in ("articles", "both"):
            name = "paper" if side == "both" else f"HC_title, vectors of {side}"  # it ships with those of both
            other = evidence.row(name, length)
            if of_titles and other:
                wins, differences = ahead(other, of_titles)
                tests += wins
                said.append(f"{length}, {side}: {differences}")
    missing = "the bundles were not made; `runs/train_vectors.sh` makes them"
    return Claim(says, judged(tests), "over vectors of titles. " + "; ".join(said) if said else missing)


def _length(evidence: Evidence) -> Claim:
    says = "ROUGE F1 depends on length: a longer Lead scores higher"
    if not evidence.lead:
        return Claim(says, NOT_RUN, "no curve is stored")
    at = dict(zip(evidence.lead["words"], evidence.lead["by_words"]["ROUGE-1"], strict=True))
    half = dict(zip(evidence.lead["percent"], evidence.lead["by_percent"]["ROUGE-1"], strict=True))[50]
    best = max(at, key=lambda n: at[n])
    theirs = ", ".join(f"{published(length)['Lead']['ROUGE-1']:.2f} at {length}" for length in GROUPS)
    why = (
        f"R-1 of Lead is {at[4]:.2f} at 4 words, {at[8]:.2f} at 8, {at[10]:.2f} at 10, {half:.2f} at 50 %; "
        f"best at {best} words, {at[best]:.2f} (published: {theirs})"
    )
    return Claim(says, judged([at[8] > at[4], at[10] > at[8], half > at[10]]), why)


def _ablation(evidence: Evidence) -> Claim:
    says = "every part of the objective is needed: without similarity, or without the backward model, it is worse"
    whole = evidence.row("paper", "8 words")
    tests, said = [], []
    for name in ("fluency only", "forward only", "forward only, no similarity", "similarity only"):
        part = next((row for row in evidence.ablation if row.label == name), None)
        if whole and part:
            wins, differences = ahead(whole, part)
            tests += wins
            said.append(f"{name}: {differences}")
    return Claim(says, judged(tests), "the whole over its part. " + "; ".join(said) if said else NOTHING)


def _optimum(evidence: Evidence) -> Claim:
    says = "hill climbing comes near the optimum of its objective"
    if not evidence.sizes:
        return Claim(says, NOT_RUN, NOTHING)
    shares = {size["words"]: optimum_share(size, "hill climbing") for size in evidence.sizes}
    ours = float(np.mean([optimum_share(size, "default") for size in evidence.sizes]))
    said = ", ".join(f"{100 * share:.0f} % at {words}" for words, share in shares.items())
    why = f"where all candidates could be scored, it finds the best for {said} words; ours for {100 * ours:.0f} %"
    return Claim(says, judged([share >= NEAR for share in shares.values()]), why)


def _positions(evidence: Evidence) -> Claim:
    says = "it takes words from the whole source, not from its beginning"
    paper, lead = evidence.row("paper", "10 words"), evidence.row("Lead", "10 words")
    if not paper or not lead or not evidence.lead:
        return Claim(says, NOT_RUN, NOTHING)
    references = evidence.lead["references"]
    why = (
        f"of its words {100 * paper.quarters[0]:.0f} % stand in the first quarter, {100 * paper.quarters[3]:.0f} % in "
        f"the last; Lead {100 * lead.quarters[0]:.0f} % and {100 * lead.quarters[3]:.0f} %, references "
        f"{100 * references[0]:.0f} % and {100 * references[3]:.0f} %"
    )
    nearer = abs(paper.quarters[3] - references[3]) < abs(lead.quarters[3] - references[3])
    return Claim(says, judged([paper.quarters[0] < lead.quarters[0], nearer]), why)


def _readers(evidence: Evidence) -> Claim:
    says = "readers prefer it to Lead of the same length"
    pair = evidence.judgements.get("paper-lead")
    if not pair:
        return Claim(says, NOT_RUN, "no verdicts are stored; the sheets are made by `--sheets 50`")
    scores = {question: of["score"] for question, of in pair["questions"].items()}
    said = ", ".join(f"{question} {score:+.2f}" for question, score in scores.items())
    return Claim(
        says, judged([score > 0 for score in scores.values()]), f"the paper's score, {pair['readers']} readers: {said}"
    )


def claims(evidence: Evidence) -> list[Claim]:
    """Every claim with its verdict, in the order of the paper."""
    return [
        _over_lead(evidence, "HC_title beats Lead of the same length in every group", list(GROUPS)),
        _over_lead(evidence, "it does so on DUC too, recall at 75 bytes", ["75 bytes"]),
        _titles_over_articles(evidence),
        _vectors(evidence),
        _length(evidence),
        _ablation(evidence),
        _optimum(evidence),
        _positions(evidence),
        _readers(evidence),
    ]
