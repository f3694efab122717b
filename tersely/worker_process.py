"""Stage 0: one worker process, both ends of its pipe: `WorkerProcess` here, `main` over there.

A worker is a fresh interpreter with one BLAS thread, started by hand and not by `multiprocessing`: it does not run the
caller's script again, and can be killed without harm to others. It unpickles the object that it shares, says that it is
ready, and then answers calls, one pickle each way, until its stdin ends: it never outlives who started it.
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
from typing import IO, Any

from tersely.errors import InputError, TerselyError
from tersely.threads import VARIABLES

_PROGRAM = "import sys; sys.path[:] = {path!r}; from tersely.worker_process import main; main()"
_SIZE = 8  # bytes that say how long a message is


class WorkerDied(Exception):
    """A worker that ended before it answered."""


class RemoteTraceback(Exception):
    """The cause of an error that was raised in a worker: where it was raised there."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


class WorkerProcess:
    """A worker as its owner sees it. `shared` is the pickle of what every call gets as its first argument."""

    def __init__(self, shared: bytes) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(VARIABLES, "1")},
            start_new_session=True,  # Ctrl-C is for the owner, who then ends its workers
        )
        self._greeting: bytes | None = None
        with contextlib.suppress(OSError):  # it has died already, as `wait_until_ready` will see
            self._send(shared)

    def wait_until_ready(self) -> None:
        """Wait until the worker has what it shares; raises what kept it from that."""
        if self._greeting is None:
            self._greeting = self._receive()
        result_of(self._greeting)

    def ask(self, call: bytes) -> Any:
        """The result of a pickled call, `(work, args, kwargs)`; raises what the call raised."""
        try:
            self._send(call)
        except OSError:
            raise WorkerDied from None
        return result_of(self._receive())

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> str:
        """End the worker if it has not ended yet; how it did."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was not sent yet cannot be sent any more
                    stream.close()
        code = self._process.wait()
        if code >= 0:
            return f"exit code {code}"
        return f"killed by {signal.Signals(-code).name}"

    def _send(self, message: bytes) -> None:
        assert self._process.stdin is not None
        _send(self._process.stdin, message)

    def _receive(self) -> bytes:
        assert self._process.stdout is not None
        message = _receive(self._process.stdout)
        if message is None:
            raise WorkerDied
        return message


def result_of(answer: bytes) -> Any:
    """What a call gave; what it raised is raised here, with the traceback from there as its cause.

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
    """The next message; None at the end of the stream, also where it ends inside a message."""
    size = stream.read(_SIZE)
    message = stream.read(int.from_bytes(size, "little")) if len(size) == _SIZE else b""
    return message if message and len(message) == int.from_bytes(size, "little") else None


def main() -> None:
    """The worker's side: calls in, answers out."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what somebody prints must not stand between the answers
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(stdin, calls), daemon=True).start()
    shared: Any = None

    def share() -> None:
        nonlocal shared
        shared = _read(calls.get())

    def call() -> Any:
        work, args, kwargs = _read(calls.get())
        return work(shared, *args, **kwargs)

    step: Callable[[], Any] = share
    while True:
        _send(stdout, answer_of(step))
        step = call


def _listen(stdin: IO[bytes], calls: queue.SimpleQueue[bytes]) -> None:
    while (message := _receive(stdin)) is not None:
        calls.put(message)
    os._exit(0)  # at once, in the middle of whatever it is: nobody waits for it any more


def answer_of(step: Callable[[], Any]) -> bytes:
    """What a call gives or raises, pickled."""
    try:
        return pickle.dumps((step(), None, ""))
    except Exception as error:
        where = traceback.format_exc()
        try:
            answer = pickle.dumps((None, error, where))
            pickle.loads(answer)  # many an error pickles and does not come back
            return answer
        except Exception:
            return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}"), where))


def _read(message: bytes) -> Any:
    try:
        return pickle.loads(message)
    except (AttributeError, ImportError) as error:
        raise InputError(
            f"a worker process cannot find what it was given ({error}): define it in a module that can be imported"
        ) from None
