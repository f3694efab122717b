"""What systems need of a bundle, which is opened when the first of them asks: summariser, objectives, style ratios."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from tersely.bundle import Bundle
from tersely.evaluation.systems import Resources
from tersely.summarizer import Summarizer


def bundle_resources(bundle: str | None = None) -> Resources:
    """Resources that open a bundle (the shipped one by default) once, and only if a system needs it."""

    @cache
    def summarizer() -> Summarizer:
        return Summarizer.load(bundle)

    return Resources(
        summarizer=summarizer,
        style_ratios=cache(lambda: style_ratios(summarizer().bundle)),
        objectives=lambda: summarizer().bundle.objectives,
        identity=lambda: summarizer().bundle.signature,
    )


def style_ratios(bundle: Bundle) -> Mapping[str, float] | None:
    """How much likelier each word is in a title than in an article, as for the factor `style`; None without counts."""
    if "counts.titles" not in bundle or "counts.articles" not in bundle:
        return None
    pieces = bundle.vocabulary.pieces
    return dict(zip(pieces, bundle.counts().style(np.arange(len(pieces))).tolist(), strict=True))
