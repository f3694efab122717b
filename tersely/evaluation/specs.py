"""Systems by name, one argument of the command line each.

lead-8  lead-50%  lead-75c  random-8  style-8      baselines; `lead-75c:hard` cuts inside a word
headline:words=10  paper:ratio=0.5,search=lattice  an objective of the bundle with a length and other options
headline without style:words=10                    the same without one of its factors
paper:words=8,bundle=DIR  HC=paper:words=8         the same of another bundle; under a name of its own
outputs.txt  NAUS=naus.txt  NAUS=naus.txt:words=8  a file with one summary a line, its name, its length bracket
"""

from __future__ import annotations

import re
import zlib
from functools import partial
from pathlib import Path

import numpy as np

from tersely.candidates.length import UNITS, Length
from tersely.errors import InputError
from tersely.evaluation.baselines import lead, lead_chars, random_words, style_words, word_rule
from tersely.evaluation.systems import Baseline, OutputFile, Resources, SummarizerSystem, System
from tersely.summary.options import Options, fields

GRAMMAR = "lead-8, lead-50%, lead-75c, random-8, style-8, OBJECTIVE:words=8,bundle=DIR, FILE or NAME=FILE:words=8"
_BASELINE = re.compile(r"(?P<rule>lead|random|style)-(?P<size>\d+)(?P<unit>%|c)?(?::(?P<option>\w+(?:=\d+)?))?")
_OBJECTIVE = re.compile(r"(?:(?P<name>[^=:/]+)=)?(?P<objective>[\w-]+(?: without \w+)?)(?::(?P<options>.*))?")
# Options that a spec cannot have: it begins with the objective, the dataset decides how to split, one summary is
# scored, and no word is in every source.
_EXCLUDED = ("objective", "pretokenized", "n_best", "diverse", "keep")


def parse_system(spec: str, resources: Resources, *, hard: bool = False, search: str | None = None) -> System:
    """The system of an argument of the command line (grammar: the docstring of this module).

    `search` is for summarisers whose spec does not name one.
    """
    try:
        if match := _BASELINE.fullmatch(spec):
            return _baseline(spec, match, resources, hard)
        file = _file(spec)
        match = _OBJECTIVE.fullmatch(spec)
        if file and (match is None or match["name"]):  # a file, so no bundle is needed
            return file
        own, rest = _bundle(match["options"] or "", resources) if match else (resources, "")
        if match and match["objective"] in own.objectives:
            return SummarizerSystem(match["name"] or spec, _options(match["objective"], rest, search), own)
        if file:
            return file
        known = ", ".join(own.objectives.named)
        raise InputError(f"unknown system, and no such file: expected {GRAMMAR}; objectives are {known}")
    except InputError as error:
        raise InputError(f"{spec!r}: {error}") from None


def _baseline(spec: str, match: re.Match[str], resources: Resources, hard: bool) -> Baseline:
    rule, unit, option = match["rule"], match["unit"], match["option"]
    size = int(match["size"])
    if unit and rule != "lead":
        raise InputError(f"unknown baseline: expected {GRAMMAR}")
    if unit == "c" and option in (None, "hard"):
        hard = hard or option == "hard"
        name = f"lead-{size}c" + (":hard" if hard else "")
        return Baseline(name, Length.of(chars=size), lambda source, _: lead_chars(source, size, hard=hard))
    length = Length.of(ratio=size / 100) if unit else Length.of(words=size)
    if rule == "random" and (option is None or option.startswith("seed=")):
        return _random(spec, length, seed=int(option[5:]) if option else 0)
    if option is not None:
        raise InputError("unknown option: lead-75c takes `hard`, random-8 takes `seed=1`")
    if rule == "lead":
        return Baseline(spec, length, lead(length))
    ratios = resources.style_ratios
    if ratios is None:
        raise InputError("this needs counts of titles and articles, and the bundle has none")
    by_style = word_rule(length, partial(style_words, ratios=ratios))
    return Baseline(spec, length, by_style, {"bundle": resources.identity})


def _random(spec: str, length: Length, seed: int) -> Baseline:
    def shorten(source: str, pretokenized: bool) -> str:
        # A generator for each source, so that the order of the sources does not matter.
        rng = np.random.default_rng([seed, zlib.crc32(source.encode("utf-8", "surrogatepass"))])
        return word_rule(length, partial(random_words, rng=rng))(source, pretokenized)

    return Baseline(spec, length, shorten, {"seed": seed})


def _bundle(text: str, resources: Resources) -> tuple[Resources, str]:
    """The resources of the bundle that the options name, or else the common ones, and the other options."""
    parts = text.split(",")
    named = [part.removeprefix("bundle=") for part in parts if part.startswith("bundle=")]
    if len(named) > 1:
        raise InputError("more than one bundle: give one")
    rest = ",".join(part for part in parts if not part.startswith("bundle="))
    return (resources.of_bundle(named[0]) if named else resources), rest


def _options(objective: str, text: str, search: str | None) -> Options:
    asked = {**({"search": search} if search else {}), **_pairs(text)}
    known = [name for name, unit in UNITS.items() if unit.budget] + [n for n in fields() if n not in _EXCLUDED]
    for name in asked:
        if name not in known and name not in UNITS:
            raise InputError(f"unknown option {name!r}: known are {', '.join(known)}")
    try:
        return Options.read(asked, objective=objective)
    except InputError as error:
        raise InputError(f"{error}; known options are {', '.join(known)}") from None


def _file(spec: str) -> OutputFile | None:
    match = re.fullmatch(rf"(?:(?P<name>[^=:/]+)=)?(?P<path>.+?)(?::(?P<length>(?:{'|'.join(UNITS)})=[^:]+))?", spec)
    if match is None or not Path(match["path"]).is_file():
        return None
    path = Path(match["path"])
    length = Options.read(_pairs(match["length"])).length if match["length"] else None
    return OutputFile(match["name"] or path.stem, path, length)


def _pairs(text: str) -> dict[str, str]:
    pairs = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise InputError(f"invalid option {part!r}: expected NAME=VALUE, as in words=8,seed=1")
        pairs[name] = value
    return pairs
