"""Training: sources with shortenings in, a bundle with an editor out.

Three cases. A bundle with a pretrained encoder: encoder, parser and editor learn on, or the editor alone (`frozen`). A
folder with a pretrained encoder, and trees: all three are made for the bundle. A bundle whose parser has layers of its
own, as for a language without such an encoder: the editor alone learns, on the parser's states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tersely.bundle.bundle import Bundle, open_bundle
from tersely.bundle.writing import check_folder, copy_bundle
from tersely.errors import InputError
from tersely.evaluation.token_f1 import Agreement
from tersely.scoring.editor import COMPRESSED, EDITED, SPOKEN
from tersely.sentence.labels import LABELS
from tersely.training.card import factors_line, with_readers
from tersely.training.encoder_network import (
    HEADS_DROPOUT,
    EditorNetwork,
    EditorOnEncoder,
    EncoderNetwork,
    Frozen,
    load_editor,
    load_tensors,
    stored_tensors,
)
from tersely.training.learn import COMPRESSIONS, PAIRS, SPOKEN_PAIRS, TREES, ReaderTrainer, edit_agreement, own_trees
from tersely.training.parser_network import ParserHeads
from tersely.training.plan import Log, open_run
from tersely.training.pretrained import read_pretrained
from tersely.training.recipes import LearnRecipe
from tersely.training.run import run, stoppable
from tersely.training.shortenings import Shortened, read_shortenings
from tersely.training.treebank import TreebankSentence, Trees, hold_out, read_treebank, tree_agreement

FEW = 200  # pairs of source and shortening

Network = EditorOnEncoder | Frozen


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
        """The settings that must be the same to resume a run; hours may change."""
        files = {"pairs": [str(path.resolve()) for path in self.pairs], "trees": [str(p.resolve()) for p in self.trees]}
        encoder = None if self.encoder is None else str(self.encoder.resolve())
        return {**asdict(self.recipe), **files, "encoder": encoder, "frozen": self.frozen, "bundle": bundle.signature}


def learn(plan: LearnPlan, log: Log) -> Path:
    """Learn the editor, and write a copy of the bundle with it; the folder of that copy."""
    torch.set_num_threads(1)
    bundle = open_bundle(plan.bundle)
    check_folder(plan.out)
    sources, refused = read_shortenings(plan.pairs)
    network = _network(plan, bundle)
    open_run(plan.run, plan.settings(bundle), log)
    for line in refused:
        log(f"left out: {line}")
    rest, held_out = _split(sources, network, log)
    trees, held_out_trees = _trees(plan, bundle, network, rest)
    of_styles = {PAIRS: EDITED, SPOKEN_PAIRS: SPOKEN, COMPRESSIONS: COMPRESSED}
    items: dict[str, list[Any]] = {TREES: trees}
    items |= {task: [source for source in rest if source.style == style] for task, style in of_styles.items()}
    new_parser = plan.encoder is not None
    trainer = ReaderTrainer(network, items, plan.recipe, new_parser=new_parser, checkpoint=plan.run / "editor.pt")
    before = None
    if held_out and not new_parser and "editor.word" in bundle and bundle.parser:
        before = edit_agreement(bundle.parser, bundle.editor(), held_out)
        log(f"editor: before, held out: {before}")
    measure = partial(_measure, network, trainer, held_out, held_out_trees, log)
    with stoppable(plan.run, log) as stop:
        run(trainer, hours=plan.hours, log=log, validate=measure, stop=stop)
    described = _description(plan, bundle, network, trainer, measure())
    if before:
        described["editor"]["before"] = _rounded(before)
    encoder = None if isinstance(network, Frozen) else network.encoder
    copy_bundle(
        bundle,
        plan.out,
        without=("editor.",) if encoder is None else ("encoder.", "parser.", "editor."),
        tensors=stored_tensors(trainer.averaged),
        description=described,
        wordpieces=() if encoder is None else encoder.vocabulary,
        card=with_readers(bundle.card, {**bundle.description, **described}),
    )
    log(factors_line(open_bundle(plan.out)))
    return plan.out


def _measure(
    network: Network,
    trainer: ReaderTrainer,
    held_out: Sequence[Shortened],
    trees: Sequence[TreebankSentence],
    log: Log,
) -> dict[str, Any]:
    """The figures of the editor and of the parser on what is held out, also as lines of the report."""
    parser, editor = network.numpy_models(stored_tensors(trainer.averaged))
    figures: dict[str, Any] = {}
    if held_out:
        found = edit_agreement(parser, editor, held_out)
        log(f"editor: step {trainer.spent.n_steps:,}, held out: {found}")
        figures["editor"] = {**_rounded(found), "sources": len(held_out)}
    if trees:
        agreed = tree_agreement(parser, trees)
        log(f"parser: held out: {agreed['heads']:.1%} of heads, {agreed['labels']:.1%} with labels")
        figures["parser"] = {"as written": agreed}
    return figures


def _network(plan: LearnPlan, bundle: Bundle) -> Network:
    """The network to train, with the weights of the bundle as far as it has them."""
    torch.manual_seed(plan.recipe.seed)
    recipe = plan.recipe
    if plan.encoder is not None:
        encoder = EncoderNetwork(*read_pretrained(plan.encoder))
        heads = ParserHeads(encoder.width, recipe.arc, recipe.label, HEADS_DROPOUT)
        return EditorOnEncoder(encoder, heads, EditorNetwork(encoder.width), recipe, recipe.far_needs)
    if bundle.parser is None:
        raise InputError(f"the bundle {bundle.folder} has no parser, which an editor needs: tersely train --trees")
    far_needs = bundle.description.get("editor", {}).get("far_needs", recipe.far_needs)
    if plan.frozen or "encoder" not in bundle.description:
        if plan.trees:
            raise InputError("the parser of this bundle has layers of its own: tersely train --trees trains it")
        return Frozen(_editor(bundle), bundle.parser, recipe, far_needs)
    encoder = EncoderNetwork(bundle.part("encoder"), bundle.description["encoder"], bundle.wordpieces)
    arc, label = len(bundle.tensor("parser.arc")), len(bundle.tensor("parser.label")) - 1
    heads = ParserHeads(encoder.width, arc, label, HEADS_DROPOUT)
    load_tensors(heads, bundle.part("parser"))
    return EditorOnEncoder(encoder, heads, _editor(bundle), recipe, far_needs)


def _editor(bundle: Bundle) -> EditorNetwork:
    """The bundle's editor, or a new one."""
    width = int(bundle.tensor("parser.roles").shape[1])
    if "editor.word" not in bundle:
        return EditorNetwork(width)
    sizes = (bundle.tensor(f"editor.{name}").shape for name in ("border", "word", "gap"))
    (_, role), (word, _), (gap, _) = sizes
    editor = EditorNetwork(width, role, word, gap)
    load_editor(editor, bundle.part("editor"))
    return editor


def _split(sources: Sequence[Shortened], network: Network, log: Log) -> tuple[list[Shortened], list[Shortened]]:
    """The sources to learn from, and those that are held out."""
    short = [source for source in sources if network.size(source) <= network.longest]
    rest = [source for source in short if not source.held_out]
    held_out = [source for source in short if source.held_out and source.style != COMPRESSED]
    n_pairs = sum(len(source.masks) for source in rest)
    left_out = f"; {len(sources) - len(short):,} are too long" if len(short) < len(sources) else ""
    log(f"{n_pairs:,} shortenings of {len(rest):,} sources, {len(held_out):,} sources held out{left_out}")
    if n_pairs < FEW:
        log(f"warning: {n_pairs:,} shortenings are few: below {FEW} an editor learns them by heart")
    if all(source.style == COMPRESSED for source in rest):
        raise InputError("no shortenings to learn from: all are held out, too long, or of another style")
    return rest, held_out


def _trees(plan: LearnPlan, bundle: Bundle, network: Network, sources: Sequence[Shortened]) -> tuple[Trees, Trees]:
    """The trees to learn from, and those that are held out."""
    if isinstance(network, Frozen):
        return [], []
    own = []
    if plan.encoder is None and bundle.parser is not None:  # what a bundle's own parser knows must not be forgotten
        own = own_trees(bundle.parser, [source.words for source in sources if source.style != COMPRESSED])
    found = read_treebank(plan.trees) if plan.trees else []
    rest, held_out = hold_out([t for t in found if network.size(t) <= network.longest], plan.recipe.held_out_trees)
    return own + rest, held_out


def _description(
    plan: LearnPlan, bundle: Bundle, network: Network, trainer: ReaderTrainer, figures: Mapping[str, Any]
) -> dict[str, Any]:
    """What the new bundle says of its editor, and of its parser and encoder."""
    spent, items = trainer.spent, trainer.items
    sources = [source for task in (PAIRS, SPOKEN_PAIRS, COMPRESSIONS) for source in items.get(task, [])]
    n_pairs = sum(len(source.masks) for source in sources)
    editor = {
        "far_needs": network.far_needs,
        "pairs": {"files": [path.name for path in plan.pairs], "sources": len(sources), "shortenings": n_pairs},
        "training": {"steps": spent.n_steps, "hours": round(spent.seconds / 3600, 3)},
        **({"held out": figures["editor"]} if "editor" in figures else {}),
    }
    if isinstance(network, Frozen):
        return {"editor": editor}
    note = "its encoder has since learned from shortenings, held to the parser's own trees"
    parser = {**bundle.description.get("parser", {}), "note": note}
    if plan.trees:
        trees = {"files": [path.name for path in plan.trees], "trees": len(items[TREES])}
        trees["tokens"] = sum(len(tree.forms) for tree in items[TREES])
        parser = {"labels": list(LABELS), "trees": trees, "held out": figures.get("parser", {})}
    return {"editor": editor, "parser": parser, "encoder": dict(network.encoder.description)}


def _rounded(found: Agreement) -> dict[str, float]:
    return {name: round(value, 4) for name, value in found._asdict().items()}
