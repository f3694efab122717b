"""Training: corpora in, bundle out, in stages. A resumed run skips the stages that are done.

open the folder of the run -> read the corpora, choose the vocabulary -> language models -> parser, if there are trees
-> vectors -> counts and bundle
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.bundle.bundle import DEFAULT_BUNDLE, Bundle, open_bundle
from tersely.bundle.writing import check_folder, copy_bundle, write_bundle
from tersely.errors import BundleError, FileError
from tersely.system.files import replacing, write_text
from tersely.text.vocabulary import Vocabulary
from tersely.training.card import factors_line, figures, model_card, parser_figures, with_readers
from tersely.training.corpus import CorpusFile, Encoded, choose_vocabulary, read_corpora
from tersely.training.counts import DocumentCounts, add_counts, count_corpus, inverse_document_frequency
from tersely.training.export import Tensors, check_sizes, lm_tensors, table_tensors
from tersely.training.lm import LmTrainer
from tersely.training.parser import train_parser
from tersely.training.plan import Log, Plan, open_run
from tersely.training.train_lms import train_lms
from tersely.training.validate import measure_all
from tersely.training.vectors import train_vectors, whitened

READERS = ("encoder", "parser", "editor")  # the parts of a bundle that read a sentence, on the same states
FEW_WORDS = 5_000  # of a vocabulary; the bundle that ships has 40,000, and a page of news some hundred
MOST_LINES = 2_000  # of each set of lines, for the figures of a bundle

Corpora = Mapping[CorpusFile, Encoded]


def build(plan: Plan, log: Log) -> Path:
    """Train what the plan asks for and write the bundle; the folder of the bundle."""
    check_folder(plan.out)
    if missing := [path for path in plan.trees if not path.is_file()]:
        raise FileError(f"cannot read {missing[0]}: no such file")
    start = None if plan.start_from is None else open_bundle(plan.start_from)
    if start is None or not plan.only_one_part:
        build_all(plan, start, log)
    elif plan.trees:
        add_parser(start, plan.out, *train_parser(plan, start.vocabulary, plan.run, log))
    else:
        replace_vectors(plan, start, log)
    log(factors_line(open_bundle(plan.out)))
    return plan.out


def build_all(plan: Plan, start: Bundle | None, log: Log) -> None:
    """Train language models, vectors and, with trees, a parser, and write the bundle."""
    if start is not None:
        check_sizes(start, plan.recipe)
    open_run(plan.run, plan.settings(), log)
    corpora, vocabulary = prepare(plan, start, log)
    trainers, valid = train_lms(plan, start, corpora, vocabulary, log)
    readers: Tensors = {}
    described: dict[str, Any] = {}
    if plan.trees:
        readers, described["parser"] = train_parser(plan, vocabulary, plan.run / "parser", log)
    elif start is not None:  # what reads a sentence in it still fits, because the vocabulary is the same
        readers = {name: tensor for name, tensor in start.tensors.items() if name.partition(".")[0] in READERS}
        described = {name: start.description[name] for name in READERS if name in start.description}
    vectors = make_vectors(plan, corpora, vocabulary, log)
    tensors, counts = counted_tensors(plan, corpora, vectors)
    lms, aliases = lm_tensors({name: network for t in trainers for name, network in t.networks.items()})
    description = {**describe(plan, corpora, counts, trainers, valid), "aliases": aliases, **described}
    if start is not None:
        description["started from"] = start.signature
    description |= known_objectives(start)
    write_bundle(
        plan.out,
        vocabulary=vocabulary,
        tensors={**tensors, **lms, **readers},
        description=description,
        card=model_card(description, len(vocabulary)),
        wordpieces=start.wordpieces if start is not None and "encoder" in described else (),
        language=None if start is None else start.language_file,
    )
    for line in [*figures(description), *parser_figures(described.get("parser", {}))]:
        log(line)
    warn_of_guessing(description["figures"], len(vocabulary), log)


def prepare(plan: Plan, start: Bundle | None, log: Log) -> tuple[Corpora, Vocabulary]:
    """All corpora as ids of the vocabulary, and the vocabulary."""
    files = dict.fromkeys(plan.titles + plan.articles + plan.vector_files)
    corpora = read_corpora(files, plan.run / "corpora", processes=plan.processes)
    for name, side in plan.sides.items():
        for file in side:
            log(f"{name}: {file.path.name}, {corpora[file].size}")
    path = plan.run / "vocab.txt"
    if not path.exists():
        if start is not None:
            vocabulary = start.vocabulary
        else:
            read = [corpora[file] for file in plan.lm_files]
            # How often a word of each corpus is read, relative to the others: its weight divided by the corpus size.
            drawn = [file.weight / len(corpora[file].ids) * 1e6 for file in plan.lm_files]
            vocabulary = choose_vocabulary(read, drawn, size=plan.recipe.vocabulary, min_count=plan.recipe.min_count)
        write_text(path, "\n".join(vocabulary.pieces) + "\n")
    vocabulary = Vocabulary.read(path)
    known = {file: corpus.remap(vocabulary) for file, corpus in corpora.items()}
    ids = np.concatenate([known[file].ids for file in plan.lm_files])
    log(f"vocabulary: {len(vocabulary):,} words, {np.mean(ids == 0):.1%} of the {plan.recipe.lm_side} unknown")
    if len(vocabulary) < FEW_WORDS:
        log(
            f"warning: a vocabulary of {len(vocabulary):,} words is too small for texts that it was not made from: "
            "give more lines, at best 100,000 or more, or fit a bundle to your lines by tersely adapt"
        )
    return known, vocabulary


def make_vectors(plan: Plan, corpora: Corpora, vocabulary: Vocabulary, log: Log) -> NDArray[np.float32]:
    """The vectors of the vocabulary, trained or read from the folder of the run."""
    path = plan.run / "vectors.npy"
    if not path.exists():
        read = [corpora[file] for file in dict.fromkeys(plan.vector_files)]
        log(f"vectors: {sum(len(corpus.ids) for corpus in read):,} words, {plan.recipe.vector_epochs} epochs")
        vectors = train_vectors(read, len(vocabulary), plan.recipe, workers=plan.processes)
        with replacing(path) as stream:
            np.save(stream, vectors)
    found: NDArray[np.float32] = np.load(path)
    return found


def counted_tensors(
    plan: Plan, corpora: Corpora, vectors: NDArray[np.float32]
) -> tuple[Tensors, dict[str, DocumentCounts]]:
    """The tensors that need counts (those of the sides, idf, vectors that may be whitened), and the counts."""
    counted = {file: count_corpus(corpus, len(vectors)) for file, corpus in corpora.items()}
    of_sides = {
        name: add_counts([counted[file] for file in side], [file.count_weight for file in side])
        for name, side in plan.sides.items()
        if side
    }
    of_vectors = [counted[file] for file in dict.fromkeys(plan.vector_files)]
    lines = of_sides.get(plan.recipe.idf_side) or add_counts(of_vectors, [1.0] * len(of_vectors))
    tensors = {f"counts.{name}": counts.documents for name, counts in of_sides.items()}
    tensors["idf"] = inverse_document_frequency(lines.documents, lines.n_lines)
    made = whitened(vectors, lines.documents) if plan.recipe.vector_whitened else vectors
    return {**tensors, **table_tensors("vectors", made)}, of_sides


def describe(
    plan: Plan,
    corpora: Corpora,
    counts: Mapping[str, DocumentCounts],
    trainers: list[LmTrainer],
    valid: Mapping[str, Encoded],
) -> dict[str, Any]:
    """What the bundle says of its corpora, without their paths, and of the training of its language models."""
    networks = {name: network for trainer in trainers for name, network in trainer.networks.items()}
    return {
        "name": plan.out.resolve().name,
        "recipe": dataclasses.asdict(plan.recipe),
        "corpora": {
            name: [
                {
                    "name": file.name,
                    "lines": corpora[file].n_lines,
                    "words": len(corpora[file].ids),
                    "weight": file.weight,
                    "count weight": file.count_weight,
                    "left out": corpora[file].skipped._asdict(),
                }
                for file in plan.sides[name]
            ]
            for name in counts
        },
        "counts": {name: {"lines": side.n_lines, "words": side.n_words} for name, side in counts.items()},
        "training": {trainer.name: trainer.spent.described for trainer in trainers},
        "figures": {
            name: {
                "models": {
                    direction: {kind: round(figure, 4) for kind, figure in dataclasses.asdict(quality).items()}
                    for direction, quality in measure_all(networks, lines.part(0, MOST_LINES)).items()
                }
            }
            for name, lines in valid.items()
        },
    }


def warn_of_guessing(figures: Mapping[str, Any], n_words: int, log: Log) -> None:
    """A warning for each set of lines on which a model is no better than guessing among all words."""
    for name, entry in figures.items():
        for direction, model in entry["models"].items():
            if not (perplexity := model["perplexity"]) < n_words:
                log(
                    f"warning: {name}, {direction}: a perplexity of {perplexity:,.0f} is no better than guessing among "
                    f"{n_words:,} words: give more lines or a larger budget (--hours, --tokens)"
                )


def known_objectives(start: Bundle | None) -> dict[str, Any]:
    """The objectives of a new bundle: those of the bundle that ships, and of the one it starts from.

    Their weights were tuned for other models, but they are a better default than the paper's. Weights of factors that
    the bundle lacks are stored too, for a part that is added later.
    """
    known: dict[str, Any] = {"objectives": {}, "objectives from": {}}
    try:
        shipped = open_bundle(DEFAULT_BUNDLE)
    except BundleError:  # a missing bundle must not cost hours of training
        shipped = None
    for bundle in (shipped, start):
        if bundle is not None:
            stored = bundle.description.get("objectives", {})
            known["objectives"] |= stored
            known["objectives from"] |= dict.fromkeys(stored, bundle.signature)
    return known if known["objectives"] else {}


def replace_vectors(plan: Plan, bundle: Bundle, log: Log) -> None:
    """Write a copy of a bundle with vectors and idf of other text."""
    open_run(plan.run, plan.settings(), log)
    read = read_corpora(plan.vectors_from, plan.run / "corpora", processes=plan.processes)
    corpora = {file: corpus.remap(bundle.vocabulary) for file, corpus in read.items()}
    vectors = make_vectors(plan, corpora, bundle.vocabulary, log)
    tensors, _ = counted_tensors(plan, corpora, vectors)
    files = ", ".join(file.name for file in plan.vectors_from)
    card = f"{bundle.card}\nIts vectors and idf were made anew, of {files}; all else is that of {bundle.signature}.\n"
    description = {"vectors from": files, "started from": bundle.signature}
    copy_bundle(bundle, plan.out, tensors=tensors, description=description, card=card)


def add_parser(bundle: Bundle, out: Path, tensors: Tensors, description: Mapping[str, Any]) -> None:
    """Write a copy of a bundle with a parser, as `train_parser` returns it.

    Everything else stays: the other tensors, the objectives, and the card except its section on the parser. An editor
    is removed, because it uses the states of the old parser: `tersely learn` makes a new one.
    """
    copy_bundle(
        bundle,
        out,
        without=tuple(f"{name}." for name in READERS),
        tensors=tensors,
        description={**dict.fromkeys(READERS), "parser": description},
        card=with_readers(bundle.card, {"parser": description}),
    )
