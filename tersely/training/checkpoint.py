"""Training: the state of a training run on disk."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from tersely.errors import FileError
from tersely.system.files import replacing


def write_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write the state, whole or not at all."""
    buffer = io.BytesIO()  # through memory: torch would report its own error instead of the disk's
    torch.save(state, buffer)
    with replacing(path) as stream:
        stream.write(buffer.getbuffer())


@contextmanager
def reading_checkpoint(path: Path) -> Iterator[dict[str, Any]]:
    """The state in a checkpoint. An error in the block means that the state does not fit, and is shown in one line."""
    try:
        # On the CPU first: it may have been written where there was another device.
        yield torch.load(path, weights_only=True, map_location="cpu")
    except Exception as error:  # torch and pickle raise all kinds
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise FileError(f"cannot read the checkpoint {path} ({reason}); delete it to begin again") from None
