"""tersely shortens a sentence to exactly the length you ask for, using only its own words, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tersely.errors import TerselyError, TerselyWarning
from tersely.version import __version__

if TYPE_CHECKING:
    from tersely.summary.summarizer import Summarizer, load, summarize
    from tersely.summary.summary import Summary

__all__ = ["Summarizer", "Summary", "TerselyError", "TerselyWarning", "__version__", "load", "summarize"]


def __getattr__(name: str) -> object:
    """What needs numpy is imported when it is used: the command line has a word to say before (`cli.main`)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tersely.summary import summarizer

    return getattr(summarizer, name)
