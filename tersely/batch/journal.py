"""The journal of a run: what was asked, and which parts are done. It is how a killed run goes on.

A run has a folder beside its output, `OUT.run`, with a file for each part and the journal, a JSON object a line: first
what was asked, then a line for each part after the part is safely on the disk, and for each output that is complete. A
part that the journal does not know was not finished, and is written again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tersely.batch.job import Asked, refuse_other
from tersely.errors import FileError
from tersely.files import replacing


@dataclass
class Done:
    """How far an output is."""

    parts: int = 0
    rows: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    checksum: str = ""  # of the rows so far
    bytes: int | None = None  # of the whole, when it is complete


class Journal:
    """The journal of a run, open for this process alone. A context manager."""

    def __init__(self, folder: Path, anew: bool = False) -> None:
        self.folder = folder
        self.asked: Asked = {}
        self.outputs: dict[int, Done] = {}
        with self.saving():
            folder.mkdir(parents=True, exist_ok=True)
            self._stream = (folder / "journal.jsonl").open("a+b")
            _lock(self._stream, folder)
            if anew:
                self._stream.truncate(0)
            self._read()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *failure: object) -> None:
        self._stream.close()

    def begin(self, asked: Asked) -> None:
        """Begin a run, or go on with one that was asked for the same."""
        if not self.asked:
            self._append({"asked": dict(asked)})
        refuse_other(self.asked, asked, f"{self.folder} holds an unfinished run of another kind")

    def part(self, output: int, number: int) -> Path:
        return self.folder / f"{output:06}-{number:06}"

    def parts(self, output: int) -> Iterator[IO[bytes]]:
        """The contents of the parts of an output that are done, in their order, each until the next is asked for."""
        for number in range(self.done(output).parts):
            with self.part(output, number).open("rb") as stream:
                yield stream

    def done(self, output: int) -> Done:
        return self.outputs.setdefault(output, Done())

    def write_part(self, output: int, content: bytes, rows: int, errors: Mapping[str, int], checksum: str) -> None:
        """Put the next part of an output safely on the disk, and then into the journal."""
        with self.saving():
            if os.fstat(self._stream.fileno()).st_nlink == 0:
                raise FileError(f"the folder {self.folder} is gone, and with it what was finished")
            with replacing(self.part(output, self.done(output).parts)) as stream:
                stream.write(content)
        self._append({"output": output, "rows": rows, "errors": errors, "checksum": checksum})

    def complete(self, output: int, size: int) -> None:
        """Note that an output is in its place, and clear its parts away."""
        self._append({"output": output, "bytes": size})
        for number in range(self.done(output).parts):
            self.part(output, number).unlink(missing_ok=True)

    def remove(self) -> None:
        """Clear the folder of the run away."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def saving(self) -> Iterator[None]:
        """A failure to write says what is left, and how to go on."""
        try:
            yield
        except OSError as error:
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            if isinstance(cause, FileError):
                raise
            raise FileError(
                f"cannot write to {self.folder}: {cause.strerror or cause}; "
                "what is finished stays there, and the same command goes on from it"
            ) from None

    def _append(self, entry: dict[str, Any]) -> None:
        with self.saving():
            self._stream.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self._enter(entry)

    def _read(self) -> None:
        self._stream.seek(0)
        sound = 0
        for line in self._stream:
            if not line.endswith(b"\n"):
                break
            self._enter(json.loads(line))
            sound += len(line)
        self._stream.truncate(sound)  # of a line that was being written when the disk was full, there is a half

    def _enter(self, entry: dict[str, Any]) -> None:
        if "asked" in entry:
            self.asked = entry["asked"]
            return
        done = self.done(entry["output"])
        if "bytes" in entry:
            done.bytes = entry["bytes"]
            return
        done.parts += 1
        done.rows += entry["rows"]
        done.errors.update(entry["errors"])
        done.checksum = entry["checksum"]


def _lock(stream: IO[bytes], folder: Path) -> None:
    """Keep other processes out; the system lifts the lock when this one ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise FileError(f"another process is at work in {folder}: wait for it, or give another OUT") from None
