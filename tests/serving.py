"""Servers for tests: an application in a thread of this process, or the command in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tersely.web.server import address_of, bind, make_server


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of an application that is served as long as the block lasts."""
    with bind("127.0.0.1", 0) as bound:
        server = make_server(app, grace=5)
        thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.02)
        try:
            yield address_of(bound).removesuffix("/")
        finally:
            server.should_exit = True
            thread.join(timeout=20)


@contextmanager
def command(bundle: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`tersely serve` in a process of its own, and its address."""
    program = [sys.executable, "-m", "tersely", "serve", "--port", "0", "--bundle", str(bundle), *options]
    process = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+:\d+", line)
        assert found is not None, line + process.stderr.read()
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The processes that a server has started."""
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]
