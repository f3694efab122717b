"""Systems by name: one word of the command line for each, so that many can be listed.

lead-8  lead-50%  lead-75c  random-8  style-8      baselines; `lead-75c:hard` cuts inside a word
headline:words=10  paper:ratio=0.5,search=lattice  an objective with a length, and options of the summariser
outputs.txt  NAUS=naus.txt  NAUS=naus.txt:words=8  a file with one summary a line, its name, its length bracket
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tersely.errors import InputError
from tersely.evaluation import baselines
from tersely.evaluation.brackets import UNITS, Limit
from tersely.evaluation.systems import Baseline, OutputFile, Resources, System, summarizer_system

OBJECTIVES = ("headline", "paper", "sentence")
GRAMMAR = "lead-8, lead-50%, lead-75c, random-8, style-8, OBJECTIVE:words=8, FILE or NAME=FILE:words=8"
_BASELINE = re.compile(r"(?P<rule>lead|random|style)-(?P<size>\d+)(?P<unit>%|c)?(?::(?P<option>\w+(?:=\d+)?))?")
_FILE = re.compile(rf"(?:(?P<name>[^=:/]+)=)?(?P<path>.+?)(?P<limit>:(?:{'|'.join(UNITS)})=[^:]+)?")


def parse_system(spec: str, resources: Resources, *, hard: bool = False) -> System:
    """The system that a word of the command line means (grammar: the head of this module)."""
    if match := _BASELINE.fullmatch(spec):
        return _parse_baseline(spec, match, resources, hard)
    head, _, tail = spec.partition(":")
    if head in OBJECTIVES:
        return summarizer_system(resources, name=spec, objective=head, **_parse_options(tail, spec))
    match = _FILE.fullmatch(spec)
    if match and Path(match["path"]).is_file():
        path = Path(match["path"])
        limit = _parse_options(match["limit"][1:], spec) if match["limit"] else {}
        lengths = [Limit(unit, size) for unit, size in limit.items()]
        return OutputFile(match["name"] or path.stem, path, lengths[0] if lengths else None)
    raise InputError(f"no system {spec!r}, and no such file: write {GRAMMAR}")


def _parse_baseline(spec: str, match: re.Match[str], resources: Resources, hard: bool) -> Baseline:
    rule, unit, option = match["rule"], match["unit"], match["option"]
    size = int(match["size"])
    if size < 1 or (unit and rule != "lead"):
        raise InputError(f"{spec!r} is no baseline: write {GRAMMAR}")
    if unit == "c" and option in (None, "hard"):
        return _lead_chars(size, hard or option == "hard")
    if rule == "random" and (option is None or option.startswith("seed=")):
        return _random(spec, size, seed=int(option[5:]) if option else 0)
    if option is not None:
        raise InputError(f"{spec!r}: no such option; lead-75c takes `hard`, random-8 takes `seed=1`")
    if unit == "%":
        return Baseline(spec, Limit("ratio", size / 100), lambda source: baselines.lead_share(source, size / 100))
    if rule == "lead":
        return Baseline(spec, Limit("words", size), lambda source: baselines.lead_words(source, size))
    return _style(spec, size, resources)


def _lead_chars(size: int, hard: bool) -> Baseline:
    name = f"lead-{size}c" + (":hard" if hard else "")
    return Baseline(name, Limit("chars", size), lambda source: baselines.lead_chars(source, size, hard=hard))


def _random(spec: str, size: int, seed: int) -> Baseline:
    def shorten(source: str) -> str:
        # A generator of its own for each source, so that the order of the sources does not matter.
        rng = np.random.default_rng([seed, zlib.crc32(source.encode("utf-8", "surrogatepass"))])
        return baselines.random_words(source, size, rng)

    return Baseline(spec, Limit("words", size), shorten, {"seed": seed})


def _style(spec: str, size: int, resources: Resources) -> Baseline:
    ratios = resources.style_ratios()
    if ratios is None:
        raise InputError(f"{spec!r} needs title and article counts, and the bundle has none")
    settings = {"bundle": resources.identity()}
    return Baseline(spec, Limit("words", size), lambda source: baselines.style_words(source, size, ratios), settings)


def _parse_options(text: str, spec: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise InputError(f"{spec!r}: {part!r} is no option; write NAME=VALUE, as in words=8,seed=1")
        try:
            options[key] = _CASTS.get(key, str)(value)
        except ValueError:
            raise InputError(f"{spec!r}: {key} cannot be {value!r}") from None
    return options


def _share(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


_CASTS: dict[str, Callable[[str], Any]] = {
    "words": int,
    "ratio": _share,
    "chars": int,
    "bytes": int,
    "seed": int,
}
