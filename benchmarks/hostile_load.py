"""The service beside hostile clients: `python benchmarks/hostile_load.py`.

While many requests come at once, a tenth of them invalid, some clients never read what they asked for, some send a byte
a second, and one asks for /healthz again and again. All ends with the requests. The program fails if a response is
wrong, if a status is 5xx other than the 503 of a full queue, if /healthz is slow, or if memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from pathlib import Path

from sentences import ROOT, add_options, read_lines

sys.path.insert(0, str(ROOT / "tests"))

from hostile_clients import run
from service_load import LoadReport, good_requests, served

from tersely.summary.summarizer import Summarizer, default_bundle


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
