"""A service in a process of its own under load: many requests at once, some invalid, and clients that are hostile.

The tests of the service and two benchmarks use it. Every summary is compared with the library's. An error response must
have the expected status, or be the 503 of a full queue. Memory is that of the server and its workers.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tersely.summary.summarizer import Summarizer

BAD: list[tuple[bytes, int]] = [
    (b"{", 400),
    (b"\xff", 400),
    (b"[" * 5_000, 400),
    (b"{}", 422),
    (b'{"text": "a ship ran aground"}', 422),
    (b'{"text": "a ship ran aground", "words": 0}', 422),
    (b'{"text": "a ship ran aground", "words": 2, "search": "luck"}', 422),
    (b'{"text": "a ship ran aground", "words": 2, "keep": ["Paris"]}', 422),
    (b'{"text": "...", "words": 2}', 422),
    (b'{"text": "a \\ud800 b", "words": 1}', 422),
    (json.dumps({"text": "x" * 20_000, "words": 2}).encode(), 413),
]
JSON = {"content-type": "application/json"}


@dataclass
class LoadReport:
    """The results of a load test."""

    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # kB
    seconds: float = 0.0

    @property
    def growth(self) -> float:
        return self.memory[-1] / self.memory[0]


@contextmanager
def served(
    bundle: Path, *options: str, log: Path | None = None, files: int | None = None
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and the address of a ready server on a free port; its log may go to a file."""
    program = [sys.executable, "-m", "tersely", "serve", "--port", "0", "--bundle", str(bundle), *options]
    if files is not None:
        program = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *program]
    with tempfile.TemporaryDirectory() as folder, open(log or Path(folder) / "log", "w+") as errors:
        process = subprocess.Popen(program, stderr=errors, text=True)
        try:
            while not (found := re.search(r"http://\S+:\d+", Path(errors.name).read_text())):
                assert process.poll() is None, Path(errors.name).read_text()
                time.sleep(0.02)
            while httpx.get(f"{found[0]}/readyz").status_code != 200:
                time.sleep(0.05)
            yield process, found[0]
        finally:
            process.kill()
            process.wait()


def workers_of(pid: int) -> list[int]:
    """The child processes of a process."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in children for child in _text_of(task).split()]


def _text_of(path: Path) -> str:
    """What a file of /proc says; nothing if its thread or process has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return path.read_text()
    return ""


def memory_of(pid: int) -> int:
    """The kilobytes of a server and its workers; shared pages count once."""
    found = 0
    for one in [pid, *workers_of(pid)]:
        match = re.search(r"^Pss:\s+(\d+) kB", _text_of(Path(f"/proc/{one}/smaps_rollup")), re.MULTILINE)
        found += int(match[1]) if match else 0
    return found


def good_requests(shorten: Summarizer, texts: list[str], *, fast: bool = False) -> list[tuple[bytes, list[str]]]:
    """Requests, each with the library's summaries."""
    found = []
    several: list[dict[str, Any]] = [{"words": 4}, {"words": 6}, {"chars": 30}]
    several = [{**one, "fast": True} for one in several] if fast else [*several, {"ratio": 0.2, "objective": "paper"}]
    for text in texts:
        for options in several:
            shortened = [text, texts[0]] if options.get("words") == 6 else [text]
            body = {"text": shortened if len(shortened) > 1 else text, **options}
            found.append((json.dumps(body).encode(), [shorten(one, **options).text for one in shortened]))
    return found


async def load(pid: int, address: str, good: list[tuple[bytes, list[str]]], n: int, at_once: int) -> LoadReport:
    """Send `n` requests, a tenth of them invalid, and check every response. Memory is read after each tenth."""
    rng, report, begin = random.Random(0), LoadReport(), time.perf_counter()
    turn = asyncio.Semaphore(at_once)
    done = 0

    async def one(number: int) -> None:
        nonlocal done
        body, expected = rng.choice(good) if number % 10 else (rng.choice(BAD)[0], None)
        async with turn:
            reply = await client.post("/v1/summarize", content=body, headers=JSON)
        report.statuses[reply.status_code] += 1
        if reply.status_code == 503 and reply.json()["error"]["code"] == "busy":
            pass
        elif expected is None:
            if reply.status_code != dict(BAD)[body] or reply.json()["error"].keys() != {"code", "message", "field"}:
                report.wrong.append(f"{body[:60]!r} gave {reply.status_code}")
        elif reply.status_code != 200:
            report.wrong.append(reply.text)
        elif [summary["text"] for summary in reply.json()["summaries"]] != expected:
            report.wrong.append(f"{body!r} gave {reply.text}, not {expected}")
        done += 1
        if done % max(1, n // 10) == 0:
            report.memory.append(await asyncio.to_thread(memory_of, pid))

    limits = httpx.Limits(max_connections=at_once)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        await asyncio.gather(*(one(number) for number in range(n)))
    report.seconds = time.perf_counter() - begin
    return report
