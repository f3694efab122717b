"""Beside the flow: the state of a training run on disk, and the settings that a folder belongs to."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from tersely.errors import FileError, InputError
from tersely.training.files import replacing

SETTINGS = "settings.json"


def write_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write the state; a full disk or a kill leaves the checkpoint that was there."""
    import torch

    # Through memory: torch would hide what the disk has to say behind an error of its own.
    buffer = io.BytesIO()
    torch.save(state, buffer)
    with replacing(path) as stream:
        stream.write(buffer.getbuffer())


def read_checkpoint(path: Path) -> dict[str, Any]:
    """The state in a checkpoint."""
    import torch

    try:
        state: dict[str, Any] = torch.load(path, weights_only=True)
    except (OSError, RuntimeError, EOFError, zipfile.BadZipFile) as error:
        first_line = str(error).partition("\n")[0]
        raise FileError(f"cannot read the checkpoint {path}: {first_line}; delete it to begin again") from None
    return state


def claim(folder: Path, settings: dict[str, Any]) -> bool:
    """Whether `folder` resumes a run of the same settings; a folder of another run is refused.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "run"
    >>> claim(folder, {"hidden": 384}), claim(folder, {"hidden": 384})
    (False, True)
    >>> claim(folder, {"hidden": 512})
    Traceback (most recent call last):
    ...
    tersely.errors.InputError: ... holds a run with other settings (hidden was 384, now 512): ...
    """
    path = folder / SETTINGS
    settings = json.loads(json.dumps(settings))
    if path.exists():
        old = json.loads(path.read_text(encoding="utf-8"))
        if old != settings:
            changed = [
                f"{name} was {old.get(name)}, now {settings.get(name)}"
                for name in {**old, **settings}
                if old.get(name) != settings.get(name)
            ]
            raise InputError(
                f"{folder} holds a run with other settings ({'; '.join(changed)}): "
                "give the old ones to resume it, or another folder"
            )
        return True
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty and holds no training run: give another folder")
    with replacing(path) as stream:
        stream.write(json.dumps(settings, indent=1).encode())
    return False
