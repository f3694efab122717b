"""tersely shortens a sentence to exactly the length you ask for, using only its own words, in order."""

from tersely.errors import TerselyError
from tersely.summarizer import Summarizer, Summary, load, summarize
from tersely.version import __version__

__all__ = ["Summarizer", "Summary", "TerselyError", "__version__", "load", "summarize"]
