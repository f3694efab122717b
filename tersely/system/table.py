"""Stage 0: big tables with a row for each piece of the vocabulary, gathered by row.

A sentence of n words needs about n of some forty thousand rows. So a table stays in its memory-mapped file, as int8
with a scale per row, and only the rows that are needed become floats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.system.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Table:
    """Rows of floats, or of int8 with a scale: row i is `rows[i] * scale[i]`.

    >>> Table(*quantize(np.array([[0.5, -1.0], [0.0, 0.0]]))).gather(np.array([0])).round(2)
    array([[ 0.5, -1. ]], dtype=float32)
    """

    rows: NDArray[np.int8] | NDArray[np.float32]  # (vocabulary, width)
    scale: NDArray[np.float32] | None = None  # (vocabulary,)

    @property
    def width(self) -> int:
        return int(self.rows.shape[1])

    def scaled(self, by: NDArray[np.float32]) -> Table:
        """The table with each row multiplied by a number: cheap if there is a scale."""
        if self.scale is None:
            return Table(self.rows * by[:, None])
        return Table(self.rows, self.scale * by)

    def gather(self, ids: IntArray | slice) -> NDArray[np.float32]:
        rows = np.asarray(self.rows[ids], dtype=np.float32)
        if self.scale is not None:  # stored as int8, so the floats are a copy
            rows *= self.scale[ids, None]
        return rows


def quantize(rows: FloatArray) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows as int8 and a scale per row: the largest entry of each row becomes 127."""
    largest = np.abs(rows).max(axis=1)
    scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    return np.round(rows / scale[:, None]).astype(np.int8), scale
