"""The filter that Jinja and Django share: `{{ title|tersely(60) }}`, `{{ title|tersely:60 }}`.

A page must not break because of one text: what cannot be shortened is cut, as `truncatechars` would cut it. Safe
markup is read without its tags and entities, so that "&amp;" is one character, and what is left is escaped again.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import regex

from tersely.candidates.length import UNITS, whole_number
from tersely.errors import InputError, short_repr
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.text.markup import without_markup
from tersely.text.words import MAX_CHARS, tokenize

ERRORS = ("cut", "whole", "raise")


class TemplateFilter:
    """A filter with defaults: options of the library, `bundle`, and what happens to texts that cannot be shortened.

    These are cut at the limit with "…" (`errors="cut"`), shown whole (`"whole"`), or raise an error (`"raise"`). The
    last `cache` results are remembered, since a page shows most texts again and again. `escape` is that of the engine.
    """

    def __init__(
        self,
        escape: Callable[[str], str],
        *,
        bundle: str | None = None,
        errors: str = "cut",
        cache: int = 10_000,
        **defaults: Any,
    ) -> None:
        if errors not in ERRORS:
            raise InputError(f"errors must be {', '.join(ERRORS)}, not {short_repr(errors)}")
        self.escape, self.bundle, self.errors = escape, bundle, errors
        self.defaults = defaults if UNITS.keys() & defaults else {"chars": 60, **defaults}
        self._options(None, {})  # refuses a wrong default now, and not on a page
        self._short = lru_cache(whole_number("cache", cache, least=0, most=sys.maxsize))(self._shorten)

    def __call__(self, value: Any, length: int | str | None = None, **options: Any) -> str:
        """The value, shortened: to so many characters, or to a length and options such as "8 words, keep=numbers"."""
        asked = self._options(length, options)
        # Weights are a dict, which is no key.
        short = self._short if isinstance(asked.objective, str | None) else self._shorten
        if not hasattr(value, "__html__"):
            return short(str(value), asked)
        return self.escape(short(str(value.__html__()), replace(asked, html=True)))

    def _options(self, length: int | str | None, given: dict[str, Any]) -> Options:
        """The options of one use: its length takes the place of the default one, whatever their units are."""
        read = read_argument(length)
        has_length = UNITS.keys() & {**read, **given}
        defaults = {name: value for name, value in self.defaults.items() if not (has_length and name in UNITS)}
        return Options.read(read, **{**defaults, **given})

    @cached_property
    def summarizer(self) -> Summarizer:
        """Loaded when the first text is shown."""
        return Summarizer.load(self.bundle)

    def _shorten(self, text: str, options: Options) -> str:
        text = without_markup(text) if options.html else text
        if not text.strip():
            return ""
        found = self.summarizer.attempt(text, replace(options, html=False))
        if not isinstance(found, InputError):
            return found.text
        if self.errors == "raise":
            raise found
        return cut(text, options) if self.errors == "cut" else text


def read_argument(argument: int | str | None) -> dict[str, str]:
    """A length and options, as text, from the one argument that a filter of Django has.

    >>> read_argument(60), read_argument("8 words, keep=numbers, fast=yes")
    ({'chars': '60'}, {'words': '8', 'keep': 'numbers', 'fast': 'yes'})
    """
    if argument is None:
        return {}
    read = {}
    for part in str(argument).split(","):
        size = re.fullmatch(r"\s*([\d.%-]+)\s*(\w*)\s*", part)
        name, _, value = (size[2] or "chars", "=", size[1]) if size else part.strip().partition("=")
        read[name] = value
    return read


def cut(text: str, options: Options) -> str:
    """The beginning of a text up to its limit, with "…"; empty where not even that fits.

    >>> cut("Supercalifragilistic", Options.of(chars=10))
    'Supercali…'
    """
    whole = " ".join(text.split())[:MAX_CHARS]
    source = tokenize(whole)

    def is_broken(shown: str) -> bool:
        return options.length.is_broken_by(tokenize(shown), shown, source, options.reserve)

    if not is_broken(whole):
        return whole
    characters = regex.findall(r"\X", whole)  # as a person counts them

    def shown(n: int) -> str:
        return "".join(characters[:n]).rstrip() + "…" if n else ""

    return shown(bisect(range(len(characters)), False, key=lambda n: is_broken(shown(n))) - 1)
