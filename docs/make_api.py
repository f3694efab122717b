"""Write docs/api.md from signatures and docstrings. `make docs` runs it, and a test fails when the page is stale."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tersely
from tersely import Summarizer, Summary, TerselyError, errors
from tersely.search.result import Observer
from tersely.summary.options import Case, Cosine, End, Objective, Softmax, SummaryOptions

PAGE = Path(__file__).parent / "api.md"
OPTIONS = SummaryOptions.__annotations__
TYPES = {"Objective": Objective, "Case": Case, "End": End, "Cosine": Cosine, "Softmax": Softmax, "Observer": Observer}
INTRODUCTION = """# The Python interface

Made from signatures and docstrings by `make docs`; do not edit. `import tersely` gives everything on this page.
`**options` are the keywords of [`summarize`](#summarize): a length or two, and any of the others. What they mean is
said [below](#summarizer__call__).
"""


def page() -> str:
    """The page as it should be."""
    parts = [
        INTRODUCTION,
        function("summarize", tersely.summarize, whole=True),
        types(),
        function("load", tersely.load),
        f"## Summarizer\n\n{inspect.getdoc(Summarizer)}\n",
        function("Summarizer.load", Summarizer.load),
        function("Summarizer.\\_\\_call\\_\\_", Summarizer.__call__, shown="Summarizer"),
        *(function(f"Summarizer.{name}", getattr(Summarizer, name)) for name in ("batch", "lengths", "check")),
        f"## Summary\n\n{inspect.getdoc(Summary)}\n\n{fields()}",
        *(function(f"Summary.{name}", getattr(Summary, name)) for name in ("explain", "to_dict")),
        f"## TerselyError\n\n{inspect.getdoc(TerselyError)} Each child also inherits the builtin that it resembles.\n",
        children(),
    ]
    return "\n".join(parts)


def function(title: str, of: Callable[..., Any], *, whole: bool = False, shown: str | None = None) -> str:
    """The section of a function: its signature and its docstring; the options in full only where `whole` says so."""
    signature = inspect.signature(of)
    parameters = [p for p in signature.parameters.values() if p.name not in ("self", *OPTIONS)]
    lines, star = [], False
    for parameter in [*parameters, *(signature.parameters[name] for name in OPTIONS if whole)]:
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            lines, star = [*lines, "*"], True
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        lines.append(f"{parameter.name}: {parameter.annotation}{default}")
    if not whole and set(OPTIONS) <= set(signature.parameters):
        lines.append("**options")
    name, result = shown or title, signature.return_annotation
    line = f"{name}({', '.join(lines)}) -> {result}"
    if len(line) > 100:
        line = f"{name}(\n    " + ",\n    ".join(lines) + f",\n) -> {result}"
    level = "###" if "." in title else "##"
    return f"{level} {title}\n\n```python\n{line}\n```\n\n{inspect.getdoc(of)}\n"


def types() -> str:
    """The named types that signatures use."""
    shown = {name: str(kind).replace("collections.abc.", "").replace("typing.", "") for name, kind in TYPES.items()}
    shown = {name: text.replace("tersely.search.result.", "") for name, text in shown.items()}
    lines = [f"{name} = {text}" for name, text in shown.items()]
    return "\n".join(
        [
            "`Search` is a search of your own: [search.md](search.md#a-search-of-your-own).\n",
            "```python",
            *lines,
            "```\n",
        ]
    )


def fields() -> str:
    """The attributes of a summary with their types."""
    rows = [
        f"| `{name}` | `{kind}` |".replace(" | None`", " \\| None`") for name, kind in Summary.__annotations__.items()
    ]
    return "\n".join(["| attribute | type |", "|---|---|", *rows, ""])


def children() -> str:
    """The errors with the builtin that each also is."""
    found = [kind for kind in vars(errors).values() if inspect.isclass(kind) and TerselyError in kind.__bases__]
    rows = [f"| `{kind.__name__}` | `{kind.__bases__[1].__name__}` | {inspect.getdoc(kind)} |" for kind in found]
    return "\n".join(["| error | also a | when |", "|---|---|---|", *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
