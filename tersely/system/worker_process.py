"""Stage 0: one worker process, both ends of its pipe: `WorkerProcess` in the parent, `main` in the worker.

A worker is a fresh interpreter with one BLAS thread, started here and not by `multiprocessing`: it does not run the
caller's script again, and can be killed without harm to others. It unpickles the shared object, says that it is ready,
and then answers calls, one pickle each way, until its stdin ends: it never outlives its parent.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from typing import IO, Any, cast

from tersely.errors import InputError, TerselyError
from tersely.system.threads import VARIABLES

_PROGRAM = "import sys; sys.path[:] = {path!r}; from tersely.system.worker_process import main; main()"
_SIZE = 8  # bytes of the length before each message


class WorkerDied(Exception):
    """A worker ended before it answered."""


class RemoteTraceback(Exception):
    """The cause of an error that was raised in a worker: the traceback from there."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


class WorkerProcess:
    """A worker as its parent sees it. `shared` is the pickle of the first argument of every call."""

    def __init__(self, shared: bytes) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(VARIABLES, "1")},
            start_new_session=True,  # Ctrl-C is for the parent, which then ends its workers
        )
        self._stdin, self._stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        self._loaded = False
        with contextlib.suppress(OSError):  # it has died already, as `wait_until_ready` will see
            _send(self._stdin, shared)

    def wait_until_ready(self) -> None:
        """Wait until the worker has the shared object; raises the error of the worker if it could not load it."""
        result_of(self._answer())
        self._loaded = True

    @property
    def is_ready(self) -> bool:
        """Whether the worker has the shared object and is still running."""
        return self._loaded and self._process.poll() is None

    def call(self, message: bytes) -> Any:
        """The result of a pickled call, `(work, args, kwargs)`; raises what the call raised."""
        try:
            _send(self._stdin, message)
        except OSError:
            raise WorkerDied from None
        return result_of(self._answer())

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> str:
        """End the worker if it is still running; returns how it ended."""
        for stream in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):  # what is still in the buffer cannot be sent any more
                stream.close()
        code = self._process.wait()
        return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"

    def _answer(self) -> bytes:
        if (message := _receive(self._stdout)) is None:
            raise WorkerDied
        return message


def result_of(answer: bytes) -> Any:
    """The result in an answer; what the call raised is raised, with the traceback from the worker as its cause.

    >>> result_of(answer_of(lambda: 6 * 7))
    42
    """
    value, error, where = pickle.loads(answer)
    if error is None:
        return value
    raise error from (None if isinstance(error, TerselyError) else RemoteTraceback(where))


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(len(message).to_bytes(_SIZE, "little") + message)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None at the end of the stream, also if it ends inside a message."""
    size = stream.read(_SIZE)
    message = stream.read(int.from_bytes(size, "little")) if len(size) == _SIZE else b""
    return message if message and len(message) == int.from_bytes(size, "little") else None


def main() -> None:
    """Run a worker: read calls, write answers."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # printed text must not get between the answers
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(stdin, calls), daemon=True).start()
    shared: Any = None

    def load() -> None:
        nonlocal shared
        shared = _unpickle(calls.get())

    def call() -> Any:
        work, args, kwargs = _unpickle(calls.get())
        return work(shared, *args, **kwargs)

    _send(stdout, answer_of(load))
    while True:
        _send(stdout, answer_of(call))


def _listen(stdin: IO[bytes], calls: queue.SimpleQueue[bytes]) -> None:
    while (message := _receive(stdin)) is not None:
        calls.put(message)
    os._exit(0)  # at once, even in the middle of a call: the parent is gone


def answer_of(step: Callable[[], Any]) -> bytes:
    """What a call returns or raises, pickled."""
    try:
        return pickle.dumps((step(), None, ""))
    except Exception as error:
        where = traceback.format_exc()
        try:
            answer = pickle.dumps((None, error, where))
            pickle.loads(answer)  # some errors can be pickled but not unpickled
            return answer
        except Exception:
            return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}"), where))


def _unpickle(message: bytes) -> Any:
    try:
        return pickle.loads(message)
    except (AttributeError, ImportError) as error:
        raise InputError(f"a worker process cannot import what it was given ({error}): define it in a module") from None
