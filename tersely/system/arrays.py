"""Stage 0: the types of arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.floating]
IntArray = NDArray[np.int64]
