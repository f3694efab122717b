"""Options that several commands have."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from tersely.errors import InputError


def add_bundle(parser: argparse.ArgumentParser, use: str = "a model folder", **more: Any) -> None:
    """Add `--bundle`. `use` says what the command does with the folder."""
    default = "" if more.get("required") else " (default: the one in the package)"
    parser.add_argument("--bundle", metavar="DIR", help=use + default, **more)


def add_workers(parser: argparse.ArgumentParser, default: int | None = 1) -> None:
    """Add `--workers`; without a default it is the number of cores."""
    text = "one for each core" if default is None else "%(default)s"
    parser.add_argument("--workers", type=int, default=default, metavar="N", help=f"worker processes (default: {text})")


def given_options(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The arguments of these names, as far as the command has them."""
    given = {name: getattr(args, name) for name in names if hasattr(args, name)}
    return given | {name: [utf8(word) for word in given[name]] for name in ("keep", "drop", "prefer") if name in given}


def utf8(argument: str) -> str:
    """An argument as UTF-8, also where the locale is POSIX: then Python hands on its bytes one by one."""
    try:
        argument.encode()
        return argument
    except UnicodeEncodeError:
        pass
    try:
        return argument.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        raise InputError("the text is not valid UTF-8") from None
