"""Stage 0: the tensors of a safetensors file as views of one memory map.

The safetensors package copies whole tensors, but one sentence needs only a few rows of a big table. The format is a
little-endian length, that many bytes of JSON, and the data.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DTYPES = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16,
    "I64": np.int64, "I32": np.int32, "I8": np.int8, "U8": np.uint8,
}  # fmt: skip
_MOST = np.float32(1e9)  # products of larger numbers are soon infinite


def map_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The tensors by name; raises ValueError if the file is not of this format, or if a number in it is no weight."""
    tensors = {}
    try:
        blob = np.memmap(path, dtype=np.uint8, mode="r")
        size = int.from_bytes(blob[:8].tobytes(), "little")
        header = json.loads(blob[8 : 8 + size].tobytes())
        for name, entry in header.items():
            if name != "__metadata__":
                start, end = entry["data_offsets"]
                view = blob[8 + size + start : 8 + size + end].view(np.ndarray).view(_DTYPES[entry["dtype"]])
                tensors[name] = view.reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"{path.name} is not safetensors of a known kind") from None
    for name, tensor in tensors.items():
        if tensor.dtype.kind == "f" and not (np.abs(tensor) <= _MOST).all():  # nor is a NaN
            raise ValueError(f"{name} has values that are no numbers, or above a billion")
    return tensors
