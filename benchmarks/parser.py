"""The parser: its size, its time, and how far it agrees with trees.

    python benchmarks/parser.py [--bundle FOLDER] [--gold FILE.conllu.xz] [--silver FILE.conllu.xz...]

Agreement is the share of words, punctuation left out, with the right head, and with the right head and coarse label,
cased and lower-cased, on the tokens of the treebank. `--silver` is for trees that the parser was not trained on. The
machine's speed varies: the time of a parse is also given as a share of a summary of eight words.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import itertools
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tersely.summary.summarizer import Summarizer
from tersely.text.words import tokenize
from tersely.training.treebank import read_trees, tree_agreement

THIRTY_WORDS = (
    "The harbour authority said on Monday that it would not appeal against the decision of a court, which had fined it "
    "two million euros for letting a damaged tanker sail."
)
MOST_MEGABYTES, MOST_MILLISECONDS = 8.0, 10.0


def milliseconds(run: Callable[[], object], rounds: int) -> float:
    """The median time of the processor, after a first run that opens everything."""
    run()
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return 1e3 * float(np.median(times))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bundle", type=Path, help="whose parser it is (default: the one that ships)")
    options.add_argument("--gold", type=Path)
    options.add_argument("--silver", type=Path, nargs="+", default=[])
    options.add_argument("--sentences", type=int, default=1_000, help="at most, of each set (default: %(default)s)")
    options.add_argument("--rounds", type=int, default=50)
    args = options.parse_args()
    summarizer = Summarizer.load(args.bundle)
    parser = summarizer.bundle.parser
    if parser is None:
        options.error(f"{summarizer.bundle.folder} has no parser")

    size = sum(tensor.nbytes for name, tensor in summarizer.bundle.tensors.items() if name.startswith("parser.")) / 1e6
    print(f"size: {size:.2f} MB (at most {MOST_MEGABYTES:.0f})")
    words = tokenize(THIRTY_WORDS)
    parse = milliseconds(lambda: parser.parse(words), args.rounds)
    summary = milliseconds(lambda: summarizer(THIRTY_WORDS, words=8), 5)
    n_words = sum(not word.punctuation for word in words)
    print(f"{n_words} words: {parse:.1f} ms (at most {MOST_MILLISECONDS:.0f}), {parse / summary:.3f} of a summary")
    for name, paths in (("gold", [args.gold] if args.gold else []), ("silver", args.silver)):
        trees = itertools.chain.from_iterable(map(read_trees, paths))
        sentences = list(itertools.islice(trees, args.sentences))
        for case in (str, str.lower) if sentences else ():
            found = tree_agreement(parser, sentences, case)
            shares = f"{100 * found['heads']:.2f} % of heads, {100 * found['labels']:.2f} % with labels"
            print(f"{name}, {'cased' if case is str else 'lower-cased'}: {shares}, {len(sentences):,} sentences")


if __name__ == "__main__":
    main()
