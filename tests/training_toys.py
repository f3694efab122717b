"""Invented corpora: two small grammars, so that a model of seconds has something to learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np

SHIPS, PLACES, ENDS = "ship ferry tanker boat".split(), "havre dover bremen oslo".split(), "today again monday".split()


def titles(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{rng.choice(SHIPS)} runs aground off {rng.choice(PLACES)} {rng.choice(ENDS)}" for _ in range(n)]


def articles(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        f"A {rng.choice(SHIPS)} ran aground at the entrance to the port of {rng.choice(PLACES)}, police said."
        for _ in range(n)
    ]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
