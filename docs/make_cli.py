"""Write docs/cli.md from every command's `--help`. `make docs` runs it, and a test fails when the page is stale."""

from __future__ import annotations

import os
from pathlib import Path

os.environ["COLUMNS"] = "100"  # argparse breaks its lines by the terminal; the page must not depend on it

from tersely.cli import COMMANDS, build_parser

PAGE = Path(__file__).parent / "cli.md"


def page() -> str:
    """The page as it should be."""
    parts = ["# The command line\n", "Made from `--help` by `make docs`; do not edit.\n"]
    for command in COMMANDS:
        parser = build_parser(command)
        parts.append(f"## {parser.prog}\n\n```\n{parser.format_help().strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
