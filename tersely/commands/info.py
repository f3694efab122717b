"""`tersely info`: what is in a bundle, and the versions."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterator

import numpy as np

from tersely.bundle import Bundle, open_bundle
from tersely.scoring.factors import available
from tersely.scoring.objective import in_a_line
from tersely.summarizer import default_bundle
from tersely.version import __version__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bundle", metavar="DIR", help="a model folder (default: the one in the package)")
    parser.add_argument("--json", action="store_true", help="the whole description of the bundle as JSON")


def run(args: argparse.Namespace) -> int:
    """Print what the bundle says of itself."""
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
    """What is worth a line, as far as the bundle has it: corpora, figures, factors, objectives."""
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
        yield "parser", "; ".join([*trees, *agreement]) or "there is one, without figures"
    if (selector := bundle.description.get("selector")) is not None:
        lessons = f", learned from {selector['lessons']:,} sentences" if "lessons" in selector else ""
        yield "fast", ", ".join(selector["objectives"]) + lessons
    yield "factors", ", ".join(available(bundle))
    for name, weights in bundle.objectives.items():
        yield "objective", f"{name}: {in_a_line(weights)}"
        if name in bundle.prose:
            yield "objective", f"{name} in prose: {in_a_line(bundle.prose[name])}"
