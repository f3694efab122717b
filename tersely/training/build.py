"""Beside the flow: corpora in, bundle out, in stages, each of which is skipped if it was done before.

claim the run's folder -> read the corpora, choose the vocabulary -> language models -> parser, if there are trees
-> vectors -> counts and bundle
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.bundle import Bundle, check_place, open_bundle, write_bundle
from tersely.errors import BundleError, FileError, InputError
from tersely.files import replacing, write_text
from tersely.scoring.factors import available
from tersely.scoring.parser import Parser
from tersely.summarizer import DEFAULT_BUNDLE
from tersely.training.card import factors_line, model_card, summary, with_parser
from tersely.training.corpus import CorpusFile, Encoded, choose_vocabulary, read_corpora
from tersely.training.counts import add_counts, count_corpus, inverse_document_frequency
from tersely.training.export import Tensors, check_sizes, lm_tensors, table_tensors
from tersely.training.parser import train_parser
from tersely.training.plan import Plan, claim
from tersely.training.run import (
    Report,
    groups,
    saying_how_to_resume,
    train_directions,
    trainer_for,
    validation,
    watching_for_stop,
)
from tersely.training.validate import int8_gaps, model_figures
from tersely.training.vectors import train_vectors, whitened
from tersely.vocab import Vocabulary

Corpora = Mapping[CorpusFile, Encoded]
DescribedTensors = tuple[Mapping[str, NDArray[Any]], dict[str, Any]]


def build(plan: Plan, report: Report) -> Path:
    """Train what the plan asks for and write the bundle; its folder."""
    check_place(plan.out)
    if missing := [path for path in plan.trees if not path.is_file()]:
        raise FileError(f"cannot read {missing[0]}: there is no such file")
    if plan.only_parser and plan.start_from is not None:
        bundle = open_bundle(plan.start_from)
        parser = make_parser(plan, bundle.vocabulary, report)
        add_parser(bundle.folder, *parser, out=plan.out)
        report(factors_line(open_bundle(plan.out)))
        return plan.out
    if plan.only_vectors and plan.start_from is not None:
        return replace_vectors(plan, open_bundle(plan.start_from), report)
    if plan.start_from is not None:
        check_sizes(open_bundle(plan.start_from), plan.recipe)
    if claim(plan.run, plan.settings()):
        report(f"resumes the run in {plan.run}")
    corpora, vocabulary = prepare(plan, report)
    train_directions(plan, report)
    parser = make_parser(plan, vocabulary, report)
    vectors = make_vectors(plan, corpora, vocabulary, report)
    for line in assemble(plan, corpora, vocabulary, vectors, parser):
        report(line)
    return plan.out


def prepare(plan: Plan, report: Report) -> tuple[Corpora, Vocabulary]:
    """All corpora in the ids of the vocabulary, and the vocabulary."""
    files = dict.fromkeys(plan.titles + plan.articles + plan.vector_files)
    corpora = read_corpora(files, plan.corpora_folder, processes=plan.processes)
    for name, side in plan.sides.items():
        for file in side:
            corpus = corpora[file]
            left_out = f" (left out: {corpus.skipped})" if str(corpus.skipped) else ""
            report(f"{name}: {file.path.name}, {corpus.n_lines:,} lines, {len(corpus.ids):,} words{left_out}")
            if not corpus.n_lines:
                raise InputError(f"{file.path} has no line with a word in it")
    if not plan.vocabulary_file.exists():
        if plan.start_from is not None:
            vocabulary = open_bundle(plan.start_from).vocabulary
        else:
            read = [corpora[file] for file in plan.lm_files]
            # How often a word of each corpus is read, relative to the others: its weight by the size of the corpus.
            drawn = [f.weight / max(len(c.ids), 1) * 1e6 for f, c in zip(plan.lm_files, read, strict=True)]
            vocabulary = choose_vocabulary(read, drawn, size=plan.recipe.vocabulary, min_count=plan.recipe.min_count)
        write_text(plan.vocabulary_file, "\n".join(vocabulary.pieces) + "\n")
    vocabulary = Vocabulary.read(plan.vocabulary_file)
    known = {file: corpus.remap(vocabulary) for file, corpus in corpora.items()}
    ids = np.concatenate([known[file].ids for file in plan.lm_files])
    report(f"vocabulary: {len(vocabulary):,} words, {np.mean(ids == 0):.1%} of the {plan.recipe.lm_side} unknown")
    return known, vocabulary


def make_parser(plan: Plan, vocabulary: Vocabulary, report: Report) -> DescribedTensors:
    """The parser's tensors and description: trained from the trees, that of the bundle to start from, or none."""
    if plan.trees:
        with saying_how_to_resume(plan, report), watching_for_stop() as stop:
            return train_parser(
                plan.trees, vocabulary, plan.parser_folder,
                recipe=plan.parser_recipe, hours=plan.parser_hours, report=report, stop=stop,
            )  # fmt: skip
    if plan.start_from is not None:  # the vocabulary is the same, so its parser still reads it
        bundle = open_bundle(plan.start_from)
        tensors = {name: tensor for name, tensor in bundle.tensors.items() if name.startswith("parser.")}
        return tensors, dict(bundle.description.get("parser", {}))
    return {}, {}


def make_vectors(plan: Plan, corpora: Corpora, vocabulary: Vocabulary, report: Report) -> NDArray[np.float32]:
    """The vectors of the vocabulary, trained or taken from the run's folder."""
    if not plan.vectors_file.exists():
        read = [corpora[file] for file in dict.fromkeys(plan.vector_files)]
        report(f"vectors: {sum(len(corpus.ids) for corpus in read):,} words, {plan.recipe.vector_epochs} epochs")
        vectors = train_vectors(read, len(vocabulary), plan.recipe, workers=plan.processes)
        with replacing(plan.vectors_file) as stream:
            np.save(stream, vectors)
    found: NDArray[np.float32] = np.load(plan.vectors_file)
    return found


def replace_vectors(plan: Plan, bundle: Bundle, report: Report) -> Path:
    """Write a copy of a bundle with vectors, and their idf, of other text; the language models stay as they are.

    A selector was taught by the old vectors, so it goes: `tersely distill` makes a new one.
    """
    if claim(plan.run, plan.settings()):
        report(f"resumes the run in {plan.run}")
    read = read_corpora(plan.vectors_from, plan.corpora_folder, processes=plan.processes)
    corpora = {file: corpus.remap(bundle.vocabulary) for file, corpus in read.items()}
    vectors = make_vectors(plan, corpora, bundle.vocabulary, report)
    counted = [count_corpus(corpora[file], len(bundle.vocabulary)) for file in dict.fromkeys(plan.vectors_from)]
    lines = add_counts(counted, [1.0] * len(counted))
    if plan.recipe.vector_whitened:
        vectors = whitened(vectors, lines.documents)
    others = {name: tensor for name, tensor in bundle.tensors.items() if not name.startswith("selector.")}
    tensors = {
        **others,
        **table_tensors("vectors", vectors),
        "idf": inverse_document_frequency(lines.documents, lines.n_lines),
    }
    name, files = plan.out.resolve().name, ", ".join(file.name for file in plan.vectors_from)
    description = {**bundle.description, "name": name, "vectors from": files, "started from": bundle.signature}
    description.pop("selector", None)
    card = re.sub(r"\A# .*", f"# {name}", bundle.card)
    card += f"\nIts vectors and idf were made anew, of {files}; all else is that of {bundle.signature}.\n"
    write_bundle(plan.out, vocabulary=bundle.vocabulary, tensors=tensors, description=description, card=card)
    report(factors_line(open_bundle(plan.out)))
    return plan.out


def assemble(
    plan: Plan, corpora: Corpora, vocabulary: Vocabulary, vectors: NDArray[np.float32], parser: DescribedTensors
) -> list[str]:
    """Write the bundle from the newest checkpoints and measure it; lines that say what it can do."""
    trainers = [trainer_for(plan, group) for group in groups(plan)]
    networks = {direction: network for trainer in trainers for direction, network in trainer.networks.items()}
    lms, aliases = lm_tensors(networks)
    counted = {file: count_corpus(corpus, len(vocabulary)) for file, corpus in corpora.items()}
    of_sides = {
        name: add_counts([counted[file] for file in side], [file.count_weight for file in side])
        for name, side in plan.sides.items()
        if side
    }
    of_vectors = [counted[file] for file in dict.fromkeys(plan.vector_files)]
    lines = of_sides.get(plan.recipe.idf_side) or add_counts(of_vectors, [1.0] * len(of_vectors))
    if plan.recipe.vector_whitened:
        vectors = whitened(vectors, lines.documents)
    tensors: Tensors = {
        **table_tensors("vectors", vectors),
        "idf": inverse_document_frequency(lines.documents, lines.n_lines),
        **{f"counts.{name}": counts.documents for name, counts in of_sides.items()},
        **lms,
        **parser[0],
    }
    valid = validation(plan, vocabulary)
    description: dict[str, Any] = {
        "name": plan.out.resolve().name,
        "recipe": dataclasses.asdict(plan.recipe),
        "corpora": describe(plan, corpora),
        "counts": {name: {"lines": counts.n_lines, "words": counts.n_words} for name, counts in of_sides.items()},
        "aliases": aliases,
        "training": {
            t.name: {"tokens": t.spent.n_tokens, "steps": t.spent.n_steps, "hours": round(t.spent.seconds / 3600, 3)}
            for t in trainers
        },
        "figures": model_figures(networks, valid),
    }
    if parser[1]:
        description["parser"] = parser[1]
    if plan.start_from is not None:
        description["started from"] = open_bundle(plan.start_from).signature
    # Written twice: the stored bundle is measured, and the figures belong into its description.
    for measured in (False, True):
        if measured:
            description["int8"] = int8_gaps(open_bundle(plan.out), networks, list(valid.values())[-1])
            description |= known_objectives(plan, available(open_bundle(plan.out)))
        card = model_card(description, len(vocabulary))
        write_bundle(plan.out, vocabulary=vocabulary, tensors=tensors, description=description, card=card)
    return [*summary(description), factors_line(open_bundle(plan.out))]


def known_objectives(plan: Plan, factors: Sequence[str]) -> dict[str, Any]:
    """The objectives for a new bundle: those of the bundle that ships, and of the one it starts from.

    Their weights were tuned for other models, but they are a better default than the paper's; factors that the bundle
    has not are left out.
    """
    known: dict[str, dict[str, float]] = {}
    prose: dict[str, dict[str, float]] = {}
    origin: dict[str, str] = {}
    for folder in (DEFAULT_BUNDLE, plan.start_from):
        try:
            bundle = open_bundle(folder or "")
        except BundleError:  # a copy without a trained bundle is no reason to lose hours of training
            continue
        for name, weights in bundle.description.get("objectives", {}).items():
            if "fluency" in factors:
                known[name] = {factor: weight for factor, weight in weights.items() if factor in factors}
                in_prose = bundle.prose.get(name, weights)
                prose[name] = {factor: weight for factor, weight in in_prose.items() if factor in factors}
                origin[name] = bundle.signature
    prose = {name: weights for name, weights in prose.items() if weights != known[name]}
    return {"objectives": known, "prose": prose, "objectives from": origin} if known else {}


def add_parser(
    folder: Path, tensors: Mapping[str, NDArray[Any]], description: Mapping[str, Any], out: Path | None = None
) -> None:
    """Put a parser, named and described as by `train_parser`, into a bundle, or into a copy of it in `out`.

    All else stays: the other tensors, the objectives, the card but for its section on the parser. A selector reads the
    old parser's states, so it goes: `tersely distill` makes a new one.
    """
    bundle = open_bundle(folder)
    others = {name: tensor for name, tensor in bundle.tensors.items() if not name.startswith(("parser.", "selector."))}
    card, described = with_parser(bundle.card, description), {**bundle.description, "parser": dict(description)}
    described.pop("selector", None)
    if out is not None:
        described["name"] = out.resolve().name
        card = re.sub(r"\A# .*", f"# {described['name']}", card)
    Parser.from_tensors(tensors.__getitem__, description, bundle.vocabulary)  # refuses one of another vocabulary
    write_bundle(
        folder if out is None else out,
        vocabulary=bundle.vocabulary,
        tensors={**others, **tensors},
        description=described,
        card=card,
    )


def describe(plan: Plan, corpora: Corpora) -> dict[str, list[dict[str, Any]]]:
    """The corpora as the bundle lists them: names and sizes, no paths."""
    return {
        name: [
            {
                "name": file.name,
                "lines": corpora[file].n_lines,
                "words": len(corpora[file].ids),
                "weight": file.weight,
                "count weight": file.count_weight,
                "left out": corpora[file].skipped._asdict(),
            }
            for file in side
        ]
        for name, side in plan.sides.items()
        if side
    }
