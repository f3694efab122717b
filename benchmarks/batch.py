"""Seconds per sentence of `Summarizer.batch` when 1, 2, 4, 8 or 16 texts are searched together.

    OPENBLAS_NUM_THREADS=1 python benchmarks/batch.py [--input FILE] [--sentences 16] [--words 8 10] [--search lattice]

Without OPENBLAS_NUM_THREADS the matrix products use all cores. The machine's speed varies, so the settings take turns
in one process and the median of the rounds counts. "cpu" is the processor's time, which other programs disturb less.
The last columns count summaries, and scores, that are not those of one text at a time: the last bits of a product
depend on how many rows it has.
"""

from __future__ import annotations

import argparse
import os
import resource
import time

import numpy as np
from sentences import add_options, read_lines

from tersely.progress import progress
from tersely.search import DEFAULT_SEARCH, SEARCHES
from tersely.summarizer import Summarizer, Summary


def timed(
    summarizer: Summarizer, lines: list[str], together: int, **options: object
) -> tuple[list[Summary], float, float]:
    """The summaries, and the seconds of a sentence by the clock and of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    summaries = list(summarizer.batch(lines, together=together, **options))
    return summaries, (time.perf_counter() - wall) / len(lines), (time.process_time() - cpu) / len(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, sentences=16)
    parser.add_argument("--words", type=int, nargs="+", default=[8, 10])
    parser.add_argument("--search", default=DEFAULT_SEARCH, choices=sorted(SEARCHES))
    parser.add_argument("--together", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--rounds", type=int, default=5, help="of which the median counts (default: %(default)s)")
    args = parser.parse_args()
    lines = read_lines(args.input)[: args.sentences]
    summarizer = Summarizer.load(args.bundle)
    summarizer(lines[0], words=2)  # opens the models
    for words in args.words:
        options = {"words": words, "search": args.search, "pretokenized": args.pretokenized}
        alone, _, _ = timed(summarizer, lines, 1, **options)
        seconds: dict[int, list[tuple[float, float]]] = {together: [] for together in args.together}
        changed = {}
        turns = [together for _ in range(args.rounds) for together in args.together]
        for together in progress(turns, f"{args.search}, {words} words", len(turns)):
            found, *times = timed(summarizer, lines, together, **options)
            seconds[together].append((times[0], times[1]))
            pairs = list(zip(found, alone, strict=True))
            changed[together] = sum(a.text != b.text for a, b in pairs), sum(a.score != b.score for a, b in pairs)
        threads = os.environ.get("OPENBLAS_NUM_THREADS", "all")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{args.search}, {words} words, {len(lines)} sentences, {threads} BLAS threads, {memory:.0f} MB")
        print(f"{'together':>8}{'seconds':>10}{'cpu':>10}{'x alone':>10}{'x cpu':>10}{'summaries':>11}{'scores':>8}")
        medians = {together: np.median(times, axis=0) for together, times in seconds.items()}
        first = medians[args.together[0]]
        for together, median in medians.items():
            cells = [*median, *(first / median)]
            print(f"{together:>8}{''.join(f'{cell:>10.3f}' for cell in cells)}", end="")
            print(f"{changed[together][0]:>11}{changed[together][1]:>8}", flush=True)


if __name__ == "__main__":
    main()
