"""The speed of `tersely batch` with one and two workers and with Ray, and its memory by the number of rows.

    python benchmarks/batch.py [--input FILE] [--pretokenized] [--words 10] [--bundle DIR] [--rows 512] [--page]

Every setup is measured with the search and, if the bundle has an editor, with `--fast`. Rows a second come from the
difference of a large and a small run, so that the start of processes does not count; it is reported by itself. Memory,
and the time of the command itself for a row, are measured with a tiny bundle of random weights. `--page` writes the
figures into docs/scale.md, with the cost for millions of rows.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from sentences import ROOT, add_options, read_lines

sys.path.insert(0, str(ROOT / "tests"))
from tiny_bundle import write_tiny_bundle

from tersely.errors import TerselyError
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer

PAGE = ROOT / "docs" / "scale.md"
FAST_FACTOR = 20  # times as many rows for --fast
SETUPS = {
    "1 worker": ("--workers", "1"),
    "2 workers": ("--workers", "2"),
    "Ray, 2 workers": ("--engine", "ray", "--workers", "2"),
}
_MEASURED = """
import json, resource, sys, time
from tersely.cli import main
start = time.monotonic()
code = main(sys.argv[1:])
found = [time.monotonic() - start]
own, workers = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
with open("/proc/self/status") as status:  # ru_maxrss of a process knows of the one that started it
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
found += [own.ru_utime + own.ru_stime, peak / 1024]
found += [workers.ru_utime + workers.ru_stime, workers.ru_maxrss / 1024]
print(json.dumps(found))
raise SystemExit(code)
"""


class Run(NamedTuple):
    """Seconds, then processor time and peak memory in MB of the command itself and of its workers."""

    seconds: float
    own_time: float
    own_peak: float
    workers_time: float
    workers_peak: float


def run(folder: Path, texts: list[str], *options: str) -> Run:
    """One run of the command over these texts."""
    (folder / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    command = ["batch", str(folder / "in.jsonl"), str(folder / "out.jsonl"), "--restart", *options]
    environment = {**os.environ, "RAY_worker_niceness": "0"}
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, *command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Run(*json.loads(done.stdout))


def different(lines: list[str], rows: int) -> list[str]:
    """This many different texts, because equal ones are shortened once."""
    return [f"{lines[k % len(lines)]}{f' No. {k}' if k >= len(lines) else ''}" for k in range(rows)]


def rates(folder: Path, lines: list[str], rows: int, options: list[str]) -> dict[str, tuple[float, float]]:
    """For every setup, rows a second and the seconds to start, from the difference of a large and a small run."""
    few, found = max(8, rows // 8), {}
    for setup, arguments in SETUPS.items():
        small = run(folder, different(lines, few), *options, *arguments)
        large = run(folder, different(lines, rows), *options, *arguments)
        rate = (rows - few) / (large.seconds - small.seconds)
        found[setup] = (rate, max(0.0, small.seconds - few / rate))
        if "ray" not in arguments:
            times = [one.own_time + one.workers_time for one in (small, large)]
            found[f"{setup}, by processor time"] = ((rows - few) / (times[1] - times[0]), 0.0)
        for name in list(found)[-2 if "ray" not in arguments else -1 :]:
            start = f"; {found[name][1]:.1f} seconds to start" if found[name][1] else " and core"
            print(f"  {name}: {found[name][0]:.2f} rows a second{start}", flush=True)
    return found


def memory(folder: Path, bundle: Path, counts: tuple[int, ...]) -> dict[str, list[str]]:
    """Peak memory of the command and of the larger of two workers, by the number of rows, and the command's time."""
    words = "ship port storm talks plan minister president people authorities container".split()
    lines, times = ["| rows | command | worker |", "|---:|---:|---:|"], []
    for count in counts:
        texts = [" ".join([*(words[k // 10**d % 10] for d in range(6)), "ran aground"]) for k in range(count)]
        found = run(folder, texts, "--words", "2", "--workers", "2", "--bundle", str(bundle))
        lines.append(f"| {count:,} | {found.own_peak:.0f} MB | {found.workers_peak:.0f} MB |")
        times.append(found.own_time)
        print(f"  {count:,} rows: {found.own_peak:.1f} MB, worker {found.workers_peak:.1f} MB", flush=True)
    microseconds = 1e6 * (times[-1] - times[0]) / max(1, counts[-1] - counts[0])
    print(f"  {microseconds:.0f} microseconds of the command for a row")
    return {"memory": lines, "driver": [f"  It needs {microseconds:.0f} microseconds of processor time for a row."]}


def costs(name: str, rate: float) -> list[str]:
    """The cost of millions of rows at this many rows a second and core."""
    lines = []
    for label, rows in (("50 million", 5e7), ("10 billion", 1e10)):
        hours = rows / rate / 3600
        lines.append(f"| {label}, {name} | {hours:,.0f} | {hours / 64:,.1f} | {hours / 1000:,.1f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, sentences=10_000)
    parser.add_argument("--words", type=int, default=10)
    parser.add_argument("--rows", type=int, default=512, help="for the search, 20 times as many for --fast; 0: none")
    parser.add_argument("--memory", type=int, nargs="*", default=[20_000, 200_000], help="numbers of rows, or none")
    parser.add_argument("--page", action="store_true", help="write the figures into docs/scale.md")
    args = parser.parse_args()
    lines = [line for line in read_lines(args.input) if len(line.split()) > args.words][: args.sentences]
    options = ["--words", str(args.words), *(["--pretokenized"] if args.pretokenized else [])]
    options += ["--bundle", str(args.bundle)] if args.bundle else []
    modes = {"search": args.rows}
    try:
        Summarizer.load(args.bundle).check(Options.of(words=args.words, fast=True))
        modes["--fast"] = FAST_FACTOR * args.rows
    except TerselyError as error:
        print(f"without --fast: {error}")
    made = {"rates": [f"Load of the machine before the run: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.", ""]}
    table = ["| | rows | rows a second | seconds to start |", "|---|---:|---:|---:|"]
    cost = ["| | core hours | hours on 64 cores | hours on 1,000 cores |", "|---|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for mode, rows in modes.items() if args.rows else ():
            print(f"{mode}, {rows} rows:", flush=True)
            found = rates(folder, lines, rows, options + (["--fast"] if mode == "--fast" else []))
            table += [f"| {mode}, {setup} | {rows:,} | {r:.1f} | {s:.0f} |" for setup, (r, s) in found.items()]
            cost += costs(mode, found["1 worker, by processor time"][0])
        made = {"rates": [*made["rates"], *table], "needs": cost} if args.rows else {}
        bundle = write_tiny_bundle(folder / "tiny", objectives={"headline": {"position": 1.0}})  # costs almost nothing
        if args.memory:
            print("peak memory:", flush=True)
            made |= memory(folder, bundle, tuple(args.memory))
    if args.page:
        page = PAGE.read_text(encoding="utf-8")
        for key, lines in made.items():
            head, start, rest = page.partition(f"<!-- {key}: made by benchmarks/batch.py --page -->\n")
            page = head + start + "\n".join(lines) + "\n" + rest[rest.index(f"<!-- end of {key} -->") :]
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
