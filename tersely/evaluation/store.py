"""System outputs on disk, so that a long experiment can be stopped and resumed.

There is one jsonl file per system: a first line with everything that decides the outputs and a hash of the sources,
then one line per output. Lines are written to `NAME.jsonl.partial`, which is renamed when it is complete. A partial
file with the same first line is continued, a complete one is read, and any other is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from tersely.errors import FileError, InputError
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.systems import Output, System
from tersely.system.files import read_lines
from tersely.system.progress import progress
from tersely.version import __version__


class OutputStore:
    """The folder of outputs of one experiment; `run` is a runner for `evaluate`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{folder}: cannot be created ({error.strerror})") from None

    def run(self, system: System, dataset: Dataset) -> list[Output]:
        """The outputs of a system: read if they are complete, else made and written one by one."""
        path, head = self.path(system, dataset), _head(system, dataset)
        finished = _read(path, head)
        if finished is not None and len(finished) == len(dataset):
            return finished
        partial = path.with_name(path.name + ".partial")
        done = _read(partial, head) or []
        with partial.open("w", encoding="utf-8") as file:
            file.writelines(map(_line, [head, *(output._asdict() for output in done)]))
            rest = system.outputs(dataset, start=len(done))
            for output in progress(rest, system.name, len(dataset) - len(done)):
                file.write(_line(output._asdict()))
                file.flush()
                done.append(output)
        os.replace(partial, path)
        return done

    def path(self, system: System, dataset: Dataset) -> Path:
        """The file of a system; a hash keeps equal names of other lengths or sources apart."""
        slug = re.sub(r"[^\w.-]+", "_", system.name)[:60]
        key = f"{system.name}\n{system.length}\n{_digest(dataset)}"
        return self.folder / f"{slug}-{hashlib.sha256(key.encode()).hexdigest()[:6]}.jsonl"


def read_texts(path: Path) -> list[str]:
    """The summaries of a file of kept outputs."""
    try:
        return [str(json.loads(line)["text"]) for line in read_lines(path)[1:]]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise InputError(
            f"{path} is not a file of kept outputs: `evaluate --outputs` and `experiment` write one"
        ) from None


def _head(system: System, dataset: Dataset) -> dict[str, Any]:
    settings = {"system": system.name, **system.settings, "pretokenized": dataset.is_pretokenized}
    # Through json and back, so that it compares equal to what is read from the file.
    head = {"settings": settings, "sources": _digest(dataset), "version": __version__}
    return dict(json.loads(json.dumps(head)))


def _digest(dataset: Dataset) -> str:
    return hashlib.sha256("\n".join(dataset.sources).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read(path: Path, head: dict[str, Any]) -> list[Output] | None:
    """The outputs in a file with this first line, up to an incomplete line; None for any other file."""
    if not path.is_file():
        return None
    rows = []
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            break
    if not rows or rows[0] != head:
        return None
    return [Output(**{**row, "kept": None if row["kept"] is None else tuple(row["kept"])}) for row in rows[1:]]


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
