"""Options that several commands have."""

from __future__ import annotations

import argparse
from typing import Any


def add_bundle(parser: argparse.ArgumentParser, use: str = "a model folder", **more: Any) -> None:
    """Add `--bundle`. `use` says what the command does with the folder."""
    default = "" if more.get("required") else " (default: the one in the package)"
    parser.add_argument("--bundle", metavar="DIR", help=use + default, **more)


def add_workers(parser: argparse.ArgumentParser, default: int | None = 1) -> None:
    """Add `--workers`; without a default it is the number of cores."""
    text = "one for each core" if default is None else "%(default)s"
    parser.add_argument("--workers", type=int, default=default, metavar="N", help=f"worker processes (default: {text})")
