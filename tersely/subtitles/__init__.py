"""Subtitles that can be read in their time."""

from tersely.subtitles.files import Shortened, reports, shorten
from tersely.subtitles.limits import Limits
from tersely.subtitles.report import CueReport

__all__ = ["CueReport", "Limits", "Shortened", "reports", "shorten"]
