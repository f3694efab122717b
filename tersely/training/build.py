"""Beside the flow: corpora in, bundle out, in five stages, each of which is skipped if it was done before.

claim the run's folder -> read the corpora, choose the vocabulary -> language models -> vectors -> counts and bundle
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tersely.bundle import open_bundle
from tersely.errors import InputError, missing_extra
from tersely.training.checkpoint import claim
from tersely.training.corpus import Encoded, Source
from tersely.training.files import replacing
from tersely.training.plan import Plan
from tersely.training.prepare import Side, choose_vocabulary, read_side
from tersely.training.vectors import train_vectors
from tersely.vocab import Vocabulary

Report = Callable[[str], None]


def build(plan: Plan, report: Report) -> Path:
    """Train what the plan asks for and write the bundle; its folder."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise missing_extra("train", "torch") from None
    from tersely.training.assemble import assemble
    from tersely.training.directions import train_directions
    from tersely.training.export import check_sizes

    if plan.start_from is not None:
        check_sizes(open_bundle(plan.start_from), plan.recipe)
    if claim(plan.run, plan.settings()):
        report(f"resumes the run in {plan.run}")
    sides, vocabulary = prepare(plan, report)
    train_directions(plan, report)
    vectors = make_vectors(plan, sides, vocabulary, report)
    for line in assemble(plan, sides, vector_corpora(plan, sides, vocabulary), vocabulary, vectors):
        report(line)
    return plan.out


def prepare(plan: Plan, report: Report) -> tuple[dict[str, Side], Vocabulary]:
    """The corpora of both sides in the ids of the vocabulary, and the vocabulary."""
    sides = {
        name: read_side(sources, plan.corpora_folder, processes=plan.processes)
        for name, sources in {"titles": plan.titles, "articles": plan.articles}.items()
    }
    for name, side in sides.items():
        for source, corpus in side.items():
            left_out = f" (left out: {corpus.skipped})" if str(corpus.skipped) else ""
            report(f"{name}: {source.path.name}, {corpus.n_lines:,} lines, {len(corpus.ids):,} words{left_out}")
            if not corpus.n_lines:
                raise InputError(f"{source.path} has no line with a word in it")
    if not plan.vocabulary_file.exists():
        if plan.start_from is not None:
            vocabulary = open_bundle(plan.start_from).vocabulary
        else:
            lm = sides[plan.recipe.lm_side]
            vocabulary = choose_vocabulary(
                lm.corpora, tokens_drawn(lm), size=plan.recipe.vocabulary, min_count=plan.recipe.min_count
            )
        with replacing(plan.vocabulary_file) as stream:
            stream.write(("\n".join(vocabulary.pieces) + "\n").encode())
    vocabulary = Vocabulary.read(plan.vocabulary_file)
    known = {name: side.remap(vocabulary) for name, side in sides.items()}
    ids = np.concatenate([corpus.ids for corpus in known[plan.recipe.lm_side].corpora])
    report(f"vocabulary: {len(vocabulary):,} words, {np.mean(ids == 0):.1%} of the {plan.recipe.lm_side} unknown")
    return known, vocabulary


def tokens_drawn(side: Side) -> list[float]:
    """How often a word of each corpus is read, relative to the others: its weight by the size of the corpus."""
    return [weight / max(len(c.ids), 1) * 1e6 for weight, c in zip(side.weights, side.corpora, strict=True)]


def make_vectors(plan: Plan, sides: dict[str, Side], vocabulary: Vocabulary, report: Report) -> NDArray[np.float32]:
    """The vectors of the vocabulary, trained or taken from the run's folder."""
    if not plan.vectors_file.exists():
        corpora = list(vector_corpora(plan, sides, vocabulary).values())
        report(f"vectors: {sum(len(corpus.ids) for corpus in corpora):,} words, {plan.recipe.vector_epochs} epochs")
        vectors = train_vectors(corpora, len(vocabulary), plan.recipe, workers=plan.processes)
        with replacing(plan.vectors_file) as stream:
            np.save(stream, vectors)
    found: NDArray[np.float32] = np.load(plan.vectors_file)
    return found


def vector_corpora(plan: Plan, sides: dict[str, Side], vocabulary: Vocabulary) -> dict[Source, Encoded]:
    """The corpora that the vectors are made from."""
    known = {source: corpus for side in sides.values() for source, corpus in side.items()}
    read = read_side([s for s in plan.vector_sources if s not in known], plan.corpora_folder, processes=plan.processes)
    known |= dict(read.remap(vocabulary).items())
    return {source: known[source] for source in plan.vector_sources}
