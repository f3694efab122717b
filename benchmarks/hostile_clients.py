"""The service beside hostile clients: `python benchmarks/hostile_clients.py`.

While many requests come at once, a tenth of them invalid, some clients never read what they asked for, some send a byte
a second, and one asks for /healthz again and again. All ends with the requests. The program fails if a response is
wrong, if a status is 5xx other than the 503 of a full queue, if /healthz is slow, or if memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from sentences import add_options, read_lines
from service import LoadReport, good_requests, load, served

from tersely.summary.summarizer import Summarizer, default_bundle

HEAD = "POST /v1/summarize HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n"
ADDRESSES = ("127.0.0.2", "127.0.0.3")  # of the hostile clients; on loopback all of 127.0.0.0/8 is this machine


async def connect(address: str, number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    url, source = urlsplit(address), ADDRESSES[number % len(ADDRESSES)]
    return await asyncio.open_connection(url.hostname, url.port, local_addr=(source, 0), limit=1)


async def never_read(address: str, number: int, body: bytes) -> None:
    """Send requests on one connection and read no response, until it is cut; then again."""
    while True:
        with suppress(OSError):
            _, writer = await connect(address, number)
            while True:
                writer.write(HEAD.format(len(body)).encode() + body)
                await writer.drain()
                await asyncio.sleep(5)


async def send_slowly(address: str, number: int, body: bytes) -> None:
    """Send a byte a second, of the head or of the body, until the connection is cut; then again."""
    while True:
        with suppress(OSError):
            _, writer = await connect(address, number)
            head = HEAD.format(len(body)).encode()
            if number % 2:
                writer.write(head)
            for byte in body if number % 2 else head:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(1)


async def ask_health(address: str, seconds: list[float]) -> None:
    """Note how long /healthz takes, on a kept connection."""
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        while True:
            begin = time.perf_counter()
            reply = await client.get("/healthz")
            seconds.append(time.perf_counter() - begin)
            assert reply.status_code == 200, reply.text
            await asyncio.sleep(0.02)


async def run(
    pid: int, address: str, good: list[tuple[bytes, list[str]]], n: int, at_once: int, hostile: int
) -> tuple[LoadReport, list[float]]:
    """The report of the load beside `hostile` clients of each kind, and the seconds of each /healthz."""
    text = " ".join(["the ship ran aground on tuesday and the minister said there were no casualties"] * 4)
    big = json.dumps({"text": text, "ratio": 0.5, "n_best": 60, "fast": True}).encode()
    health: list[float] = []
    beside = [asyncio.ensure_future(ask_health(address, health))]
    for number in range(hostile):
        beside += map(asyncio.ensure_future, (never_read(address, number, big), send_slowly(address, number, big)))
    try:
        report = await load(pid, address, good, n, at_once)
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
    return report, health


def failures(report: LoadReport, health: list[float]) -> list[str]:
    """What does not hold."""
    found = report.wrong[:5] + [
        f"status {status}" for status in report.statuses if status > 503 or status in (500, 502)
    ]
    slow = statistics.quantiles(health, n=100)[98]
    return (
        found
        + ([f"/healthz took {slow:.3f} s"] if slow > 0.1 else [])
        + ([f"memory grew {report.growth:.2f} times"] if report.growth > 1.2 else [])
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, 6)
    parser.add_argument("--requests", type=int, default=2_000, help="(default: %(default)s)")
    parser.add_argument("--at-once", type=int, default=50, help="(default: %(default)s)")
    parser.add_argument("--hostile", type=int, default=10, help="clients of each kind (default: %(default)s)")
    parser.add_argument("--workers", default="2", help="(default: %(default)s)")
    parser.add_argument("--fast", action="store_true", help="requests with fast")
    args = parser.parse_args()
    bundle: Path = args.bundle or default_bundle()
    good = good_requests(Summarizer.load(bundle), read_lines(args.input)[: args.sentences], fast=args.fast)
    with served(bundle, "--workers", args.workers) as (process, address):
        report, health = asyncio.run(run(process.pid, address, good, args.requests, args.at_once, args.hostile))
    cuts = statistics.quantiles(health, n=100)
    print(f"load     {args.requests:,} requests, {args.at_once} at once, in {report.seconds:.0f} s")
    print(f"         by status: {dict(sorted(report.statuses.items()))}; wrong responses: {len(report.wrong)}")
    print(f"healthz  {len(health):,} times: median {1e3 * cuts[49]:.1f} ms, 99th percentile {1e3 * cuts[98]:.1f} ms")
    memory = ", ".join(f"{kilobytes / 1024:.0f}" for kilobytes in report.memory)
    print(f"memory   {memory} MB after each tenth")
    if found := failures(report, health):
        raise SystemExit("\n".join(["failed:", *found]))


if __name__ == "__main__":
    main()
