"""The figures of an experiment, as SVG and PNG, readable in black and white print.

Systems differ by marker and bars by hatching, never by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tersely.errors import missing_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FILLS = [("white", ""), ("0.8", ""), ("0.45", ""), ("black", ""), ("white", "//"), ("white", "...."), ("0.8", "xxxx")]
_STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "tersely",  # for reproducible files
    "svg.fonttype": "none",  # text stays text: searchable, and small
    "legend.frameon": False,
}


def plot_lead_curves(
    path: Path,
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    points: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]],
) -> None:
    """ROUGE-L of Lead over its length, one panel per axis title.

    `points` are other systems, by panel and name: lengths and figures, with a marker of its own for each system.
    """
    with _figure(path, width=6.6, height=2.8, panels=len(curves)) as axes:
        for ax, (title, (lengths, values)) in zip(axes, curves.items(), strict=True):
            every = max(1, len(lengths) // 8)
            ax.plot(lengths, values, "-o", color="black", markevery=every, markersize=4, label="Lead, R-L")
            for (name, placed), marker in zip(points[title].items(), cycle("D^vsPXo*"), strict=False):
                at, found = zip(*placed, strict=True)
                ax.plot(at, found, marker, color="black", markerfacecolor="0.8", markersize=6, label=name)
            ax.set_xlabel(title)
            ax.set_ylim(bottom=0)
        axes[0].set_ylabel("F1 x 100")
        axes[0].legend(loc="best", fontsize="small")


def plot_positions(path: Path, shares: Mapping[str, NDArray[np.float64]]) -> None:
    """Shares of extracted words by quarter of the source: a group of bars per quarter, a bar per system."""
    with _figure(path, width=6.6, height=3.2) as (ax,):
        n_systems = len(shares)
        width = 0.8 / n_systems
        for index, (name, values) in enumerate(shares.items()):
            fill, hatch = _FILLS[index % len(_FILLS)]
            left = np.arange(len(values)) + (index - (n_systems - 1) / 2) * width
            ax.bar(left, 100 * values, width, color=fill, hatch=hatch, edgecolor="black", linewidth=0.7, label=name)
        ax.set_xticks(range(4), ["first quarter", "second", "third", "last quarter"])
        ax.set_ylabel("share of words, %")
        ax.legend(loc="upper right", fontsize=8)


def plot_gaps(path: Path, gaps: Sequence[float]) -> None:
    """How far hill climbing is below the optimum: the share of sources within each difference of log f.

    A gap of exactly 0 is the optimum; its share is printed at the beginning of the curve.
    """
    with _figure(path, width=4.4, height=2.8) as (ax,):
        ordered = np.sort(gaps)
        share = 100 * np.arange(1, len(ordered) + 1) / len(ordered)
        right = 1.05 * max(float(ordered[-1]), 0.05)
        ax.step([0.0, *ordered, right], [0.0, *share, 100.0], where="post", color="black", linewidth=2)
        optimal = 100 * float(np.mean(ordered == 0))
        ax.plot([0.0], [optimal], "o", color="black", clip_on=False)
        ax.annotate(f"{optimal:.1f} %", (0.0, optimal), (8, -12), textcoords="offset points")
        ax.set_xlabel("log f of the optimum minus log f found")
        ax.set_ylabel("share of sources, %")
        ax.set_ylim(0, 105)
        ax.set_xlim(-0.02 * right, right)


def plot_search(
    path: Path, words: Sequence[str], masks: NDArray[np.bool_], steps: Sequence[int], scores: Sequence[float]
) -> None:
    """The grid of the paper's first figure: a row per accepted candidate, a column per word, black where kept."""
    n_rows, n_words = masks.shape
    with _figure(path, width=1.6 + 0.24 * n_words, height=1.3 + 0.18 * n_rows) as (ax,):
        ax.pcolormesh(masks[::-1], cmap="binary", vmin=0, vmax=1, edgecolors="0.6", linewidth=0.4)
        ax.set_xticks(np.arange(n_words) + 0.5, list(words), rotation=60, ha="left", rotation_mode="anchor")
        ax.xaxis.tick_top()
        ax.set_yticks(np.arange(n_rows) + 0.5, [f"{step}" for step in steps][::-1])
        ax.set_ylabel("step")
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
        right = ax.secondary_yaxis("right")
        right.set_yticks(np.arange(n_rows) + 0.5, [f"{score:.2f}" for score in scores][::-1])
        right.set_ylabel("log f")
        right.tick_params(length=0)
        right.spines["right"].set_visible(False)


@contextmanager
def _figure(path: Path, *, width: float, height: float, panels: int = 1) -> Iterator[list[Axes]]:
    """The axes of a figure, which is saved at the end of the block; matplotlib's global state does not change."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("eval", "matplotlib") from None
    with rc_context(_STYLE):  # type: ignore[arg-type, unused-ignore]  # its stubs want literal keys
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots(1, panels, squeeze=False, sharey=panels > 1)
        yield list(axes[0])
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
        figure.savefig(path.with_suffix(".png"), dpi=200)
