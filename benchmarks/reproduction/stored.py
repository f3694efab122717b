"""What is stored of the outputs: figures and kept positions. The data may not be passed on, so no word of it is stored.

There is a file for each part, `PART.json.xz`. A row is one system: its settings, its means, and for every source the
ROUGE figures (in thousandths; the means are exact), the kept positions (the bits of a hexadecimal number, the first
word lowest), and log f for the paper's objective.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.evaluation.bootstrap import Comparison, paired_bootstrap
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.results import measure_system
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.studies.positional_bias import output_shares
from tersely.evaluation.systems import Output
from tersely.version import __version__

from .parts import OTHERS, Entry

Where = slice | NDArray[np.int64]  # some of the sources of a row
ALL = slice(None)
FOLDER = Path(__file__).resolve().parent.parent.parent / "results" / "reproduction"


@dataclass(frozen=True)
class Row:
    """One system on one part of the data."""

    label: str
    length: str
    settings: dict[str, Any]  # what decides its outputs, as the output files name it
    version: str
    first: int  # the number of its first source in the dataset, from 0
    words: float
    seconds: float | None
    evaluations: float | None
    means: dict[str, float]
    rouge: dict[str, list[int]]
    quarters: list[float]
    kept: list[str] | None
    log_f: list[float] | None
    numbers: list[int] | None = None  # of its sources in the dataset, where they do not follow the first one by one

    @property
    def n_sources(self) -> int:
        return len(self.rouge[METRICS[0]])

    @property
    def sources(self) -> NDArray[np.int64]:
        """The numbers of its sources in the dataset."""
        return np.array(self.numbers or range(self.first, self.first + self.n_sources))

    def scores(self, metric: str, part: Where = ALL) -> NDArray[np.float64]:
        """The figures of the sources, from 0 to 1."""
        return np.array(self.rouge[metric], dtype=np.float64)[part] / 1000

    def mean(self, metric: str, part: Where = ALL) -> float:
        """The mean times 100: exact for all sources, from thousandths for a part of them."""
        scores = self.scores(metric, part)
        return 100 * (self.means[metric] if len(scores) == self.n_sources else float(scores.mean()))

    def covers(self, other: Row) -> NDArray[np.int64] | None:
        """The positions of the sources of `other` among its own; None if one is not there."""
        found = np.flatnonzero(np.isin(self.sources, other.sources))
        return found if len(found) == other.n_sources else None


def make_row(
    entry: Entry,
    outputs: Sequence[Output],
    dataset: Dataset,
    rouge: Rouge,
    *,
    numbers: Sequence[int] | None = None,
    positions: bool = True,
) -> Row:
    """The row of a system; `numbers` are the numbers of its sources in the dataset (default: the first ones)."""
    system, numbers = entry.system, list(numbers or range(len(dataset)))
    found = measure_system(system, outputs, dataset, rouge)
    evaluations = [output.evaluations for output in outputs if output.evaluations is not None]
    kept = [output.kept for output in outputs]
    of_paper = str(system.settings.get("objective")).startswith("paper(")
    return Row(
        label=entry.label,
        length=entry.length,
        settings=json.loads(json.dumps(dict(system.settings))),
        version=__version__,
        first=numbers[0],
        words=round(found.mean_words, 3),
        seconds=None if found.seconds is None else round(found.seconds, 5),
        evaluations=round(float(np.mean(evaluations)), 1) if evaluations else None,
        means={metric: round(found.mean(metric), 8) for metric in METRICS},
        rouge={metric: np.rint(1000 * found.scores[metric]).astype(int).tolist() for metric in METRICS},
        quarters=[round(float(share), 5) for share in output_shares(outputs, dataset)],
        kept=[f"{sum(1 << i for i in of or ()):x}" for of in kept] if positions and None not in kept else None,
        log_f=[round(output.score or 0.0, 5) for output in outputs] if of_paper else None,
        numbers=None if numbers[-1] - numbers[0] == len(numbers) - 1 else numbers,
    )


def compare(better: Row, worse: Row, metric: str, part: Where = ALL) -> Comparison:
    """The difference between two systems on the same sources, times 100; `part` selects sources of the first."""
    found = paired_bootstrap(better.scores(metric, part), worse.scores(metric), np.random.default_rng(0))
    return Comparison(100 * found.difference, 100 * found.low, 100 * found.high, found.p_value)


def read_part(folder: Path, name: str) -> dict[str, Any]:
    """The stored content of a part; empty if there is none."""
    path = folder / f"{name}.json.xz"
    return dict(json.loads(lzma.decompress(path.read_bytes()))) if path.is_file() else {}


def rows_of(part: dict[str, Any]) -> list[Row]:
    return [Row(**row) for row in part.get("rows", [])]


def write_part(folder: Path, name: str, content: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (folder / f"{name}.json.xz").write_bytes(lzma.compress(text.encode(), preset=9))


def merged(old: Sequence[Row], new: Sequence[Row], wanted: Sequence[Entry]) -> list[dict[str, Any]]:
    """The new rows, and those old ones that were not made again and whose settings are still the same.

    Rows of other bundles that were not named this time stay, because those bundles are not in the repository.
    """
    by_key = {(row.label, row.length): row for row in new}
    kept = []
    for entry in wanted:
        key = (entry.label, entry.length)
        before = next((row for row in old if (row.label, row.length) == key), None)
        if key in by_key:
            kept.append(asdict(by_key[key]))
        elif before and before.settings == entry.system.settings:
            kept.append(asdict(before))
    named = {(entry.label, entry.length) for entry in wanted}
    return kept + [asdict(row) for row in old if row.label in OTHERS and (row.label, row.length) not in named]
