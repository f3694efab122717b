"""`tersely info`: the contents of a bundle, and the versions."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterator

import numpy as np

from tersely.bundle.bundle import Bundle, default_bundle, open_bundle
from tersely.commands.common import add_bundle
from tersely.scoring.factors import available
from tersely.scoring.objective import in_a_line
from tersely.version import __version__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_bundle(parser)
    parser.add_argument("--json", action="store_true", help="the whole description of the bundle as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the description of the bundle."""
    bundle = open_bundle(default_bundle() if args.bundle is None else args.bundle)
    versions = {"tersely": __version__, "python": platform.python_version(), "numpy": np.__version__}
    if args.json:
        print(json.dumps({"versions": versions, "signature": bundle.signature, **bundle.description}, indent=1))
        return 0
    size = sum(file.stat().st_size for file in bundle.folder.iterdir() if file.is_file())
    print(f"bundle      {bundle.signature}, {size / 1e6:.1f} MB, format {bundle.description['format']}")
    for label, line in _lines(bundle):
        print(f"{label:<11} {line}")
    print("versions    " + ", ".join(f"{name} {version}" for name, version in versions.items()))
    return 0


def _lines(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """The lines to print: corpora, figures, factors, objectives, as far as the bundle has them."""
    for side, corpora in bundle.description.get("corpora", {}).items():
        yield side, ", ".join(f"{corpus['name']} {corpus['lines']:,} lines" for corpus in corpora)
    for lines, figures in bundle.description.get("figures", {}).items():
        models = (
            f"{direction} perplexity {model['perplexity']:.1f}, |log Z| {model['abs_log_z']:.3f}"
            for direction, model in figures["models"].items()
        )
        yield "models", f"on {lines}: {'; '.join(models)}"
    if (parser := bundle.description.get("parser")) is not None:
        agreement = (
            f"{name} {found['heads']:.1%} of heads, {found['labels']:.1%} with labels"
            for name, found in parser.get("held out", {}).items()
        )
        trees = [f"learned from {parser['trees']['trees']:,} trees"] if "trees" in parser else []
        yield "parser", "; ".join([*trees, *agreement]) or "without figures"
    if (editor := bundle.description.get("editor")) is not None:
        pairs = [f"learned from the shortenings of {editor['pairs']['sources']:,} sources"] if "pairs" in editor else []
        found = editor.get("held out")
        figures = [f"held out: token F1 {found['f1']:.3f}, identical {found['identical']:.1%}"] if found else []
        yield "editor", "; ".join([*pairs, *figures]) or "without figures"
    yield "factors", ", ".join(available(bundle))
    for name, weights in bundle.objectives.named.items():
        yield "objective", f"{name}: {in_a_line(weights)}"
