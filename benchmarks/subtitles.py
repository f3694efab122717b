"""What `tersely srt` costs: seconds of one core and memory, for a drawn file of so many cues.

python benchmarks/subtitles.py --cues 1000                  # every cue is over the limit
python benchmarks/subtitles.py --cues 1000 --fast
python benchmarks/subtitles.py --cues 1000000 --over 0.0005
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SPOKEN = [
    "Well, you know, I grew up on a farm about twenty miles from the nearest town.",
    "My mother was a very strict woman, but she had a wonderful sense of humour.",
    "The first time I walked onto that stage I was so nervous that I forgot my own name.",
    "It was rejected by eleven different publishers before somebody agreed to take it.",
    "You have to understand that in those days there was no telephone in the village.",
]


def write_cues(path: Path, count: int, over: float, seed: int) -> None:
    rng, now = random.Random(seed), 0
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, count + 1):
            text = rng.choice(SPOKEN)
            length = int(1000 * len(text) / rng.uniform(20, 27)) if rng.random() < over else 9000
            stamps = [
                f"{t // 3_600_000 % 99:02}:{t // 60_000 % 60:02}:{t // 1000 % 60:02},{t % 1000:03}"
                for t in (now % 350_000_000, now % 350_000_000 + length)
            ]
            file.write(f"{number}\n{stamps[0]} --> {stamps[1]}\n{text}\n\n")
            now += length + 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cues", type=int, default=1000)
    parser.add_argument("--over", type=float, default=1.0, help="the share of the cues that are over the limit")
    parser.add_argument("--seed", type=int, default=1)
    args, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.srt"
        write_cues(source, args.cues, args.over, args.seed)
        command = [
            sys.executable,
            "-m",
            "tersely",
            "srt",
            "--line",
            "90",
            str(source),
            str(Path(folder) / "out.srt"),
            *more,
        ]
        subprocess.run(command, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{args.cues:,} cues: {used.ru_utime + used.ru_stime:.1f} s of one core, {used.ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
