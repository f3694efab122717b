"""The style of all figures: SVG and PNG that can be read in black and white print."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import missing_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "tersely",  # for reproducible files
    "svg.fonttype": "none",  # text stays text: searchable, and small
    "legend.frameon": False,
}


@contextmanager
def figure(path: Path, *, width: float, height: float, panels: int = 1) -> Iterator[list[Axes]]:
    """The axes of a figure, which is saved at the end of the block; matplotlib's global state does not change."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("eval", "matplotlib") from None
    with rc_context(_STYLE):  # type: ignore[arg-type, unused-ignore]  # its stubs want literal keys
        drawn = Figure(figsize=(width, height), layout="constrained")
        axes = drawn.subplots(1, panels, squeeze=False, sharey=panels > 1)
        yield list(axes[0])
        drawn.savefig(path.with_suffix(".svg"), metadata={"Date": None})
        drawn.savefig(path.with_suffix(".png"), dpi=200)
