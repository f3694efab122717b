"""Training: corpora in, bundle out, in stages. A resumed run skips the stages that are done.

open the folder of the run -> read the corpora, choose the vocabulary -> language models -> parser, if there are trees
-> vectors -> counts and bundle
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.bundle.bundle import DEFAULT_BUNDLE, Bundle, open_bundle
from tersely.bundle.writing import check_folder, copy_bundle, write_bundle
from tersely.errors import BundleError, FileError, InputError
from tersely.scoring.factors import available
from tersely.sentence.bilstm import BiLstm
from tersely.system.files import replacing, write_text
from tersely.text.vocabulary import Vocabulary
from tersely.training.card import factors_line, figures, model_card, parser_figures, with_parser, without_editor
from tersely.training.corpus import CorpusFile, Encoded, choose_vocabulary, read_corpora
from tersely.training.counts import DocumentCounts, add_counts, count_corpus, inverse_document_frequency
from tersely.training.doubts import perplexity_warnings, vocabulary_warnings
from tersely.training.export import Tensors, check_sizes, lm_tensors, table_tensors
from tersely.training.parser import train_parser
from tersely.training.plan import Plan, open_run
from tersely.training.recipes import Recipe
from tersely.training.run import Log, groups, resume_hint, stop_signals, train_directions, trainer_for, validation
from tersely.training.validate import int8_gaps, model_figures
from tersely.training.vectors import train_vectors, whitened

READERS = ("encoder", "parser", "editor")  # the parts of a bundle that read a sentence, on the same states

Corpora = Mapping[CorpusFile, Encoded]
DescribedTensors = tuple[Mapping[str, NDArray[Any]], dict[str, Any]]


def build(plan: Plan, log: Log) -> Path:
    """Train what the plan asks for and write the bundle; the folder of the bundle."""
    check_folder(plan.out)
    if missing := [path for path in plan.trees if not path.is_file()]:
        raise FileError(f"cannot read {missing[0]}: no such file")
    if plan.only_parser and plan.start_from is not None:
        bundle = open_bundle(plan.start_from)
        parser = make_parser(plan, bundle.vocabulary, log)
        add_parser(bundle.folder, parser[0], parser[1]["parser"], out=plan.out)
        log(factors_line(open_bundle(plan.out)))
        return plan.out
    if plan.only_vectors and plan.start_from is not None:
        return replace_vectors(plan, open_bundle(plan.start_from), log)
    if plan.start_from is not None:
        check_sizes(open_bundle(plan.start_from), plan.recipe)
    if open_run(plan.run, plan.settings()):
        log(f"resumes the run in {plan.run}")
    corpora, vocabulary = prepare(plan, log)
    train_directions(plan, log)
    parser = make_parser(plan, vocabulary, log)
    vectors = make_vectors(plan, corpora, vocabulary, log)
    for line in assemble(plan, corpora, vocabulary, vectors, parser):
        log(line)
    return plan.out


def prepare(plan: Plan, log: Log) -> tuple[Corpora, Vocabulary]:
    """All corpora as ids of the vocabulary, and the vocabulary."""
    files = dict.fromkeys(plan.titles + plan.articles + plan.vector_files)
    corpora = read_corpora(files, plan.corpora_folder, processes=plan.processes)
    for name, side in plan.sides.items():
        for file in side:
            corpus = corpora[file]
            left_out = f" (left out: {corpus.skipped})" if str(corpus.skipped) else ""
            log(f"{name}: {file.path.name}, {corpus.n_lines:,} lines, {len(corpus.ids):,} words{left_out}")
            if not corpus.n_lines:
                raise InputError(f"{file.path} has no line with a word in it")
    if not plan.vocabulary_file.exists():
        if plan.start_from is not None:
            vocabulary = open_bundle(plan.start_from).vocabulary
        else:
            read = [corpora[file] for file in plan.lm_files]
            # How often a word of each corpus is read, relative to the others: its weight divided by the corpus size.
            drawn = [f.weight / max(len(c.ids), 1) * 1e6 for f, c in zip(plan.lm_files, read, strict=True)]
            vocabulary = choose_vocabulary(read, drawn, size=plan.recipe.vocabulary, min_count=plan.recipe.min_count)
        write_text(plan.vocabulary_file, "\n".join(vocabulary.pieces) + "\n")
    vocabulary = Vocabulary.read(plan.vocabulary_file)
    known = {file: corpus.remap(vocabulary) for file, corpus in corpora.items()}
    ids = np.concatenate([known[file].ids for file in plan.lm_files])
    log(f"vocabulary: {len(vocabulary):,} words, {np.mean(ids == 0):.1%} of the {plan.recipe.lm_side} unknown")
    for line in vocabulary_warnings(len(vocabulary)):
        log(line)
    return known, vocabulary


def make_parser(plan: Plan, vocabulary: Vocabulary, log: Log) -> DescribedTensors:
    """The tensors and descriptions of the parser: newly trained, or of the bundle to start from, or empty.

    Those of a bundle come with the encoder and the editor, if there are any.
    """
    if plan.trees:
        with resume_hint(plan.run, log), stop_signals() as stop:
            tensors, description = train_parser(
                plan.trees, vocabulary, plan.parser_folder,
                recipe=plan.parser_recipe, hours=plan.parser_hours, log=log, stop=stop,
            )  # fmt: skip
        return tensors, {"parser": description}
    if plan.start_from is not None:  # its parser still fits, because the vocabulary is the same
        bundle = open_bundle(plan.start_from)
        tensors = {name: tensor for name, tensor in bundle.tensors.items() if name.partition(".")[0] in READERS}
        return tensors, {name: bundle.description[name] for name in READERS if name in bundle.description}
    return {}, {}


def make_vectors(plan: Plan, corpora: Corpora, vocabulary: Vocabulary, log: Log) -> NDArray[np.float32]:
    """The vectors of the vocabulary, trained or read from the folder of the run."""
    if not plan.vectors_file.exists():
        read = [corpora[file] for file in dict.fromkeys(plan.vector_files)]
        log(f"vectors: {sum(len(corpus.ids) for corpus in read):,} words, {plan.recipe.vector_epochs} epochs")
        vectors = train_vectors(read, len(vocabulary), plan.recipe, workers=plan.processes)
        with replacing(plan.vectors_file) as stream:
            np.save(stream, vectors)
    found: NDArray[np.float32] = np.load(plan.vectors_file)
    return found


def replace_vectors(plan: Plan, bundle: Bundle, log: Log) -> Path:
    """Write a copy of a bundle with vectors and idf of other text; the folder of the copy."""
    if open_run(plan.run, plan.settings()):
        log(f"resumes the run in {plan.run}")
    read = read_corpora(plan.vectors_from, plan.corpora_folder, processes=plan.processes)
    corpora = {file: corpus.remap(bundle.vocabulary) for file, corpus in read.items()}
    vectors = make_vectors(plan, corpora, bundle.vocabulary, log)
    counted = [count_corpus(corpora[file], len(bundle.vocabulary)) for file in dict.fromkeys(plan.vectors_from)]
    tensors = vector_tensors(vectors, add_counts(counted, [1.0] * len(counted)), plan.recipe)
    files = ", ".join(file.name for file in plan.vectors_from)
    card = f"{bundle.card}\nIts vectors and idf were made anew, of {files}; all else is that of {bundle.signature}.\n"
    description = {"vectors from": files, "started from": bundle.signature}
    copy_bundle(bundle, plan.out, tensors=tensors, description=description, card=card)
    log(factors_line(open_bundle(plan.out)))
    return plan.out


def vector_tensors(vectors: NDArray[np.float32], lines: DocumentCounts, recipe: Recipe) -> Tensors:
    """The tensors of the vectors, whitened if the recipe wants it, and idf over the same lines."""
    made = whitened(vectors, lines.documents) if recipe.vector_whitened else vectors
    return {**table_tensors("vectors", made), "idf": inverse_document_frequency(lines.documents, lines.n_lines)}


def assemble(
    plan: Plan, corpora: Corpora, vocabulary: Vocabulary, vectors: NDArray[np.float32], parser: DescribedTensors
) -> list[str]:
    """Write the bundle from the newest checkpoints and measure it; lines with its figures and factors."""
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
    tensors: Tensors = {
        **vector_tensors(vectors, lines, plan.recipe),
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
    description |= parser[1]
    wordpieces: Sequence[str] = ()
    language = None
    if plan.start_from is not None:
        start = open_bundle(plan.start_from)
        description["started from"] = start.signature
        wordpieces, language = start.wordpieces if "encoder" in description else (), start.language_file
    # Written twice: the figures of the stored bundle are a part of its description.
    for measured in (False, True):
        if measured:
            description["int8"] = int8_gaps(open_bundle(plan.out), networks, list(valid.values())[-1])
            description |= known_objectives(plan, available(open_bundle(plan.out)))
        card = model_card(description, len(vocabulary))
        write_bundle(
            plan.out, vocabulary=vocabulary, tensors=tensors, description=description, card=card,
            wordpieces=wordpieces, language=language,
        )  # fmt: skip
    doubts = perplexity_warnings(description["figures"], len(vocabulary))
    shown = [*figures(description), *parser_figures(description.get("parser", {})), *doubts]
    return [*shown, factors_line(open_bundle(plan.out))]


def known_objectives(plan: Plan, factors: Sequence[str]) -> dict[str, Any]:
    """The objectives of a new bundle: those of the bundle that ships, and of the one it starts from.

    Their weights were tuned for other models, but they are a better default than the paper's. Weights of factors that
    the bundle lacks are stored too, for a part that is added later.
    """
    known: dict[str, Any] = {"objectives": {}, "objectives from": {}}
    for folder in (DEFAULT_BUNDLE, plan.start_from):
        try:
            bundle = open_bundle(folder or "")
        except BundleError:  # a missing bundle must not cost hours of training
            continue
        stored = bundle.description.get("objectives", {})
        known["objectives"] |= stored
        known["objectives from"] |= dict.fromkeys(stored, bundle.signature)
    return known if known["objectives"] and "fluency" in factors else {}


def add_parser(
    folder: Path, tensors: Mapping[str, NDArray[Any]], description: Mapping[str, Any], out: Path | None = None
) -> None:
    """Add a parser, as `train_parser` returns it, to a bundle or to a copy of it in `out`.

    Everything else stays: the other tensors, the objectives, and the card except its section on the parser. An editor
    is removed, because it uses the states of the old parser: `tersely learn` makes a new one.
    """
    bundle = open_bundle(folder)
    named = {name.removeprefix("parser."): tensor for name, tensor in tensors.items()}
    BiLstm.from_tensors(named.__getitem__, description, bundle.vocabulary)  # raises for one of another vocabulary
    copy_bundle(
        bundle,
        folder if out is None else out,
        without=tuple(f"{name}." for name in READERS),
        tensors=tensors,
        description={**dict.fromkeys(READERS), "parser": dict(description)},
        card=with_parser(without_editor(bundle.card), description),
    )


def describe(plan: Plan, corpora: Corpora) -> dict[str, list[dict[str, Any]]]:
    """The corpora as the bundle lists them: names and sizes, without paths."""
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
