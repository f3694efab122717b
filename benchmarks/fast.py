"""The fast path against the search: sentences per second, agreement, memory, long texts, and the start of the program.

    python benchmarks/fast.py [--input FILE] [--sentences 200] [--words 10] [--baseline FOLDER] [--figure FILE]

One thread, all ways in turn on the same sentences, a few at a time: a machine's speed changes, the ratios hold. With
`--baseline`, a checkout of another version, its default search is timed as well.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sentences import ROOT, add_options, read_lines

from tersely.summarizer import Summarizer

_TIMES = """
import sys, time, json
from tersely.summarizer import Summarizer
asked = json.load(sys.stdin)
shorten = Summarizer.load(asked["bundle"])
for line in asked["warm"]:
    shorten(line, **asked["options"])
lines = asked["lines"] * asked["rounds"]
begin = time.process_time()
for line in lines:
    shorten(line, **asked["options"])
print((time.process_time() - begin) / len(lines))
"""
_AT_A_TIME = 25  # sentences that one way shortens before it is the turn of the next
_WARM = 10  # others that it shortens before the clock starts
_FAST_ROUNDS = 4  # the fast path shortens them so often, or its turn would be over in a quarter of a second
_LONG = (25, 50, 100, 200, 400, 1000)  # words
_TEXT = "A container ship ran aground early on Tuesday, but the harbour authority said there were no casualties."


def seconds(package: Path, bundle: Path | None, warm: list[str], lines: list[str], options: dict[str, object]) -> float:
    """What a summary costs on average, warm, in a process of its own with this version of the package."""
    folder, rounds = None if bundle is None else str(bundle.resolve()), _FAST_ROUNDS if "fast" in options else 1
    asked = json.dumps({"bundle": folder, "warm": warm, "lines": lines, "rounds": rounds, "options": options})
    run = [sys.executable, "-c", _TIMES]
    done = subprocess.run(run, input=asked, cwd=package, capture_output=True, text=True, check=True)
    return float(done.stdout)


def agreement(shorten: Summarizer, lines: list[str], options: dict[str, object]) -> tuple[float, float]:
    """In how many sentences both ways choose the same words, and which share of them is the same."""
    pairs = [(set(shorten(line, **options).kept), set(shorten(line, **options, fast=True).kept)) for line in lines]
    return float(np.mean([a == b for a, b in pairs])), float(np.mean([len(a & b) / len(a) for a, b in pairs]))


def start(package: Path, *arguments: str) -> float:
    """The processor time of a program from its start to its end: the least of five, with the bytecode of the first."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def once(cache: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run, cached = [sys.executable, *arguments], {**environment, "PYTHONPYCACHEPREFIX": cache}
        subprocess.run(run, cwd=package, env=cached, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    with tempfile.TemporaryDirectory() as cache:
        return min(once(cache) for _ in range(5))


def cost_by_length(shorten: Summarizer, lines: list[str], *, pretokenized: bool) -> Iterator[tuple[int, list[float]]]:
    """The seconds that a text of n words takes to be cut in half, by the search and by the fast path, for several n."""
    words = [token for token in " ".join(lines).split() if token.isalpha()]
    for n in _LONG:
        text, took = " ".join(words[:n]), []
        for fast in (False, True):
            begin = time.process_time()
            shorten(text, words=n // 2, pretokenized=pretokenized, fast=fast)
            took.append(time.process_time() - begin)
        print(f"{n} words to {n // 2}: {took[0]:.2f} seconds by the search, {took[1]:.3f} fast", flush=True)
        yield n, took


def draw(costs: dict[int, list[float]], path: Path) -> None:
    """A figure of the cost by length, both axes in logarithms."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.add_subplot()
    for name, which in (("search", 0), ("fast", 1)):
        axes.loglog(list(costs), [took[which] for took in costs.values()], marker="o", label=name)
    axes.set(xlabel="words of the text, cut in half", ylabel="seconds", xticks=list(costs), xticklabels=list(costs))
    axes.minorticks_off()
    axes.legend()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, sentences=200)
    parser.add_argument("--words", type=int, default=10)
    parser.add_argument("--baseline", type=Path, help="a checkout of another version")
    parser.add_argument("--figure", type=Path, help="draw the cost by length into this .svg file")
    args = parser.parse_args()
    lines = [line for line in read_lines(args.input) if len(line.split()) > args.words][: args.sentences]
    options: dict[str, object] = {"words": args.words, "pretokenized": args.pretokenized}
    ways = {"fast": (ROOT, args.bundle, {**options, "fast": True}), "search": (ROOT, args.bundle, options)}
    if args.baseline:
        ways["search of the baseline"] = (args.baseline, None, options)
    took = dict.fromkeys(ways, 0.0)
    for begin in range(0, len(lines), _AT_A_TIME):
        part, warm = lines[begin : begin + _AT_A_TIME], lines[:begin][-_WARM:] or lines[-_WARM:]
        for name, (package, bundle, asked) in ways.items():
            took[name] += len(part) * seconds(package, bundle, warm, part, asked) / len(lines)
    for name, each in took.items():
        print(f"{name}: {1000 * each:.2f} ms a sentence, fast takes 1/{each / took['fast']:.1f} of it", flush=True)
    shorten = Summarizer.load(args.bundle)
    for line in lines:
        shorten(line, **options, fast=True)
    print(f"peak memory of fast: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    costs = dict(cost_by_length(shorten, lines, pretokenized=args.pretokenized))
    if args.figure:
        draw(costs, args.figure)
    alone, program = start(ROOT, "-c", "import numpy"), start(ROOT, "-m", "tersely", "--fast", "--words", "8", _TEXT)
    print(f"program with --fast: {program:.3f} seconds, {program / alone:.2f} times `import numpy`")
    same, shared = agreement(shorten, lines[:50], options)
    print(f"the same words as the search in {same:.0%} of 50 sentences, {shared:.0%} of the words")


if __name__ == "__main__":
    main()
