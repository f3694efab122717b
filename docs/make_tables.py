"""Write the tables in docs/ that code or data decide: the factors, the needs with their costs, the word lists.

`make docs` runs it, and a test fails when a table is stale.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tersely.bundle.bundle import shipped_language
from tersely.scoring.factors import FACTORS

DOCS = Path(__file__).parent
LANGUAGE = json.loads(shipped_language())
# What a bundle has to have, in words, by the beginning of a tensor's name.
PARTS = {
    "forward": "language models", "backward": "language models", "vectors": "vectors", "idf": "idf",
    "counts": "counts", "parser": "parser", "editor": "editor",
}  # fmt: skip
SHOWN = 12  # words of a list


def factors() -> list[str]:
    """The table of factors."""
    rows = ["| factor | log f | needs |", "|---|---|---|"]
    for kind in FACTORS.values():
        parts = dict.fromkeys(PARTS[tensor.partition(".")[0]] for tensor in kind.tensors)
        rows.append(f"| `{kind.name}` | {kind.meaning} | {', '.join(parts) or 'nothing'} |")
    return rows


def costs() -> list[str]:
    """The table of needs."""
    rows = ["| kind of need | for example | path | cost |", "|---|---|---|---:|"]
    for need in LANGUAGE["needs"]:
        conditions = [f"{key} {need[key]}" for key in ("word", "through", "needed") if key in need]
        path = "; ".join([need["path"], *conditions, *["unmarked"] * need.get("unmarked", False)])
        rows.append(f"| {need['kind']} | {need['example']} | `{path}` | {need['cost']:g} |")
    return rows


def lists() -> list[str]:
    """The word lists, by name."""
    rows = []
    for name, text in LANGUAGE["lists"].items():
        words = text.split(", ")
        more = f", and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
        rows.append(f"- `{name}`: {', '.join(words[:SHOWN])}{more}")
    return rows


TABLES: dict[str, tuple[Callable[[], list[str]], ...]] = {"method.md": (factors,), "grammar.md": (costs, lists)}


def refreshed() -> dict[str, str]:
    """The pages with fresh tables, by name. Each table stands between two comments."""
    pages = {}
    for name, tables in TABLES.items():
        page = (DOCS / name).read_text(encoding="utf-8")
        for table in tables:
            begin, end = (
                f"<!-- {table.__name__}: made by docs/make_tables.py -->\n",
                f"<!-- end of {table.__name__} -->",
            )
            head, found, rest = page.partition(begin)
            _, ended, tail = rest.partition(end)
            if not found or not ended:
                raise SystemExit(f"{name} lacks the comments around a table: {begin.strip()} ... {end}")
            page = head + begin + "\n".join(table()) + "\n" + end + tail
        pages[name] = page
    return pages


if __name__ == "__main__":
    for name, page in refreshed().items():
        (DOCS / name).write_text(page, encoding="utf-8")
