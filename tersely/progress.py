"""Progress of long work, on stderr, only where a person looks at it (a terminal) and only once it takes long."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 2.0  # seconds before anything is shown: short work stays silent
INTERVAL = 0.2  # seconds between two updates


def progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """The items as they are, with a line of progress on stderr when it is a terminal and the work is long."""
    if not sys.stderr.isatty():
        yield from items
        return
    begin = shown = time.monotonic()
    count, drawn = 0, False
    try:
        for item in items:
            yield item
            count += 1
            now = time.monotonic()
            if now - begin > PATIENCE and now - shown > INTERVAL:
                shown, drawn = now, True
                _draw(label, count, total, now - begin)
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _draw(label: str, count: int, total: int | None, seconds: float) -> None:
    line = f"{label} {count:,}" if total is None else f"{label} {count:,} of {total:,}"
    line += f", {count / seconds:.1f} a second"
    if total is not None:
        left = int(seconds / count * (total - count))
        line += f", {left // 60}:{left % 60:02} left"
    sys.stderr.write(f"\r{line}\x1b[K")
    sys.stderr.flush()
