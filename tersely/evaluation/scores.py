"""The stored results of an experiment: figures and kept positions, but no text, which may not always be passed on.

A folder of scores has a file for each study, `STUDY.json.xz`, and reports of `tersely judge`, `readings*.json`. A row
is one system on some sources: its settings, its means, and for every source the ROUGE figures (in thousandths; the
means are exact), the kept positions (the bits of a hexadecimal number, the first word lowest), and log f for the
paper's objective.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.errors import FileError
from tersely.evaluation.bootstrap import Comparison, paired_bootstrap
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.results import measure_system
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.systems import Output, System
from tersely.version import __version__

Content = dict[str, Any]  # of a study, as json
_SUFFIX = ".json.xz"


@dataclass(frozen=True)
class Row:
    """One system on some sources of a dataset."""

    label: str
    length: str
    settings: dict[str, Any]  # what decides its outputs
    version: str
    first: int  # the number of its first source in the dataset, from 0
    words: float
    seconds: float | None
    evaluations: float | None
    means: dict[str, float]
    rouge: dict[str, list[int]]
    kept: list[str] | None
    log_f: list[float] | None
    numbers: list[int] | None = None  # of its sources in the dataset, unless they are consecutive

    @property
    def n_sources(self) -> int:
        return len(self.rouge[METRICS[0]])

    def scores(self, metric: str) -> NDArray[np.float64]:
        """The figures of the sources, from 0 to 1."""
        return np.array(self.rouge[metric], dtype=np.float64) / 1000

    def mean(self, metric: str) -> float:
        """The mean times 100."""
        return 100 * self.means[metric]

    def without_first(self, count: int) -> Row:
        """The row of the sources after the first `count`; its means are those of the thousandths."""
        rouge = {metric: values[count:] for metric, values in self.rouge.items()}
        means = {metric: float(np.mean(values)) / 1000 for metric, values in rouge.items()}
        return replace(self, first=self.first + count, rouge=rouge, means=means, kept=None, log_f=None)


def make_row(
    label: str, system: System, outputs: Sequence[Output], dataset: Dataset, rouge: Rouge, numbers: Sequence[int]
) -> Row:
    """The row of a system; `numbers` are those of the sources in the whole dataset."""
    found = measure_system(system, outputs, dataset, rouge)
    evaluations = [output.evaluations for output in outputs if output.evaluations is not None]
    kept = [output.kept for output in outputs]
    is_paper = str(system.settings.get("objective")).startswith("paper(")
    return Row(
        label=label,
        length=system.length.label if system.length else f"about {found.mean_words:.0f} words",
        settings=json.loads(json.dumps(dict(system.settings))),
        version=__version__,
        first=numbers[0],
        words=round(found.mean_words, 3),
        seconds=None if found.seconds is None else round(found.seconds, 5),
        evaluations=round(float(np.mean(evaluations)), 1) if evaluations else None,
        means={metric: round(found.mean(metric), 8) for metric in METRICS},
        rouge={metric: np.rint(1000 * found.scores[metric]).astype(int).tolist() for metric in METRICS},
        kept=None if None in kept else [f"{sum(1 << i for i in positions or ()):x}" for positions in kept],
        log_f=[round(output.score or 0.0, 5) for output in outputs] if is_paper else None,
        numbers=None if numbers[-1] - numbers[0] == len(numbers) - 1 else list(numbers),
    )


def compare(better: Row, worse: Row, metric: str) -> Comparison:
    """The difference between two systems on the same sources, times 100, from the thousandths."""
    return paired_bootstrap(100 * better.scores(metric), 100 * worse.scores(metric))


@dataclass(frozen=True)
class Scores:
    """The content of a folder of scores, by study."""

    contents: dict[str, Content]
    readings: Sequence[Content] = ()  # as `tersely judge --report --json` prints them
    published: bool = True  # whether tables show what others reported

    @classmethod
    def read(cls, folder: Path, *, published: bool = True) -> Scores:
        try:
            contents = {path.name.removesuffix(_SUFFIX): _read(path) for path in sorted(folder.glob(f"*{_SUFFIX}"))}
            readings = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("readings*.json"))]
        except (OSError, ValueError, lzma.LZMAError) as error:
            raise FileError(f"{folder} has a damaged file of scores: {error}") from None
        return cls(contents, readings, published)

    def rows(self, study: str, length: str | None = None) -> list[Row]:
        rows = [Row(**row) for row in self.contents.get(study, {}).get("rows", [])]
        return [row for row in rows if length in (None, row.length)]

    def row(self, study: str, label: str, length: str) -> Row | None:
        return next((row for row in self.rows(study, length) if row.label == label), None)


def _read(path: Path) -> Content:
    return dict(json.loads(lzma.decompress(path.read_bytes())))


def write_scores(folder: Path, study: str, content: Content) -> None:
    """Store a study. Rows that only the old file has stay if they are of the same sources.

    They come from other bundles, which are not always at hand.
    """
    path = folder / f"{study}{_SUFFIX}"
    old = _read(path) if path.is_file() else {}
    if "rows" in content and all(old.get(key) == content[key] for key in ("dataset", "sources", "signature")):
        made = {(row["label"], row["length"]) for row in content["rows"]}
        stay = [row for row in old["rows"] if (row["label"], row["length"]) not in made]
        content = {**content, "rows": [*content["rows"], *stay]}
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(lzma.compress(text.encode(errors="replace"), preset=9))


def table_of(rows: Sequence[Row], dataset: Dataset, rouge: Rouge) -> Content:
    """The content of a study that is a table."""
    signature = rouge.signature(dataset.n_references)
    return {
        "dataset": dataset.name,
        "sources": len(dataset),
        "signature": signature,
        "rows": [asdict(row) for row in rows],
    }
