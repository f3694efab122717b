"""Tweets, reviews, comments and chat as plain lines, for `runs/make_trees.sh`: articles have few questions or orders.

    python runs/colloquial.py FOLDER > colloquial.txt

FOLDER holds the packages vaderSentiment 2.5 (its sentences were rated for Hutto and Gilbert 2014) and chatterbot-corpus
(dialogues), as pip has downloaded them. The lines come in a random order of their own, the same every time.
"""

from __future__ import annotations

import io
import random
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

RATED = "additional_resources/hutto_ICWSM_2014.tar.gz"
SAID = re.compile(r"\s*-\s+(?:-\s+)?(.*\w.*)")  # an item of a YAML list


def rated(package: Path) -> Iterator[str]:
    """The sentences of the rated sets: the last column of each table."""
    with tarfile.open(package) as outer:
        name = next(name for name in outer.getnames() if name.endswith(RATED))
        inner = outer.extractfile(name)
        assert inner is not None
        with tarfile.open(fileobj=io.BytesIO(inner.read())) as tables:
            for member in sorted(tables.getmembers(), key=lambda member: member.name):
                table = tables.extractfile(member)
                if table is not None and member.name.endswith("GroundTruth.txt"):
                    for line in table.read().decode("utf-8", errors="replace").splitlines():
                        yield line.split("\t")[-1]


def dialogues(package: Path) -> Iterator[str]:
    """What is said in the English dialogues."""
    with zipfile.ZipFile(package) as files:
        for name in sorted(files.namelist()):
            if "/english/" in name and name.endswith(".yml"):
                for line in files.read(name).decode("utf-8").splitlines():
                    if match := SAID.match(line):
                        yield match[1].strip("'\"")


def main() -> None:
    """Write the lines to stdout, each once."""
    folder = Path(sys.argv[1])
    lines = [*rated(next(folder.glob("vader*.tar.gz"))), *dialogues(next(folder.glob("chatterbot*.whl")))]
    lines = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    random.Random(0).shuffle(lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
