"""Stage 8: the file of limits: keys and patterns of keys, each with a limit in any unit of length.

"store.title" = "30 chars"
"push.*" = "178 bytes and 2 sms"
"*.subtitle" = { chars = 30, keep = ["Fernhill"] }    # with any options of a summary
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tersely.candidates.length import UNITS
from tersely.errors import FileError, InputError, missing_extra, short_repr
from tersely.fit.value import Value
from tersely.summary.options import Options

_PATTERN = re.compile(r"[*?[]")


@dataclass(frozen=True)
class Limits:
    """The limits by key or pattern, in the order of the file."""

    options: Mapping[str, Options]

    def of(self, value: Value) -> Options | None:
        """The limit of a value: that of its own key, or else of the last pattern that matches."""
        own = [key for key in self.options if key in value.names]
        found = own or [key for key in self.options if any(fnmatchcase(name, key) for name in value.names)]
        return self.options[found[-1]] if found else None

    @property
    def keys(self) -> list[str]:
        """The keys that are no patterns."""
        return [key for key in self.options if not _PATTERN.search(key)]


def read_limits(path: Path, **more: Any) -> Limits:
    """The limits of a file; `more` are options for all of them."""
    try:
        entries = _toml().loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path} is no TOML: {error}") from None
    options = {}
    for key, entry in _flat(entries, ()):
        try:
            asked = entry if isinstance(entry, dict) else _sizes(entry)
            if "ratio" in asked:
                raise InputError("a share of a text is no limit: use another unit")
            options[key] = Options.of(**{"end": "period"} | more | asked)  # texts of programs end as they did
        except InputError as error:
            raise InputError(f"{path}, {key}: {error}") from None
    if not options:
        raise InputError(f'{path} has no limits: write one a line, such as "store.title" = "30 chars"')
    return Limits(options)


def _toml() -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        try:
            import tomli as tomllib
        except ImportError:
            raise missing_extra("fit", "tomli") from None
    return tomllib


def _flat(table: dict[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The entries with their whole keys: `store.title = ...` is a table in a table. A table with a size is options."""
    for key, entry in table.items():
        sizes = isinstance(entry, dict) and [entry[unit] for unit in UNITS if unit in entry]
        if isinstance(entry, dict) and not any(isinstance(size, int | float | list) for size in sizes or ()):
            yield from _flat(entry, (*path, key))
        else:
            yield ".".join((*path, key)), entry


def _sizes(entry: object) -> dict[str, Any]:
    """A limit as people write it.

    >>> _sizes("30 chars and 60 bytes"), _sizes("1 message")
    ({'chars': 30, 'bytes': 60}, {'sms': 1})
    """
    names = {name.rstrip("s"): unit for unit in UNITS.values() for name in (unit.name, unit.label(1).split()[-1])}
    found = {}
    for part in re.split(r",\s|\band\b", str(entry)):
        size, _, name = part.strip().rpartition(" ")
        unit = names.get(name.rstrip("s"))
        try:
            if not isinstance(entry, str) or unit is None:
                raise ValueError
            found[unit.name] = unit.read(size.replace(",", "").replace("_", ""))
        except ValueError:
            units = ", ".join(name for name in UNITS if name != "ratio")
            raise InputError(f"{short_repr(entry)} is no limit: write a number and a unit ({units})") from None
    return found
