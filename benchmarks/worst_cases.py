"""The slowest calls that the library allows, with the work that they count and the seconds of one core.

    python benchmarks/worst_cases.py --input FILE [--bundle DIR] [--rows 1 2 3]

The lines of the file are joined to one text, of which the first words are taken. The chain has the objective `fast`,
the other searches the default one. Each row is printed when it is ready; --rows gives some of them. The output is in
docs/search.md.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import time
from typing import Any

from sentences import add_options, read_lines

from tersely.candidates.length import count_words
from tersely.errors import InputError
from tersely.search import search_named
from tersely.search.result import SearchResult
from tersely.summary.summarizer import Summarizer
from tersely.text.words import tokenize

# Words of the text, search, length, and other options.
CASES: list[tuple[int, str, dict[str, Any]]] = [
    (30, "lattice", {"words": 10}),
    (30, "hill_climbing", {"words": 10}),
    (60, "hill_climbing", {"words": 10}),
    (60, "annealing", {"words": 10}),
    (43, "exhaustive", {"words": 4}),
    (200, "lattice", {"words": 100}),
    (600, "lattice", {"words": (1, 599)}),
    (1000, "lattice", {"words": 3, "n_best": 2}),
    (1000, "lattice", {"words": 8}),
    (1000, "lattice", {"words": (1, 999)}),
    (1000, "lattice", {"chars": 2700}),
    (100, "chain", {"words": 40, "n_best": 50, "diverse": True}),
    (1000, "chain", {"words": 8}),
    (1000, "chain", {"words": (1, 999)}),
    (1000, "chain", {"chars": 2700, "n_best": 1000}),
    (1000, "chain", {"chars": 500, "n_best": 1000}),
    (1000, "chain", {"words": 500}),
    (1000, "chain", {"words": (1, 500), "prefer": ["names", "numbers"]}),
    (900, "chain", {"words": 8, "split": True}),
    (900, "lattice", {"words": 8, "split": True}),
    (60, "lattice", {"lengths": "all"}),
    (400, "lattice", {"lengths": "all"}),
    (200, "chain", {"lengths": "all"}),
]


def first_words(text: str, n: int) -> str:
    """The beginning of a text that has n words."""
    words = [token for token in tokenize(text) if not token.punctuation]
    found = text[: words[min(n, len(words)) - 1].end]
    assert count_words(tokenize(found)) == min(n, len(words))
    return found


def measure(
    summarizer: Summarizer, text: str, search: str, options: dict[str, Any]
) -> tuple[list[SearchResult], float]:
    """What the searches of a call have done, and the seconds of the whole call."""
    seen: list[SearchResult] = []
    options = dict(options)
    call = summarizer.lengths if options.pop("lengths", None) else summarizer

    def counted(*problem: Any) -> SearchResult:
        seen.append(search_named(search, options.get("n_best", 1))(*problem))
        return seen[-1]

    begin = time.process_time()
    call(text, search=counted, objective="fast" if search == "chain" else None, **options)
    return seen, time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, sentences=400)
    parser.add_argument("--rows", type=int, nargs="+", default=range(1, len(CASES) + 1), help="(default: all)")
    args = parser.parse_args()
    summarizer = Summarizer.load(args.bundle)
    text = " ".join(read_lines(args.input)[: args.sentences])
    for fast in (False, True):
        summarizer("A container ship ran aground", words=3, fast=fast)  # tables are unpacked once
    print("| words | search | asked for | candidates scored | work | bounded | seconds |")
    print("|---:|---|---|---:|---:|---|---:|")
    for n, search, options in (CASES[row - 1] for row in args.rows):
        shown = ", ".join(f"{name}={value}" for name, value in options.items())
        try:
            found, seconds = measure(summarizer, first_words(text, n), search, options)
        except InputError as error:
            print(f"| {n} | {search} | {shown} | {error} | | | |")
            continue
        bounded = "yes" if any(one.bounded for one in found) else ""
        counts = f"{sum(one.evaluations for one in found):,}", f"{sum(one.work for one in found):,.0f}"
        row = [str(n), search, shown, *counts, bounded, f"{seconds:.1f}"]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
