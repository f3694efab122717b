"""What a limit of characters costs and how well it is used, on the same sentences as a number of words.

    python benchmarks/lengths.py --input FILE [--sentences 500] [--chars 60] [--words 10] [--out FILE]
    python benchmarks/lengths.py --input FILE --references FILE --weights 0 5 10 20 --pretokenized

The second form is how the weight of the factor `use` was tuned: ROUGE F1 and use of the limit for each weight.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sentences import add_options, read_lines

from tersely.evaluation.rouge import Rouge
from tersely.measure import count_chars
from tersely.progress import progress
from tersely.scoring import use
from tersely.summarizer import Summarizer


def measure(summarizer: Summarizer, lines: list[str], label: str, **options: object) -> dict[str, object]:
    """Texts, characters and seconds of the summaries of all lines."""
    texts, seconds = [], []
    for line in progress(lines, label, len(lines)):
        begin = time.perf_counter()
        texts.append(summarizer(line, **options).text)
        seconds.append(time.perf_counter() - begin)
    return {"texts": texts, "chars": np.array([count_chars(text) for text in texts]), "seconds": float(np.sum(seconds))}


def tune(summarizer: Summarizer, lines: list[str], references: list[str], args: argparse.Namespace) -> None:
    """Print ROUGE F1 and use of the limit for each weight."""
    rouge = Rouge()
    print(f"{'weight':>8}{'use':>8}{'words':>8}{'R-1':>8}{'R-2':>8}{'R-L':>8}")
    for weight in args.weights:
        use.WEIGHT = weight
        run = measure(summarizer, lines, f"{weight:g}", chars=args.chars, pretokenized=args.pretokenized)
        texts = run["texts"]
        scores = [rouge.score(text, [reference]) for text, reference in zip(texts, references, strict=True)]
        means = [100 * np.mean([score[name].f1 for score in scores]) for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")]
        words = np.mean([len(text.split()) for text in texts])
        cells = "".join(f"{mean:8.2f}" for mean in means)
        print(f"{weight:8g}{np.mean(run['chars']) / args.chars:8.1%}{words:8.2f}{cells}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, sentences=500)
    parser.add_argument("--chars", type=int, default=60)
    parser.add_argument("--words", type=int, default=10)
    parser.add_argument("--references", type=Path, help="one reference a line")
    parser.add_argument("--weights", type=float, nargs="+", default=[use.WEIGHT], help="of the factor use")
    parser.add_argument("--out", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    summarizer = Summarizer.load(args.bundle)
    lines = read_lines(args.input)[: args.sentences]
    if args.references:
        tune(summarizer, lines, read_lines(args.references)[: len(lines)], args)
        return
    lines = [line for line in lines if count_chars(line) > args.chars]  # a shorter one comes back whole
    summarizer(lines[0], words=args.words)  # what is loaded at the first call is not timed
    words = measure(summarizer, lines, "words", words=args.words, pretokenized=args.pretokenized)
    chars = measure(summarizer, lines, "characters", chars=args.chars, pretokenized=args.pretokenized)
    report = {
        "bundle": summarizer.bundle.signature,
        "sentences": len(lines),
        "chars": args.chars,
        "mean_use": float(np.mean(chars["chars"]) / args.chars),
        "over": int((chars["chars"] > args.chars).sum()),
        "seconds_chars": chars["seconds"] / len(lines),
        "seconds_words": words["seconds"] / len(lines),
        "ratio": chars["seconds"] / words["seconds"],
    }
    print(
        "{sentences} sentences at {chars} characters: mean use {mean_use:.1%}, {over} over; "
        "{seconds_chars:.3f} s each, {ratio:.2f} times {seconds_words:.3f} s".format(**report),
        f"of {args.words} words",
    )
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
