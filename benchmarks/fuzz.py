"""Check the promises with drawn cases until the time is over: `make fuzz`, `SECONDS=3600 make fuzz`.

    python benchmarks/fuzz.py --seconds 60 --seed 1 [--bundle DIR]
    python benchmarks/fuzz.py --only NAME --case '{"text": ...}'      repeat a failure, as it was printed

A failure is made smaller, word by word, and printed as a command to paste. The exit code is 1 if there was a failure.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from fuzzing import CHECKS, fuzz
from tiny_bundle import write_tiny_bundle

from tersely import load


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--bundle", metavar="DIR", help="default: a tiny bundle with random weights, which is quick")
    parser.add_argument("--only", choices=CHECKS, metavar="NAME", help="run only this check, with --case")
    parser.add_argument("--case", type=json.loads, help="a case as a failure prints it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shorten = load(args.bundle or write_tiny_bundle(Path(folder) / "tiny"))
        if args.only:
            CHECKS[args.only](shorten, args.case)  # a failure shows its traceback
            return 0
        made, failures = fuzz(shorten, args.seed, args.seconds)
    for name, count in made.most_common():
        print(f"{count:>8,}  {name}")
    print(f"{made.total():>8,}  calls, {len(made)} properties, {len(failures)} failures, seed {args.seed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
