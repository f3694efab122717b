"""The English word lists and needs, as the bundle that ships has them."""

from __future__ import annotations

from tersely.bundle.bundle import shipped_language
from tersely.sentence.language import read_language

ENGLISH = read_language(shipped_language())
