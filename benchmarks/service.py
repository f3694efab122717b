"""The service under load, and the time of the slider of its page: `python benchmarks/service.py`.

The load is that of tests/service_load.py.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import asyncio
import statistics
import sys
import time
from typing import Any

import httpx
from sentences import ROOT, add_options, read_lines

sys.path.insert(0, str(ROOT / "tests"))

from service_load import good_requests, load, served

from tersely.summary.summarizer import Summarizer, default_bundle

SLIDER = (
    "A container ship carrying 4,200 tonnes of grain ran aground at the entrance to the port of Rotterdam early on "
    "Tuesday, but the harbour authority said there were no casualties."
)


def time_health(address: str, times: int) -> float:
    """Median seconds for /healthz on a kept connection."""
    seconds = []
    with httpx.Client(base_url=address, timeout=120) as client:
        for _ in range(times):
            begin = time.perf_counter()
            client.get("/healthz")
            seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def time_slider(address: str, times: int) -> tuple[float, float, float]:
    """Median seconds for one summary, for the first line of all lengths, and for all of them."""
    single, first, every = [], [], []
    with httpx.Client(base_url=address, timeout=120) as client:
        for _ in range(times):
            begin = time.perf_counter()
            client.post("/v1/summarize", json={"text": SLIDER, "words": 8})
            single.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            body: dict[str, Any] = {"text": SLIDER, "first": {"words": 8}}
            with client.stream("POST", "/v1/lengths", json=body, headers={"accept": "application/x-ndjson"}) as reply:
                lines = reply.iter_lines()
                next(lines)
                first.append(time.perf_counter() - begin)
                next(lines)
                every.append(time.perf_counter() - begin)
    return statistics.median(single), statistics.median(first), statistics.median(every)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, 6)
    parser.add_argument("--requests", type=int, default=2_000, help="(default: %(default)s)")
    parser.add_argument("--at-once", type=int, default=50, help="(default: %(default)s)")
    parser.add_argument("--workers", default="2", help="(default: %(default)s)")
    args = parser.parse_args()
    bundle = args.bundle or default_bundle()
    good = good_requests(Summarizer.load(bundle), read_lines(args.input)[: args.sentences])
    with served(bundle, "--workers", args.workers) as (process, address):
        health = time_health(address, 50)
        single, first, every = time_slider(address, 9)
        report = asyncio.run(load(process.pid, address, good, args.requests, args.at_once))
    print(f"healthz  {1e3 * health:.1f} ms on a kept connection")
    print(f"slider   one summary {single:.3f} s, first line of all lengths {first:.3f} s, all lengths {every:.3f} s")
    print(f"         the first line takes {first / single:.2f} times as long as one summary")
    print(f"load     {args.requests:,} requests, {args.at_once} at once, in {report.seconds:.0f} s")
    print(f"         by status: {dict(sorted(report.statuses.items()))}; wrong responses: {len(report.wrong)}")
    for line in report.wrong[:5]:
        print(f"         {line[:300]}")
    memory = f"{report.memory[0] / 1024:.0f} MB after a tenth, {report.memory[-1] / 1024:.0f} MB at the end"
    print(f"memory   {memory}, {report.growth:.3f} times")


if __name__ == "__main__":
    main()
