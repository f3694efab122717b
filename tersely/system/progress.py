"""Progress of long work on stderr: on a terminal, if it takes some seconds; in a log, a line every half minute."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 2.0  # seconds before anything is shown: short work stays silent
INTERVAL = 0.2  # seconds between two updates
LOG_INTERVAL = 30.0  # the same in a log


def progress(
    items: Iterable[T],
    label: str,
    total: int | None = None,
    *,
    size: Callable[[T], int] = lambda item: 1,
    done: int = 0,
    log: bool = False,
) -> Iterator[T]:
    """The items, with a line of progress on stderr if it is a terminal and the work is long.

    An item counts as its `size`, and `done` of the `total` were done before. With `log` there is also a line every
    30 seconds if stderr is not a terminal.
    """
    terminal = sys.stderr.isatty()
    if not terminal and not log:
        yield from items
        return
    patience, interval = (PATIENCE, INTERVAL) if terminal else (LOG_INTERVAL, LOG_INTERVAL)
    start = shown = time.monotonic()
    count, drawn = 0, False
    try:
        for item in items:
            count += size(item)  # before the caller gets it and may change it
            yield item
            now = time.monotonic()
            if now - start > patience and now - shown > interval:
                shown, drawn = now, terminal
                line = _line(label, count, done, total, now - start)
                sys.stderr.write(f"\r{line}\x1b[K" if terminal else f"{line}\n")
                sys.stderr.flush()
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def supports_color(stream: object) -> bool:
    """Whether a stream is a terminal that may be written to in colour or bold (https://no-color.org)."""
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return bool(is_terminal) and not os.environ.get("NO_COLOR")


def _line(label: str, count: int, done: int, total: int | None, seconds: float) -> str:
    """A line of progress.

    >>> _line("summarised", 30, 10, 100, 60.0)
    'summarised 40 of 100, 0.5 a second, 2:00 left'
    """
    line = f"{label} {done + count:,}" if total is None else f"{label} {done + count:,} of {total:,}"
    line += f", {count / seconds:.1f} a second"
    if total is not None and count:
        line += f", {clock(seconds / count * max(0, total - done - count))} left"
    return line


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds, or hours, minutes and seconds.

    >>> clock(7), clock(125), clock(7384)
    ('0:07', '2:05', '2:03:04')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
