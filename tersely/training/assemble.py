"""Beside the flow: the end of a run: all that was learned becomes a bundle, is measured, and says what it can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError

from tersely.bundle import open_bundle, write_bundle
from tersely.errors import FileError
from tersely.training.card import model_card
from tersely.training.corpus import Encoded, Source
from tersely.training.counts import add_counts, count_corpus, inverse_document_frequency
from tersely.training.directions import groups, trainer_for, validation
from tersely.training.export import Tensors, lm_tensors, table_tensors
from tersely.training.figures import int8_gaps, model_figures
from tersely.training.plan import Plan
from tersely.training.prepare import Side
from tersely.vocab import Vocabulary


def assemble(
    plan: Plan,
    sides: Mapping[str, Side],
    vector_corpora: Mapping[Source, Encoded],
    vocabulary: Vocabulary,
    vectors: NDArray[np.float32],
) -> list[str]:
    """Write the bundle from the newest checkpoints and measure it; lines that say what it can do."""
    trainers = [trainer_for(plan, group) for group in groups(plan)]
    networks = {direction: network for trainer in trainers for direction, network in trainer.networks.items()}
    lms, aliases = lm_tensors(networks)
    counts, totals = count_tensors(sides, vector_corpora, len(vocabulary))
    tensors = {**table_tensors("vectors", vectors), **counts, **lms}
    valid = validation(plan, vocabulary)
    description: dict[str, Any] = {
        "name": plan.out.name,
        "recipe": dataclasses.asdict(plan.recipe),
        "corpora": describe(sides),
        "counts": totals,
        "aliases": aliases,
        "training": {
            t.name: {"tokens": t.spent.n_tokens, "steps": t.spent.n_steps, "hours": round(t.spent.seconds / 3600, 3)}
            for t in trainers
        },
        "figures": model_figures(networks, valid),
    }
    # Twice: the bundle is measured as it lies on the disk, and what was measured belongs to it.
    for measured in (False, True):
        if measured:
            description["int8"] = int8_gaps(open_bundle(plan.out), networks, list(valid.values())[-1])
        card = model_card(description, len(vocabulary))
        try:
            write_bundle(plan.out, vocabulary=vocabulary, tensors=tensors, description=description, card=card)
        except (OSError, SafetensorError) as error:
            reason = f"{error}; what was there before is intact, and the same command tries again"
            raise FileError(f"cannot write the bundle {plan.out}: {reason}") from None
    return summary(description)


def count_tensors(
    sides: Mapping[str, Side], vector_corpora: Mapping[Source, Encoded], n_words: int
) -> tuple[Tensors, dict[str, dict[str, float]]]:
    """idf over the lines of the vectors, document counts of each side, and the totals behind the counts."""
    read = {**dict(vector_corpora), **{source: corpus for side in sides.values() for source, corpus in side.items()}}
    counted = {source: count_corpus(corpus, n_words) for source, corpus in read.items()}
    every_line = add_counts([counted[source] for source in vector_corpora], [1.0] * len(vector_corpora))
    tensors: Tensors = {"idf": inverse_document_frequency(every_line.documents, every_line.n_lines)}
    totals = {}
    for name, side in sides.items():
        if side.corpora:
            counts = add_counts([counted[source] for source in side.sources], side.count_weights)
            tensors[f"counts.{name}"] = counts.documents
            totals[name] = {"lines": counts.n_lines, "words": counts.n_words}
    return tensors, totals


def describe(sides: Mapping[str, Side]) -> dict[str, list[dict[str, Any]]]:
    """The corpora as the bundle lists them: names and sizes, no paths."""
    return {
        name: [
            {
                "name": source.name,
                "lines": corpus.n_lines,
                "words": len(corpus.ids),
                "weight": source.weight,
                "count weight": source.count_weight,
                "left out": dataclasses.asdict(corpus.skipped),
            }
            for source, corpus in side.items()
        ]
        for name, side in sides.items()
        if side.corpora
    }


def summary(description: Mapping[str, Any]) -> list[str]:
    """What the bundle can do, in a few lines."""
    lines = []
    for name, entry in description["figures"].items():
        for direction, quality in entry["models"].items():
            lines.append(
                f"{name}, {direction}: perplexity {quality['perplexity']:.1f}, |log Z| {quality['abs_log_z']:.3f}"
            )
        for kind, share in entry["prefers the original"].items():
            lines.append(f"{name}: the original wins against a {kind} in {share:.1%} of the lines")
    gaps = ", ".join(f"{direction} {gap['mean per line']:.4f}" for direction, gap in description["int8"].items())
    lines.append(f"int8 rows change the score of a line by (nats per word): {gaps}")
    factors = ["fluency", "similarity", "position", "adjacency"]
    missing: list[str] = []
    for factor, sides in {"information": {"articles"}, "style": {"titles", "articles"}}.items():
        (factors if sides <= description["counts"].keys() else missing).append(factor)
    without = f"; not {', '.join(missing)}, for which a side is missing" if missing else ""
    return [*lines, f"factors: {', '.join(factors)}{without}"]
