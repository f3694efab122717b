"""Progress is for people at a terminal, and only where they have to wait."""

from __future__ import annotations

import io
import sys

import pytest

import tersely.system.progress
from tersely.system.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "patience"), [(io.StringIO, -1.0), (Terminal, 2.0)])
def test_silent_where_nobody_looks_and_while_it_is_quick(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], patience: float
) -> None:
    monkeypatch.setattr(sys, "stderr", stream())
    monkeypatch.setattr(tersely.system.progress, "PATIENCE", patience)
    assert list(progress([1, 2], "done", 2)) == [1, 2]
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize(("total", "shown"), [(3, "done 2 of 3, "), (None, "done 2, ")])
def test_a_line_that_is_wiped_at_the_end(monkeypatch: pytest.MonkeyPatch, total: int | None, shown: str) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(tersely.system.progress, "PATIENCE", -1)
    monkeypatch.setattr(tersely.system.progress, "INTERVAL", -1)
    assert list(progress("abc", "done", total)) == ["a", "b", "c"]
    assert shown in stderr.getvalue()
    assert stderr.getvalue().endswith("\r\x1b[K")
    assert "\n" not in stderr.getvalue()
