from __future__ import annotations

from pathlib import Path

import pytest

from tersely.errors import BundleError
from tersely.evaluation.systems import Resources
from tersely.scoring.objective import PAPER


def test_a_bundle_is_opened_once_and_only_when_needed(tmp_path: Path, tiny_bundle: Path) -> None:
    missing = Resources(str(tmp_path / "nowhere"))
    with pytest.raises(BundleError, match="no bundle"):
        _ = missing.summarizer
    found = Resources(str(tiny_bundle))
    assert found.summarizer is found.summarizer
    assert found.objectives["paper"] == PAPER
    assert found.identity.startswith("tiny@")


def test_style_ratios_follow_the_counts(tiny_bundle: Path) -> None:
    resources = Resources(str(tiny_bundle))
    bundle, ratios = resources.summarizer.bundle, resources.style_ratios
    assert ratios is not None
    counts = bundle.counts()
    per_word = counts.titles / counts.n_title_words - counts.articles / counts.n_article_words
    for word in ("ship", "storm", "said", "the"):
        assert ratios[word] * per_word[bundle.vocabulary.ids([word])[0]] > 0  # the same sign
