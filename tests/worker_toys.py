"""Work for worker processes, in a module that they can import. What they share is a number."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from threadpoolctl import threadpool_info


class Shared:
    """Something that leaves a line in a file each time a worker unpickles it."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def __setstate__(self, state: dict[str, Path]) -> None:
        vars(self).update(state)
        with self.log.open("a") as stream:
            stream.write(f"{os.getpid()}\n")


class OnDisk:
    """Something that comes back from its pickle only while its file exists."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __setstate__(self, state: dict[str, Path]) -> None:
        vars(self).update(state)
        self.file.read_text()


class Broken:
    """Something that does not come back from its pickle."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return int, ("not a number",)


class OddError(Exception):
    """An error that pickles and does not come back."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def add(shared: int, number: int) -> int:
    return shared + number


def wait(shared: object, seconds: float) -> str:
    time.sleep(seconds)
    return "done"


def whoami(shared: object) -> int:
    return os.getpid()


def divide(shared: int, number: int) -> float:
    return shared / number


def raise_odd_error(shared: object) -> None:
    raise OddError("one", "two")


def write_and_print(shared: object) -> str:
    print("this goes to stderr", flush=True)
    os.write(1, b"and this\n")
    return "whole"


def threads(shared: object) -> list[int]:
    import numpy as np  # loads BLAS

    np.ones((2, 2)) @ np.ones((2, 2))
    return [library["num_threads"] for library in threadpool_info()]


def die(shared: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def whoami_of(shared: object, item: int) -> int:
    time.sleep(0.02)
    return os.getpid()


def slowly(shared: object, item: int) -> int:
    time.sleep(0.1)
    return item
