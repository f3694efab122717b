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
from tersely.training.counts import Counts, add_counts, count_corpus, inverse_document_frequency
from tersely.training.directions import groups, trainer_for, validation
from tersely.training.export import Tensors, lm_tensors, table_tensors
from tersely.training.figures import int8_gaps, model_figures
from tersely.training.plan import Plan
from tersely.training.prepare import Side
from tersely.training.vectors import whitened
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
    counted = count_all(sides, vector_corpora, len(vocabulary))
    of_sides = {
        name: add_counts([counted[source] for source in side.sources], side.count_weights)
        for name, side in sides.items()
        if side.corpora
    }
    of_vectors = add_counts([counted[source] for source in vector_corpora], [1.0] * len(vector_corpora))
    lines = of_sides.get(plan.recipe.idf_side, of_vectors)
    if plan.recipe.vector_whitened:
        vectors = whitened(vectors, lines.documents)
    tensors: Tensors = {
        **table_tensors("vectors", vectors),
        "idf": inverse_document_frequency(lines.documents, lines.n_lines),
        **{f"counts.{name}": counts.documents for name, counts in of_sides.items()},
        **lms,
    }
    valid = validation(plan, vocabulary)
    description: dict[str, Any] = {
        "name": plan.out.name,
        "recipe": dataclasses.asdict(plan.recipe),
        "corpora": describe(sides),
        "counts": {name: {"lines": counts.n_lines, "words": counts.n_words} for name, counts in of_sides.items()},
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


def count_all(
    sides: Mapping[str, Side], vector_corpora: Mapping[Source, Encoded], n_words: int
) -> dict[Source, Counts]:
    """The document counts of every corpus; one that serves twice is counted once."""
    read = {**vector_corpora, **{source: corpus for side in sides.values() for source, corpus in side.items()}}
    return {source: count_corpus(corpus, n_words) for source, corpus in read.items()}


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
    factors = "fluency, similarity, position, adjacency, clauses"
    both = "information, style, contiguity"
    if {"titles", "articles"} <= description["counts"].keys():
        return [*lines, f"factors: {factors}, {both}"]
    return [*lines, f"factors: {factors}; not {both}, for which a side is missing"]
