"""Training: sources with shortenings in, a bundle with an editor out.

Three cases. A bundle with a pretrained encoder: encoder, parser and editor learn on, or the editor alone (`frozen`). A
folder with a pretrained encoder, and trees: all three are made for the bundle. A bundle whose parser has layers of its
own, as for a language without such an encoder: the editor alone learns, on the parser's states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tersely.bundle.bundle import Bundle, open_bundle
from tersely.bundle.writing import check_folder, copy_bundle
from tersely.errors import InputError
from tersely.scoring.editor import Editor
from tersely.sentence.labels import LABELS
from tersely.sentence.parser import Parser
from tersely.training.card import factors_line, with_readers
from tersely.training.conllu import TreebankSentence
from tersely.training.encoder_network import (
    HEADS_DROPOUT,
    EditorNetwork,
    EditorOnEncoder,
    EncoderNetwork,
    Frozen,
    load_tensors,
    numpy_models,
    part,
    stored_tensors,
)
from tersely.training.export import Tensors
from tersely.training.learn import OTHER_STYLES, PAIRS, TREES, ReaderTrainer, edit_agreement, own_trees, tasks
from tersely.training.parser_network import ParserHeads
from tersely.training.plan import Log, open_run
from tersely.training.pretrained import read_pretrained
from tersely.training.recipes import LearnRecipe
from tersely.training.run import run, stoppable
from tersely.training.shortenings import Shortened, read_shortenings, token_words
from tersely.training.treebank import LONGEST, hold_out, read_treebank, tree_agreement

FEW = 200  # pairs of source and shortening
CHECKPOINT = "editor.pt"


@dataclass(frozen=True)
class LearnPlan:
    """A run of `tersely learn`: shortenings, budget, the bundle that it starts from, and the folders that it writes."""

    pairs: tuple[Path, ...]
    bundle: Path
    out: Path
    run: Path
    recipe: LearnRecipe = LearnRecipe()
    hours: float | None = None
    encoder: Path | None = None  # the folder of a pretrained one
    trees: tuple[Path, ...] = ()
    frozen: bool = False

    def __post_init__(self) -> None:
        for option, value in (("--hours", self.hours), ("--rounds", self.recipe.rounds)):
            if value is not None and not 0 < value < float("inf"):
                raise InputError(f"{option} is above 0, not {value:g}")
        if self.encoder is not None and not self.trees:
            raise InputError("a new encoder needs a parser: give --trees with --encoder")
        if self.frozen and (self.encoder is not None or self.trees):
            raise InputError("with --frozen the editor alone learns: leave out --encoder and --trees")

    def settings(self, bundle: Bundle) -> dict[str, Any]:
        """What has to stay the same for a run to be resumed; hours may change."""
        files = {"pairs": [str(path.resolve()) for path in self.pairs], "trees": [str(p.resolve()) for p in self.trees]}
        encoder = None if self.encoder is None else str(self.encoder.resolve())
        return {**asdict(self.recipe), **files, "encoder": encoder, "frozen": self.frozen, "bundle": bundle.signature}


@dataclass(frozen=True)
class _Model:
    """The network that learns, and how its tensors become a parser and an editor in numpy."""

    network: EditorOnEncoder | Frozen
    numpy_models: Callable[[Tensors], tuple[Parser, Editor]]
    far_needs: float
    encoder: Mapping[str, Any] | None = None  # its description, if it learns
    wordpieces: Sequence[str] = ()


def learn(plan: LearnPlan, log: Log) -> Path:
    """Learn the editor, and write a copy of the bundle with it; the folder of that copy."""
    torch.set_num_threads(1)
    bundle = open_bundle(plan.bundle)
    check_folder(plan.out)
    sources, refused = read_shortenings(plan.pairs)
    model = _model(plan, bundle)
    open_run(plan.run, plan.settings(bundle), log)
    for line in refused:
        log(f"left out: {line}")
    rest, held_out = _split(sources, model, log)
    trees, held_out_trees = _trees(plan, bundle, model, rest)
    trainer = ReaderTrainer(
        model.network, tasks(rest, trees), plan.recipe,
        new_parser=plan.encoder is not None, checkpoint=plan.run / CHECKPOINT,
    )  # fmt: skip
    before = None
    if held_out and plan.encoder is None and "editor.word" in bundle and bundle.parser:
        before = edit_agreement(bundle.parser, bundle.editor(), held_out)
        log(f"editor: before, held out: {before}")
    measure = partial(_measure, model, trainer, held_out, held_out_trees, log)
    with stoppable(plan.run, log) as stop:
        run(trainer, hours=plan.hours, log=log, validate=measure, stop=stop)
    described = _description(plan, bundle, model, trainer, measure())
    if before:
        described["editor"]["before"] = _rounded(before._asdict())
    copy_bundle(
        bundle,
        plan.out,
        without=("editor.",) if model.encoder is None else ("encoder.", "parser.", "editor."),
        tensors=stored_tensors(trainer.averaged),
        description=described,
        wordpieces=model.wordpieces,
        card=with_readers(bundle.card, {**bundle.description, **described}),
    )
    log(factors_line(open_bundle(plan.out)))
    return plan.out


def _measure(
    model: _Model,
    trainer: ReaderTrainer,
    held_out: Sequence[Shortened],
    trees: Sequence[TreebankSentence],
    log: Log,
) -> dict[str, Any]:
    """The figures of the editor and of the parser on what is held out, also as lines of the report."""
    parser, editor = model.numpy_models(stored_tensors(trainer.averaged))
    figures: dict[str, Any] = {}
    if held_out:
        found = edit_agreement(parser, editor, held_out)
        log(f"editor: step {trainer.spent.n_steps:,}, held out: {found}")
        figures["editor"] = {**_rounded(found._asdict()), "sources": len(held_out)}
    if trees:
        agreed = tree_agreement(parser, trees)
        log(f"parser: held out: {agreed['heads']:.1%} of heads, {agreed['labels']:.1%} with labels")
        figures["parser"] = {"as written": agreed}
    return figures


def _model(plan: LearnPlan, bundle: Bundle) -> _Model:
    """What learns, with the weights of the bundle as far as it has them."""
    torch.manual_seed(plan.recipe.seed)
    far_needs = plan.recipe.far_needs
    if plan.encoder is None:
        far_needs = bundle.description.get("editor", {}).get("far_needs", far_needs)
    if plan.encoder is not None:
        tensors, description, wordpieces = read_pretrained(plan.encoder)
        encoder = EncoderNetwork(part(tensors, "encoder"), description, wordpieces)
        heads = ParserHeads(encoder.width, plan.recipe.arc, plan.recipe.label, HEADS_DROPOUT)
        network = EditorOnEncoder(encoder, heads, EditorNetwork(encoder.width), plan.recipe)
    elif bundle.parser is None:
        raise InputError(f"the bundle {bundle.folder} has no parser, which an editor needs: tersely train --trees")
    elif plan.frozen or "encoder" not in bundle.description:
        if plan.trees:
            raise InputError("the parser of this bundle has layers of its own: tersely train --trees trains it")
        parser, editor = bundle.parser, _editor(bundle)
        frozen = Frozen(editor, parser, plan.recipe)
        return _Model(frozen, lambda tensors: (parser, Editor(part(tensors, "editor"), far_needs)), far_needs)
    else:
        description, wordpieces = bundle.description["encoder"], bundle.wordpieces
        encoder = EncoderNetwork(bundle.part("encoder"), description, wordpieces)
        arc, label = len(bundle.tensor("parser.arc")), len(bundle.tensor("parser.label")) - 1
        heads = ParserHeads(encoder.width, arc, label, HEADS_DROPOUT)
        load_tensors(heads, bundle.part("parser"))
        network = EditorOnEncoder(encoder, heads, _editor(bundle), plan.recipe)
    models = partial(numpy_models, description=description, wordpieces=wordpieces, far_needs=far_needs)
    return _Model(network, models, far_needs, description, wordpieces)


def _editor(bundle: Bundle) -> EditorNetwork:
    """The bundle's editor, or a new one."""
    width = int(bundle.tensor("parser.roles").shape[1])
    if "editor.word" not in bundle:
        return EditorNetwork(width)
    sizes = (bundle.tensor(f"editor.{name}").shape for name in ("border", "word", "gap"))
    (_, role), (word, _), (gap, _) = sizes
    editor = EditorNetwork(width, role, word, gap)
    load_tensors(editor, bundle.part("editor"))
    return editor


def _split(sources: Sequence[Shortened], model: _Model, log: Log) -> tuple[list[Shortened], list[Shortened]]:
    """The sources to learn from, and those that are held out."""
    longest = int(model.encoder["window"]) if model.encoder else LONGEST
    short = [source for source in sources if model.network.size(source.words) <= longest]
    rest = [source for source in short if not source.held_out]
    held_out = [source for source in short if source.held_out and not source.style]
    n_pairs = sum(len(source.masks) for source in rest)
    left_out = f"; {len(sources) - len(short):,} are too long" if len(short) < len(sources) else ""
    log(f"{n_pairs:,} shortenings of {len(rest):,} sources, {len(held_out):,} sources held out{left_out}")
    if n_pairs < FEW:
        log(f"warning: {n_pairs:,} shortenings are few: below {FEW} an editor learns them by heart")
    if not any(source.style == 0 for source in rest):
        raise InputError("no shortenings to learn from: all are held out, too long, or of another style")
    return rest, held_out


def _trees(
    plan: LearnPlan, bundle: Bundle, model: _Model, sources: Sequence[Shortened]
) -> tuple[list[TreebankSentence], list[TreebankSentence]]:
    """The trees to learn from, and those that are held out."""
    if model.encoder is None:
        return [], []
    parser = bundle.parser if plan.encoder is None else None  # what a bundle's own parser knows must not be forgotten
    own = [] if parser is None else own_trees(parser, [source.words for source in sources if not source.style])
    longest = int(model.encoder["window"])
    found = read_treebank(plan.trees) if plan.trees else []
    trees = [tree for tree in found if model.network.size(token_words(tree.forms)) <= longest]
    rest, held_out = hold_out(trees, plan.recipe.held_out_trees)
    return own + rest, held_out


def _description(
    plan: LearnPlan, bundle: Bundle, model: _Model, trainer: ReaderTrainer, figures: Mapping[str, Any]
) -> dict[str, Any]:
    """What the new bundle says of its editor, and of its parser and encoder."""
    spent, items = trainer.spent, trainer.items
    sources = [source for task in (PAIRS, OTHER_STYLES) for source in items.get(task, [])]
    n_pairs = sum(len(source.masks) for source in sources)
    editor = {
        "far_needs": model.far_needs,
        "pairs": {"files": [path.name for path in plan.pairs], "sources": len(sources), "shortenings": n_pairs},
        "training": {"steps": spent.n_steps, "hours": round(spent.seconds / 3600, 3)},
        **({"held out": figures["editor"]} if "editor" in figures else {}),
    }
    parser = bundle.description.get("parser")
    if plan.trees:
        trees = {"files": [path.name for path in plan.trees], "trees": len(items[TREES])}
        trees["tokens"] = sum(len(tree.forms) for tree in items[TREES])
        parser = {"labels": list(LABELS), "trees": trees, "held out": figures.get("parser", {})}
    elif model.encoder is not None:
        note = "its encoder has since learned from shortenings, held to the parser's own trees"
        parser = {**bundle.description["parser"], "note": note}
    encoder = {} if model.encoder is None else {"encoder": dict(model.encoder)}
    return {"editor": editor, "parser": parser, **encoder}


def _rounded(figures: Mapping[str, float]) -> dict[str, Any]:
    return {name: round(value, 4) for name, value in figures.items()}
