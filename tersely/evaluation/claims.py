"""The claims of the paper, each with the verdict of the stored figures: holds, in part, not here, or not run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tersely.evaluation.published import published_claim, read_published
from tersely.evaluation.results import SIGNIFICANT
from tersely.evaluation.rouge import METRICS
from tersely.evaluation.scores import Row, Scores, compare
from tersely.evaluation.studies.search_quality import CLIMBING, DEFAULT, optimum_share, sizes_of
from tersely.evaluation.studies.setting import LEAD, Study
from tersely.evaluation.studies.tables import DUC, DUC_BRACKET, GROUPS
from tersely.evaluation.table_formats import markdown_table

HOLDS, IN_PART, NOT, NOT_RUN = "holds", "holds in part", "does not hold here", "not run here"
NOTHING = "no figures are stored"
NEAR = 0.9  # a search "comes near the optimum" if it finds it for this share of the sources
TITLES, ARTICLES = "HC_title", "HC_article"  # the paper's names; `paper` is HC_title if the bundle learned from titles
OF_TITLES, OF_ARTICLES = (f"{TITLES}, vectors of {side}" for side in ("titles", "articles"))
# Where each length is stored, and its bracket among the published figures.
LENGTHS = {**{length: ("headlines", length) for length in GROUPS}, DUC: ("duc", DUC_BRACKET)}


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, the verdict, and why."""

    says: str
    verdict: str
    why: str


def ahead(better: Row, worse: Row) -> tuple[list[bool], str]:
    """On which metrics one system is ahead by more than chance, and the differences."""
    gaps = [compare(better, worse, metric) for metric in METRICS]
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


def published(length: str) -> dict[str, dict[str, float]]:
    """The published figures of a length, by system and metric."""
    return {row.system: row.figures for row in read_published() if row.bracket == LENGTHS[length][1]}


def published_gain(length: str, metric: str) -> float:
    """How much better than Lead HC_title was in the paper."""
    return published(length)[TITLES][metric] - published(length)[LEAD][metric]


def _row(scores: Scores, label: str, length: str) -> Row | None:
    return scores.row(LENGTHS[length][0], label, length)


def _over_lead(scores: Scores, says: str, lengths: Sequence[str]) -> Claim:
    tests: list[bool] = []
    said: list[str] = []
    missing: list[str] = []
    for length in lengths:
        paper, lead = _row(scores, "paper", length), _row(scores, LEAD, length)
        if not paper or not lead:
            missing.append(f"{length} was not run here")
            continue
        wins, differences = ahead(paper, lead)
        tests += wins
        gains = " / ".join(f"{published_gain(length, metric):+.2f}" for metric in METRICS)
        said.append(f"{length}: {differences} (published {gains})")
    if not said:
        return Claim(says, NOT_RUN, NOTHING)
    verdict = IN_PART if missing and judged(tests) == HOLDS else judged(tests)
    return Claim(says, verdict, "R-1/2/L over Lead. " + "; ".join([*said, *missing]))


def _titles_over_articles(scores: Scores) -> Claim:
    tests, said = [], []
    for length in GROUPS:
        titles, articles = _row(scores, "paper", length), _row(scores, ARTICLES, length)
        if titles and articles:
            wins, differences = ahead(titles, articles)
            tests += wins
            theirs = published(length)
            gains = " / ".join(f"{theirs[TITLES][metric] - theirs[ARTICLES][metric]:+.2f}" for metric in METRICS)
            said.append(f"{length}: {differences} (published {gains})")
            if lead := _row(scores, LEAD, length):
                said[-1] += f", {ARTICLES} over Lead {ahead(articles, lead)[1]}"
    missing = f"there is no system {ARTICLES}: a bundle of the same size, trained on articles"
    return Claim("models of titles beat models of articles", judged(tests), "; ".join(said) or missing)


def _vectors(scores: Scores) -> Claim:
    tests, said = [], []
    for length in GROUPS:
        of_titles = _row(scores, OF_TITLES, length)
        for side, label in (("articles", OF_ARTICLES), ("both", "paper")):  # what ships has vectors of both
            other = _row(scores, label, length)
            if of_titles and other:
                wins, differences = ahead(other, of_titles)
                tests += wins
                said.append(f"{length}, {side}: {differences}")
    missing = f"there are no systems {OF_TITLES!r} and {OF_ARTICLES!r}"
    why = "over vectors of titles. " + "; ".join(said) if said else missing
    return Claim("vectors of more text than the titles help", judged(tests), why)


def _length(scores: Scores) -> Claim:
    says = "ROUGE F1 depends on length: a longer Lead scores higher"
    found = scores.contents.get("lead")
    if not found:
        return Claim(says, NOT_RUN, NOTHING)
    at = dict(zip(found["words"], found["by_words"]["ROUGE-1"], strict=True))
    half = dict(zip(found["percent"], found["by_percent"]["ROUGE-1"], strict=True))[50]
    best = max(at, key=lambda n: at[n])
    theirs = ", ".join(f"{published(length)[LEAD]['ROUGE-1']:.2f} at {length}" for length in GROUPS)
    why = (
        f"R-1 of Lead is {at[4]:.2f} at 4 words, {at[8]:.2f} at 8, {at[10]:.2f} at 10, {half:.2f} at 50 %; best at "
        f"{best} words, {at[best]:.2f} (published: {theirs}; {published_claim('length')})"
    )
    return Claim(says, judged([at[8] > at[4], at[10] > at[8], half > at[10]]), why)


def _ablation(scores: Scores) -> Claim:
    says = "every part of the objective is needed: without similarity, or without the backward model, it is worse"
    rows = {row.label: row for row in scores.rows("ablation")}
    tests, said = [], []
    for name in ("fluency only", "forward only", "forward only, no similarity", "similarity only"):
        if "paper" in rows and name in rows:
            wins, differences = ahead(rows["paper"], rows[name])
            tests += wins
            said.append(f"{name}: {differences}")
    return Claim(says, judged(tests), "the whole over its part. " + "; ".join(said) if said else NOTHING)


def _optimum(scores: Scores) -> Claim:
    says = "hill climbing comes near the optimum of its objective"
    sizes = sizes_of(scores)
    if not sizes:
        return Claim(says, NOT_RUN, NOTHING)
    shares = {size["words"]: optimum_share(size, CLIMBING) for size in sizes}
    ours = float(np.mean([optimum_share(size, DEFAULT) for size in sizes]))
    said = ", ".join(f"{100 * share:.0f} % at {words}" for words, share in shares.items())
    why = (
        f"where all candidates could be scored, it finds the best for {said} words; the default search for "
        f"{100 * ours:.0f} % (published: {published_claim('optimum')})"
    )
    return Claim(says, judged([share >= NEAR for share in shares.values()]), why)


def _positions(scores: Scores) -> Claim:
    says = "it takes words from the whole source, not from its beginning"
    found = scores.contents.get("positions")
    if not found or not {"paper", LEAD} <= found["quarters"].keys():
        return Claim(says, NOT_RUN, NOTHING)
    paper, lead, references = found["quarters"]["paper"], found["quarters"][LEAD], found["references"]
    first, last = ([f"{100 * shares[part]:.0f} %" for shares in (paper, lead, references)] for part in (0, 3))
    why = (
        f"of its words {first[0]} stand in the first quarter, {last[0]} in the last; Lead {first[1]} and {last[1]}, "
        f"references {first[2]} and {last[2]}"
    )
    nearer = abs(paper[3] - references[3]) < abs(lead[3] - references[3])
    return Claim(says, judged([paper[0] < lead[0], nearer]), why)


def _readers(scores: Scores) -> Claim:
    says = "readers prefer it to Lead of the same length"
    pair = next((found for found in scores.readings if (found["first"], found["second"]) == ("paper", LEAD)), None)
    if not pair:
        return Claim(says, NOT_RUN, "no reading of `paper` against Lead is stored: `tersely judge` makes one")
    votes = {question: of["score"] for question, of in pair["questions"].items()}
    said = ", ".join(f"{question} {score:+.2f}" for question, score in votes.items())
    why = f"the paper's score, {len(pair['annotators'])} readers: {said}"
    return Claim(says, judged([score > 0 for score in votes.values()]), why)


def claims(scores: Scores) -> list[Claim]:
    """Every claim with its verdict, in the order of the paper."""
    return [
        _over_lead(scores, "HC_title beats Lead of the same length in every group", list(GROUPS)),
        _over_lead(scores, "it does so on DUC too, recall at 75 bytes", [DUC]),
        _titles_over_articles(scores),
        _vectors(scores),
        _length(scores),
        _ablation(scores),
        _optimum(scores),
        _positions(scores),
        _readers(scores),
    ]


def show_claims(scores: Scores) -> list[str]:
    lines = [f"| {claim.says} | *{claim.verdict}* | {claim.why} |" for claim in claims(scores)]
    return ["\n".join(["| the paper | verdict | why |", "|---|---|---|", *lines])]


def show_gains(scores: Scores) -> list[str]:
    """Where the paper's objective gains less over Lead here than was published."""
    lines, compared = [], 0
    for length in LENGTHS:
        ours, lead = _row(scores, "paper", length), _row(scores, LEAD, length)
        if ours and lead:
            compared += 1
            for metric in METRICS:
                gain, wanted = compare(ours, lead, metric).difference, published_gain(length, metric)
                if gain < wanted:
                    lines.append([length, metric, f"{gain:+.2f}", f"{wanted:+.2f}", f"{gain - wanted:+.2f}"])
    if not lines:
        return [f"Nowhere in the {compared} groups that are stored."] if compared else []
    return [markdown_table(["length", "metric", "gain here", "published gain", "difference"], lines)]


def easier(scores: Scores) -> str:
    """How much higher Lead scores here than on the test set; empty if there is no Lead."""
    rows = {length: _row(scores, LEAD, length) for length in GROUPS}
    here = {length: row.mean("ROUGE-1") for length, row in rows.items() if row}
    if not here:
        return ""
    there = {length: published(length)[LEAD]["ROUGE-1"] for length in here}
    points = [here[length] - there[length] for length in here]
    figures = ", ".join(f"{here[length]:.2f} and {there[length]:.2f} at {length}" for length in here)
    return f"ROUGE-1 of Lead is {min(points):.1f} to {max(points):.1f} points higher ({figures})"


CLAIMS = Study(
    "Claims",
    "Differences are on the same sources. One with a degree sign may be chance: its interval contains 0 (paired "
    "bootstrap).",
    show_claims,
)
GAINS = Study(
    "Worse than published",
    "The gain of `paper` over Lead, where it is smaller than published. Data, corpora and sizes of the models differ, "
    "so this shows which results did not carry over, not whose program is better.",
    show_gains,
)
