"""The claims of the paper, each with the verdict of the stored figures: holds, in part, not here, or not run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

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
PARTS = ("fluency only", "forward only", "forward only, no similarity", "similarity only")  # of the paper's objective
TITLES, ARTICLES = "HC_title", "HC_article"  # the paper's names; `paper` is HC_title if the bundle learned from titles
OF_TITLES, OF_ARTICLES = (f"{TITLES}, vectors of {side}" for side in ("titles", "articles"))
# Where each length is stored, and its bracket among the published figures.
LENGTHS = {**{length: ("headlines", length) for length in GROUPS}, DUC: ("duc", DUC_BRACKET)}


class Found(NamedTuple):
    """The tests of a claim, and what to say of them; without tests, what is missing."""

    tests: list[bool]
    said: str


class Claim(NamedTuple):
    """A claim of the paper, the verdict, and why."""

    says: str
    verdict: str
    why: str


def verdict_of(tests: list[bool]) -> str:
    """One verdict from many tests.

    >>> verdict_of([True, True]), verdict_of([True, False]), verdict_of([False]), verdict_of([])
    ('holds', 'holds in part', 'does not hold here', 'not run here')
    """
    if not tests:
        return NOT_RUN
    return HOLDS if all(tests) else IN_PART if any(tests) else NOT


def published(length: str) -> dict[str, dict[str, float]]:
    """The published figures of a length, by system and metric."""
    return {row.system: row.figures for row in read_published() if row.bracket == LENGTHS[length][1]}


def published_gain(length: str, metric: str, other: str = LEAD) -> float:
    """How much better than another system HC_title was in the paper."""
    return published(length)[TITLES][metric] - published(length)[other][metric]


def _published_gains(length: str, other: str) -> str:
    return "(published " + " / ".join(f"{published_gain(length, metric, other):+.2f}" for metric in METRICS) + ")"


def ahead(better: Row, worse: Row) -> Found:
    """On which metrics one system is ahead by more than chance, and the differences."""
    gaps = [compare(better, worse, metric) for metric in METRICS]
    return Found([gap.difference > 0 and gap.p_value < SIGNIFICANT for gap in gaps], " / ".join(map(str, gaps)))


def _row(scores: Scores, label: str, length: str) -> Row | None:
    return scores.row(LENGTHS[length][0], label, length)


def _by_length(scores: Scores, better: str, worse: str, lengths: Iterable[str] = GROUPS) -> dict[str, Found]:
    """How far one system is ahead of another, at each length at which both are stored."""
    pairs = ((length, _row(scores, better, length), _row(scores, worse, length)) for length in lengths)
    return {length: ahead(first, second) for length, first, second in pairs if first and second}


def _tests(found: dict[str, Found]) -> list[bool]:
    return [test for one in found.values() for test in one.tests]


def _over_lead(scores: Scores, lengths: Iterable[str] = GROUPS) -> Found:
    found = _by_length(scores, "paper", LEAD, lengths)
    missing = [length for length in lengths if length not in found] if found else []
    said = [f"{length}: {one.said} {_published_gains(length, LEAD)}" for length, one in found.items()]
    said += [f"{length} was not run here" for length in missing]
    return Found(_tests(found) + [False for _ in missing], "R-1/2/L over Lead. " + "; ".join(said) if said else NOTHING)


def _titles_over_articles(scores: Scores) -> Found:
    found, over_lead = _by_length(scores, "paper", ARTICLES), _by_length(scores, ARTICLES, LEAD)
    said = []
    for length, one in found.items():
        more = f", {ARTICLES} over Lead {over_lead[length].said}" if length in over_lead else ""
        said.append(f"{length}: {one.said} {_published_gains(length, ARTICLES)}{more}")
    missing = f"there is no system {ARTICLES}: a bundle of the same size, trained on articles"
    return Found(_tests(found), "; ".join(said) or missing)


def _vectors(scores: Scores) -> Found:
    found = {}
    for length in GROUPS:
        for side, label in (("articles", OF_ARTICLES), ("both", "paper")):  # what ships has vectors of both
            for one in _by_length(scores, label, OF_TITLES, [length]).values():
                found[f"{length}, {side}"] = one
    said = "; ".join(f"{at}: {one.said}" for at, one in found.items())
    missing = f"there are no systems {OF_TITLES!r} and {OF_ARTICLES!r}"
    return Found(_tests(found), f"over vectors of titles. {said}" if found else missing)


def _length(scores: Scores) -> Found:
    stored = scores.contents.get("lead")
    if not stored:
        return Found([], NOTHING)
    at = dict(zip(stored["words"], stored["by_words"]["ROUGE-1"], strict=True))
    half = dict(zip(stored["percent"], stored["by_percent"]["ROUGE-1"], strict=True))[50]
    best = max(at, key=lambda n: at[n])
    theirs = ", ".join(f"{published(length)[LEAD]['ROUGE-1']:.2f} at {length}" for length in GROUPS)
    said = (
        f"R-1 of Lead is {at[4]:.2f} at 4 words, {at[8]:.2f} at 8, {at[10]:.2f} at 10, {half:.2f} at 50 %; best at "
        f"{best} words, {at[best]:.2f} (published: {theirs}; {published_claim('length')})"
    )
    return Found([at[8] > at[4], at[10] > at[8], half > at[10]], said)


def _ablation(scores: Scores) -> Found:
    rows = {row.label: row for row in scores.rows("ablation")}
    found = {part: ahead(rows["paper"], rows[part]) for part in PARTS if {part, "paper"} <= rows.keys()}
    said = "; ".join(f"{part}: {one.said}" for part, one in found.items())
    return Found(_tests(found), f"the whole over its part. {said}" if found else NOTHING)


def _optimum(scores: Scores) -> Found:
    sizes = sizes_of(scores)
    if not sizes:
        return Found([], NOTHING)
    shares = {size["words"]: optimum_share(size, CLIMBING) for size in sizes}
    ours = float(np.mean([optimum_share(size, DEFAULT) for size in sizes]))
    by_length = ", ".join(f"{100 * share:.0f} % at {words}" for words, share in shares.items())
    said = (
        f"where all candidates could be scored, it finds the best for {by_length} words; the default search for "
        f"{100 * ours:.0f} % (published: {published_claim('optimum')})"
    )
    return Found([share >= NEAR for share in shares.values()], said)


def _positions(scores: Scores) -> Found:
    stored = scores.contents.get("positions")
    if not stored or not {"paper", LEAD} <= stored["quarters"].keys():
        return Found([], NOTHING)
    paper, lead, references = stored["quarters"]["paper"], stored["quarters"][LEAD], stored["references"]
    first, last = ([f"{100 * shares[part]:.0f} %" for shares in (paper, lead, references)] for part in (0, 3))
    said = (
        f"of its words {first[0]} stand in the first quarter, {last[0]} in the last; Lead {first[1]} and {last[1]}, "
        f"references {first[2]} and {last[2]}"
    )
    nearer = abs(paper[3] - references[3]) < abs(lead[3] - references[3])
    return Found([paper[0] < lead[0], nearer], said)


def _readers(scores: Scores) -> Found:
    pair = next((found for found in scores.readings if (found["first"], found["second"]) == ("paper", LEAD)), None)
    if not pair:
        return Found([], "no reading of `paper` against Lead is stored: `tersely judge` makes one")
    votes = {question: of["score"] for question, of in pair["questions"].items()}
    said = ", ".join(f"{question} {score:+.2f}" for question, score in votes.items())
    return Found(
        [score > 0 for score in votes.values()], f"the paper's score, {len(pair['annotators'])} readers: {said}"
    )


# In the order of the paper.
TESTS: dict[str, Callable[[Scores], Found]] = {
    "HC_title beats Lead of the same length in every group": _over_lead,
    "it does so on DUC too, recall at 75 bytes": partial(_over_lead, lengths=[DUC]),
    "models of titles beat models of articles": _titles_over_articles,
    "vectors of more text than the titles help": _vectors,
    "ROUGE F1 depends on length: a longer Lead scores higher": _length,
    "every part of the objective is needed: without similarity, or without the backward model, it is worse": _ablation,
    "hill climbing comes near the optimum of its objective": _optimum,
    "it takes words from the whole source, not from its beginning": _positions,
    "readers prefer it to Lead of the same length": _readers,
}


def claims(scores: Scores) -> list[Claim]:
    """Every claim with its verdict."""
    found = {says: test(scores) for says, test in TESTS.items()}
    return [Claim(says, verdict_of(one.tests), one.said) for says, one in found.items()]


def show_claims(scores: Scores) -> list[str]:
    lines = [f"| {says} | *{verdict}* | {why} |" for says, verdict, why in claims(scores)]
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
