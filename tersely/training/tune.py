"""Training: finds the weights of an objective on development data.

Candidates of the development sources are pooled from the lattice under several weights and measured once. Then weights
are searched under which good candidates score high (`minimum_risk`). These give new candidates, so it is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tersely.bundle.bundle import Bundle
from tersely.bundle.writing import copy_bundle
from tersely.errors import InputError
from tersely.evaluation.datasets import Dataset, Example
from tersely.scoring.factors import refuse_unknown
from tersely.scoring.objective import in_a_line
from tersely.summary.option_checks import weight_of
from tersely.training.minimum_risk import PooledCandidates, Tuned, percent
from tersely.training.pools import Pool, Target, Weights, deletions, fill, headlines, tunable

FEW_POOLS = 200  # fewer give a warning
_LARGE = 100.0  # larger weights give a warning; those of shipped objectives are below 15


@dataclass(frozen=True)
class Goal:
    """What weights are tuned for: the lengths, what is maximised, where the search starts, and factors to leave out."""

    targets: Callable[[Example, bool, Iterable[int]], Iterator[Target]]
    measure: Mapping[str, float]
    starts: tuple[Weights, ...]
    without: tuple[str, ...] = ()


_PAPER_LIKE = {"fluency": 1.0, "similarity": 12.0}
GOALS = {
    "headlines": Goal(
        headlines,
        {"ROUGE-1": 1.0, "ROUGE-2": 2.0, "ROUGE-L": 1.0},  # R-2 separates a headline from a bag of words
        (
            _PAPER_LIKE,
            {
                "fluency": 1, "similarity": 8, "information": 0.6, "style": 3, "position": 4, "adjacency": 0.6,
                "contiguity": 0.6,
            },
            {
                "fluency": 1, "similarity": 25, "information": 0.4, "style": 3, "position": 5, "adjacency": 1,
                "contiguity": 1,
            },
        ),
        without=("clauses",),  # headlines cut anywhere (results/tuning.md)
    ),
    "deletions": Goal(
        deletions,
        {"token F1": 1.0},
        (
            _PAPER_LIKE,
            {"fluency": 1, "similarity": 6, "information": 0.5, "style": -0.5, "position": -1, "adjacency": 1.5},
            {"fluency": 1, "similarity": 12, "information": 0.5, "adjacency": 3, "clauses": 1},
        ),
    ),
}  # fmt: skip


def goal_for(objective: str) -> str:
    """The default goal of an objective of that name."""
    return "deletions" if objective == "sentence" else "headlines"


def tune(
    bundle: Bundle,
    datasets: Sequence[Dataset],
    objective: str,
    goal: str,
    log: Callable[[str], None],
    *,
    sizes: Sequence[int] = (8, 10),
    factors: Sequence[str] | None = None,
    fixed: Mapping[str, float] | None = None,
    rounds: int = 2,
    limit: int | None = None,
    swapped: bool = False,
) -> Tuned:
    """The best weights of all rounds: tuned on the first half of each dataset, chosen on the second halves.

    Of each half at most `limit` sources are used. The search starts at the bundle's objective of that name, if it has
    one, and candidates also come from a few weights that worked before. If no round is better than the start, the
    start is returned.
    """
    wanted, fixed = GOALS[goal], dict(fixed or {})
    own = bundle.objectives.weights(objective) if objective in bundle.objectives.named else {}
    own = {name: weight for name, weight in own.items() if name in tunable(bundle)}
    names = _factors(bundle, wanted, factors, fixed, own)
    tuned_on, chosen_on = [], []
    for dataset in datasets:
        half = len(dataset) // 2
        halves = dataset.examples[:half][:limit], dataset.examples[half:][:limit]
        parts = [pools_of(bundle, dataset.part(examples), names, wanted, sizes) for examples in halves]
        if not all(parts):
            raise InputError(
                f"{dataset.name} has too few sources that are longer than the summaries: "
                "give more sources, or fewer --words"
            )
        tuned_on += parts[swapped]
        chosen_on += parts[not swapped]
    new = [_start(start, names, fixed) for start in (*wanted.starts, *([own] if own else []))]
    latest = new[-1]
    fill(bundle, chosen_on, [latest])
    best = PooledCandidates(chosen_on, wanted.measure, names, fixed).tuned(latest)
    best = replace(best, stored=bool(own) and latest == _start(own, [*own], {}))
    log(f"start: {in_a_line(latest)}\n  held out  {percent(best)}")
    for round_ in range(1, rounds + 1):
        fill(bundle, tuned_on, new)
        pooled = PooledCandidates(tuned_on, wanted.measure, names, fixed)
        latest = pooled.minimum_risk(latest)
        new = [latest]
        fill(bundle, chosen_on, new)
        found = PooledCandidates(chosen_on, wanted.measure, names, fixed).tuned(latest)
        log(f"round {round_}: {in_a_line(latest)}")
        log(f"  tuned on  {percent(pooled.tuned(latest))}\n  held out  {percent(found)}")
        best = max(best, found, key=lambda tuned: tuned.value)  # the earlier one, if they are equal
    return best


def pools_of(
    bundle: Bundle, dataset: Dataset, names: Sequence[str], goal: Goal, sizes: Sequence[int] = ()
) -> list[Pool]:
    """Empty pools, one for each source and length that leaves something to choose."""
    pools = []
    for example in dataset.examples:
        source = bundle.sentence(dataset.tokens(example.source))
        targets = goal.targets(example, dataset.is_pretokenized, sizes)
        pools += [Pool(source, n, measure, names, dataset.name) for n, measure in targets if 0 < n < len(source)]
    return pools


def store(bundle: Bundle, out: Path, objective: str, weights: Weights) -> None:
    """Write a copy of a bundle with new weights of an objective.

    Weights of factors that the bundle cannot serve yet stay, for a part that is added later.
    """
    stored = {kind: dict(bundle.description.get(kind, {})) for kind in ("objectives", "objectives from")}
    before = stored["objectives"].get(objective, {})
    others = {factor: weight for factor, weight in before.items() if factor not in tunable(bundle)}
    stored["objectives"][objective] = {**weights, **others}
    stored["objectives from"].pop(objective, None)
    copy_bundle(bundle, out, description=stored)


def _factors(
    bundle: Bundle, goal: Goal, asked: Sequence[str] | None, fixed: Mapping[str, float], own: Weights
) -> list[str]:
    """The factors to measure: fluency, those asked for or else all that are of use, and those whose weight is fixed."""
    has = tunable(bundle)
    refuse_unknown([*(asked or ()), *fixed])
    for name, weight in fixed.items():
        weight_of(name, weight)
    if "fluency" in fixed:
        raise InputError("the weight of fluency is always 1: fix the weights of other factors")
    for name in ("fluency", *(asked or ()), *fixed):
        if name not in has:
            raise InputError(f"the bundle cannot tune {name}: it can tune {', '.join(has)}")
    wanted = {*asked} if asked else {*has} - {*goal.without} | {*own}
    return [name for name in has if name in wanted | {"fluency", *fixed}]


def _start(weights: Mapping[str, float], names: Sequence[str], fixed: Mapping[str, float]) -> Weights:
    """Weights to start from, scaled to a fluency of 1.

    >>> _start({"fluency": 2.0, "style": 3.0, "clauses": 1.0}, ["fluency", "style"], {"position": 4.0})
    {'fluency': 1.0, 'style': 1.5, 'position': 4.0}
    """
    fluency = weights.get("fluency", 0.0)
    scale = fluency if fluency > 0 else 1.0
    others = {name: weight / scale for name, weight in weights.items() if name in names and name != "fluency"}
    return {"fluency": 1.0, **others, **fixed}


def warnings(tuned: Tuned) -> list[str]:
    """Reasons not to trust the weights: too few pairs, or a weight too large to be real.

    >>> warnings(Tuned({"fluency": 1.0, "style": -3.95e5}, {}, 0.0, 12))[1]
    'the weight of style is -395000: fluency plays no part beside it'
    """
    few = f"only {tuned.n_pools} summaries to choose by: with fewer than {FEW_POOLS} the weights may be chance"
    large = [(name, weight) for name, weight in tuned.weights.items() if abs(weight) > _LARGE]
    lines = [f"the weight of {name} is {weight:.6g}: fluency plays no part beside it" for name, weight in large]
    return [few, *lines] if tuned.n_pools < FEW_POOLS else lines
