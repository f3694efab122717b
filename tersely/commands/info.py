"""`tersely info`: what is in a bundle, and the versions."""

from __future__ import annotations

import argparse
import json
import platform

import numpy as np

from tersely.bundle import open_bundle
from tersely.summarizer import default_bundle
from tersely.version import __version__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `tersely info`."""
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
    for key in ("recipe", "corpora", "figures", "objectives"):
        if key in bundle.description:
            print(f"{key:<11} {_brief(bundle.description[key])}")
    print("versions    " + ", ".join(f"{name} {version}" for name, version in versions.items()))
    return 0


def _brief(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_brief(one)}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_brief, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
