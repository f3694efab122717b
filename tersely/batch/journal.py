"""The journal of a run: its settings, and the parts that are done. With it, a killed run can be resumed.

A run has a folder beside its output, `OUT.run`: the settings, a file for each part, and one for each output that is
complete. A part is a checksum, a line of JSON, which says how many rows it has, and its rows. The checksum is over all
that follows, the name of the part, and the checksum of the part before; for the first part, over the settings. So a
part is either whole and in its place, or it is written again; nothing else has to be kept in step with it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple

from tersely.batch.job import JobSettings, check_same_settings
from tersely.batch.paths import shown
from tersely.batch.storage import Files, LocalFiles
from tersely.errors import FileError

_SETTINGS, _LOCK, _DRAFT = "tersely.json", "tersely.lock", "tersely.partial"
_OURS = re.compile(r"tersely\.(json|lock|partial)|\d{6}-(\d{6}|done)")


@dataclass
class OutputState:
    """How much of an output is done."""

    parts: int = 0
    rows: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    checksum: str = ""  # of the rows so far
    last: bytes = b""  # the checksum of the last part, or of the settings
    bytes: int | None = None  # of the whole file, when it is complete


class _Part(NamedTuple):
    """What a part says of itself, its content, and its checksum."""

    head: dict[str, Any]
    content: bytes
    checksum: bytes


class Journal:
    """The journal of a run, locked for this process. A context manager."""

    def __init__(self, files: Files, folder: str, restart: bool = False) -> None:
        self.files, self.folder = files, folder
        self._states: dict[int, OutputState] = {}
        self._settings = b""  # their checksum
        names = set(files.names(folder))
        if names and not (names <= {_LOCK, _DRAFT} or (_SETTINGS in names and all(map(_OURS.fullmatch, names)))):
            raise FileError(f"{shown(folder)} is not of a run of tersely batch: rename it, or give another OUT")
        self._lock = _lock(folder) if isinstance(files, LocalFiles) else None
        if restart:
            self._delete(keep=_LOCK)
        self._names = set(files.names(folder)) - {_LOCK, _DRAFT}

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._lock is not None:
            self._lock.close()

    def start(self, settings: JobSettings) -> None:
        """Start a run, or resume one with the same settings."""
        self._settings = _sha256(json.dumps(settings, sort_keys=True).encode())
        if not self._names:
            self._write(_SETTINGS, json.dumps(settings, indent=1).encode())
        try:
            before = json.loads(self._read(_SETTINGS))
            what = f"{shown(self.folder)} holds an unfinished run of another command"
            check_same_settings(before, settings, what)
        except (AttributeError, TypeError, UnicodeDecodeError, json.JSONDecodeError, RecursionError):
            raise FileError(f"{shown(self.folder)}/{_SETTINGS} is damaged: use --restart") from None

    def state(self, output: int) -> OutputState:
        """What is done of an output. Everything from the first part that is damaged on is deleted, to be done again."""
        if output not in self._states:
            state = self._states[output] = OutputState(last=self._settings)
            if (name := f"{output:06}-done") in self._names and (done := self._part(name, state.last)) is not None:
                _add(state, done.head, done.checksum)
                return state
            while (name := _name(output, state.parts)) in self._names and (part := self._part(name, state.last)):
                _add(state, part.head, part.checksum)
            for name in self._names:
                if name.startswith(f"{output:06}-") and name >= _name(output, state.parts):
                    self.files.delete(self._path(name))
        return self._states[output]

    def parts(self, output: int) -> Iterator[IO[bytes]]:
        """The contents of the finished parts of an output, in order."""
        last = self._settings
        for name in (_name(output, number) for number in range(self.state(output).parts)):
            if (part := self._part(name, last)) is None:
                raise FileError(f"{shown(self._path(name))} was damaged during the run: use --restart")
            last = part.checksum
            yield io.BytesIO(part.content)

    def write_part(self, output: int, content: bytes, rows: int, errors: Mapping[str, int], checksum: str) -> None:
        """Write the next part of an output."""
        head = {"rows": rows, "errors": errors, "checksum": checksum}
        self._append(_name(output, self.state(output).parts), self.state(output), head, content)

    def complete(self, output: int, size: int) -> None:
        """Note that the file of an output is complete, and delete its parts."""
        state = self.state(output)
        parts = state.parts
        head = {"rows": state.rows, "errors": state.errors, "checksum": state.checksum, "size": size}
        self._append(f"{output:06}-done", OutputState(last=self._settings), head, b"")
        for number in range(parts):
            self.files.delete(self._path(_name(output, number)))
        state.bytes = size

    def delete(self) -> None:
        """Delete what the run has left, and the folder if nothing else is in it."""
        self._delete()
        self.files.delete(self.folder)

    def _delete(self, keep: str = "") -> None:
        """The settings last: without them, the rest would seem to be of something else."""
        for name in sorted(filter(_OURS.fullmatch, self.files.names(self.folder)), key=_SETTINGS.__eq__):
            if name != keep:
                self.files.delete(self._path(name))

    @contextmanager
    def writing(self, path: str) -> Iterator[IO[bytes]]:
        """A stream whose content replaces a file. A failure is an error that says what is left and how to resume."""
        try:
            with self.files.replacing(path, self._path(_DRAFT)) as stream:
                yield stream
        except OSError as error:
            cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
            if isinstance(cause, FileError):
                raise cause from None
            raise FileError(
                f"cannot write to {shown(self.folder)}: {cause.strerror or cause}; "
                "finished rows stay there, and the same command resumes from them"
            ) from None

    def _append(self, name: str, state: OutputState, head: dict[str, Any], content: bytes) -> None:
        if self.files.info(self._path(_SETTINGS)) is None:
            raise FileError(f"the folder {shown(self.folder)} is gone, and with it the finished rows")
        body = json.dumps(head).encode() + b"\n" + content
        checksum = _sha256(state.last + name.encode() + body)
        self._write(name, checksum + b"\n" + body)
        _add(state, head, checksum)

    def _part(self, name: str, last: bytes) -> _Part | None:
        """A part, if it is whole and follows the one with the checksum `last`."""
        checksum, _, body = self._read(name).partition(b"\n")
        if checksum != _sha256(last + name.encode() + body):
            return None
        head, _, content = body.partition(b"\n")
        return _Part(json.loads(head), content, checksum)

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def _read(self, name: str) -> bytes:
        with self.files.open(self._path(name)) as stream:
            return stream.read()

    def _write(self, name: str, content: bytes) -> None:
        with self.writing(self._path(name)) as stream:
            stream.write(content)


def _sha256(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _name(output: int, number: int) -> str:
    return f"{output:06}-{number:06}"


def _add(state: OutputState, head: Mapping[str, Any], checksum: bytes) -> None:
    state.parts += "size" not in head
    state.rows += head["rows"]
    state.errors.update(head["errors"])
    state.checksum, state.last = head["checksum"], checksum
    state.bytes = head.get("size")


def _lock(folder: str) -> IO[bytes]:
    """Lock a journal against other processes. The system releases the lock when this process ends, in any way."""
    os.makedirs(folder, exist_ok=True)
    stream = open(os.path.join(folder, _LOCK), "ab")  # noqa: SIM115  (until the run ends)
    try:
        import fcntl

        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # not on Windows
        pass
    except OSError:
        stream.close()
        raise FileError(f"another process uses {shown(folder)}: wait for it, or give another OUT") from None
    return stream
