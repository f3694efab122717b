"""The sentences that a benchmark runs on, and the options that choose them."""

from __future__ import annotations

import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def add_options(parser: argparse.ArgumentParser, sentences: int) -> None:
    """Where the sentences come from, how many they are, and the bundle that shortens them."""
    parser.add_argument("--input", type=Path, default=ROOT / "examples" / "sentences.txt", help="one sentence a line")
    parser.add_argument("--pretokenized", action="store_true")
    parser.add_argument("--bundle", type=Path)
    parser.add_argument("--sentences", type=int, default=sentences, help="at most this many (default: %(default)s)")


def read_lines(path: Path) -> list[str]:
    """The lines of a file that are not blank."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
