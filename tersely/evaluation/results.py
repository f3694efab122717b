"""Systems against references: all figures of a fair table, for each system.

ROUGE, the average length, the length violations, the share of summary words that are in the source, the compression
and the time. Best figures and significance are decided only inside a length bracket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Length
from tersely.evaluation.bootstrap import Comparison, paired_bootstrap
from tersely.evaluation.brackets import assign_brackets, bracket_warnings
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.published import Published, read_published
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.systems import Output, System
from tersely.system.progress import progress

SIGNIFICANT = 0.05
Runner = Callable[[System, Dataset], list[Output]]


@dataclass(frozen=True)
class SystemResult:
    """All figures of one system on one dataset. `evaluate` adds its bracket and how it compares with the best there."""

    name: str
    length: Length | None
    scores: dict[str, NDArray[np.float64]]  # metric -> a value per source
    mean_words: float
    mean_chars: float
    scored_bytes: float  # the average length of what ROUGE saw, after its cut at N bytes
    violations: int | None  # None where no length was declared
    in_source: float
    compression: float
    seconds: float | None  # per sentence; None for files
    bracket: str = ""
    best: frozenset[str] = frozenset()  # the metrics in which it is the best of its bracket
    behind_best: Mapping[str, Comparison] = field(default_factory=dict)  # the others: the difference to the best x 100

    def mean(self, metric: str) -> float:
        return float(self.scores[metric].mean())

    def is_tied(self, metric: str) -> bool:
        return metric in self.behind_best and self.behind_best[metric].p_value >= SIGNIFICANT


@dataclass(frozen=True)
class Evaluation:
    """A table: rows by bracket, warnings, and the signature of its figures."""

    dataset: str
    n_sources: int
    rows: tuple[SystemResult, ...]
    warnings: tuple[str, ...]
    signature: str
    measure: str
    published: tuple[Published, ...] = ()  # reported elsewhere: shown, not compared

    def to_dict(self) -> dict[str, Any]:
        """Everything except the scores of single sources, for json."""
        return {
            "dataset": self.dataset,
            "sources": self.n_sources,
            "signature": self.signature,
            "measure": self.measure,
            "warnings": list(self.warnings),
            "systems": [_row_dict(row) for row in self.rows],
            **({"published": [asdict(row) for row in self.published]} if self.published else {}),
        }


def run_system(system: System, dataset: Dataset) -> list[Output]:
    """The outputs of a system, with progress on stderr."""
    return list(progress(system.outputs(dataset), system.name, len(dataset)))


def measure_system(system: System, outputs: Sequence[Output], dataset: Dataset, rouge: Rouge) -> SystemResult:
    """The figures of one system from its outputs."""
    scores: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for output, example in zip(outputs, dataset.examples, strict=True):
        for metric, score in rouge.score(output.text, example.references).items():
            scores[metric].append(rouge.value(score))
    texts = [output.text for output in outputs]
    words, source_words = ([dataset.words(text) for text in column] for column in (texts, dataset.sources))
    lengths = [len(summary) for summary in words]
    copied = [len([w for w in summary if w in source]) for summary, source in zip(words, source_words, strict=True)]
    violations = None
    if system.length is not None:
        rows = zip(texts, dataset.sources, strict=True)
        violations = sum(system.length.is_broken_by(dataset.tokens(t), t, dataset.tokens(s)) for t, s in rows)
    times = [output.seconds for output in outputs if output.seconds is not None]
    return SystemResult(
        name=system.name,
        length=system.length,
        scores={metric: np.array(values) for metric, values in scores.items()},
        mean_words=float(np.mean(lengths)),
        mean_chars=float(np.mean([len(text) for text in texts])),
        scored_bytes=float(np.mean([len(rouge.cut(text).encode()) for text in texts])),
        violations=violations,
        in_source=sum(copied) / max(sum(lengths), 1),
        compression=float(np.mean([n / max(len(s), 1) for n, s in zip(lengths, source_words, strict=True)])),
        seconds=float(np.mean(times)) if times else None,
    )


def evaluate(
    dataset: Dataset,
    systems: Iterable[System],
    rouge: Rouge,
    *,
    runner: Runner = run_system,
    seed: int = 0,
    published: bool = False,
) -> Evaluation:
    """The table of some systems on a dataset, and with `published`, what others reported in its brackets.

    `runner` may return kept outputs instead of running a system.
    """
    results = [measure_system(system, runner(system, dataset), dataset, rouge) for system in systems]
    names, words = [result.name for result in results], [result.mean_words for result in results]
    if rouge.limit_bytes:  # the cut makes lengths equal: only summaries that do not reach it are shorter
        brackets = [f"cut at {rouge.limit_bytes} bytes"] * len(results)
        warnings = bracket_warnings(names, brackets, [result.scored_bytes for result in results], "bytes")
    else:
        brackets = assign_brackets([result.length for result in results], words)
        warnings = bracket_warnings(names, brackets, words)
    reported = read_published() if published else []
    return Evaluation(
        dataset=dataset.name,
        n_sources=len(dataset),
        rows=tuple(_rank(results, brackets, seed)),
        warnings=tuple(warnings),
        signature=rouge.signature(dataset.n_references),
        measure=rouge.measure,
        published=tuple(other for other in reported if other.measure == rouge.measure and other.bracket in brackets),
    )


def _rank(results: Sequence[SystemResult], brackets: Sequence[str], seed: int) -> Iterable[SystemResult]:
    for result, bracket in zip(results, brackets, strict=True):
        peers = [other for other, own in zip(results, brackets, strict=True) if own == bracket]
        best: set[str] = set()
        behind: dict[str, Comparison] = {}
        for metric in METRICS:
            leader = max(peers, key=lambda peer: peer.mean(metric))
            if result.mean(metric) < leader.mean(metric):
                behind[metric] = paired_bootstrap(100 * leader.scores[metric], 100 * result.scores[metric], seed)
            elif len(peers) > 1:
                best.add(metric)
        yield replace(result, bracket=bracket, best=frozenset(best), behind_best=behind)


def _row_dict(row: SystemResult) -> dict[str, Any]:
    return {
        "system": row.name,
        "bracket": row.bracket,
        **{metric: round(100 * row.mean(metric), 4) for metric in METRICS},
        "best": sorted(row.best),
        "behind_best": {
            metric: {name: round(value, 4) for name, value in lead._asdict().items()}
            for metric, lead in row.behind_best.items()
        },
        "words": round(row.mean_words, 3),
        "characters": round(row.mean_chars, 2),
        "violations": row.violations,
        "in_source": round(row.in_source, 4),
        "compression": round(row.compression, 4),
        "seconds_per_sentence": row.seconds,
    }
