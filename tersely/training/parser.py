"""Training: trains a parser with layers of its own on trees, from its checkpoint to the end of its budget.

The network learns as an editor does (`ReaderTrainer`), from trees alone. This is for languages without a pretrained
encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from tersely.sentence.bilstm import BiLstm
from tersely.sentence.parser import Parser
from tersely.text.vocabulary import Vocabulary
from tersely.training.encoder_network import part
from tersely.training.export import Tensors
from tersely.training.learn import TREES, ReaderTrainer
from tersely.training.parser_network import ParserNetwork, parser_tensors
from tersely.training.plan import open_run
from tersely.training.recipes import ParserRecipe
from tersely.training.run import Log, run
from tersely.training.treebank import hold_out, learn_lexicon, read_treebank, tree_agreement

CHECKPOINT = "parser.pt"


def train_parser(
    paths: Sequence[Path],
    vocabulary: Vocabulary,
    folder: Path,
    *,
    recipe: ParserRecipe,
    hours: float | None = None,
    log: Log,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[Tensors, dict[str, Any]]:
    """Train a parser to the end of its budget; its tensors and its description for a bundle.

    `folder` keeps the state of the run, and the same call resumes it. `stop` is called after every step; if it returns
    True, a checkpoint is written and `Stopped` is raised.
    """
    torch.set_num_threads(1)
    names = [path.name for path in paths]
    open_run(folder, {"trees": names, "hours": hours, **asdict(recipe)})
    trees = read_treebank(paths)
    n_tokens = sum(len(tree.forms) for tree in trees)
    lexicon = learn_lexicon(trees, vocabulary, n_shared=recipe.pieces, n_extra=recipe.extra)
    log(f"parser: {len(trees):,} trees of {n_tokens:,} tokens, {len(lexicon):,} pieces")
    rest, held_out = hold_out(trees, recipe.held_out)
    torch.manual_seed(recipe.seed)
    network = ParserNetwork(lexicon, recipe, rest)
    trainer = ReaderTrainer(network, {TREES: rest}, recipe, checkpoint=folder / CHECKPOINT)

    def validate() -> dict[str, dict[str, float]]:
        tensors, description = parser_tensors(trainer.averaged, lexicon)
        parser = numpy_parser(tensors, description, vocabulary)
        figures = {}
        for name, case in (("cased", str), ("lower-cased", str.lower)) if held_out else ():  # none of fewer than ten
            found = tree_agreement(parser, held_out, case)
            shares = f"{100 * found['heads']:.2f} % of heads, {100 * found['labels']:.2f} % with labels"
            log(f"parser: step {trainer.spent.n_steps:,}, held out, {name}: {shares}")
            figures[name] = {kind: round(share, 4) for kind, share in found.items()}
        return figures

    run(trainer, hours=hours, log=log, validate=validate, stop=stop)
    spent = trainer.spent
    tensors, description = parser_tensors(trainer.averaged, lexicon)
    return tensors, {
        **description,
        "trees": {"files": names, "trees": len(trees), "tokens": n_tokens},
        "training": {"tokens": spent.n_tokens, "steps": spent.n_steps, "hours": round(spent.seconds / 3600, 3)},
        "held out": validate(),
    }


def numpy_parser(tensors: Tensors, description: dict[str, Any], vocabulary: Vocabulary) -> Parser:
    """The parser in numpy, as a bundle with these tensors has it."""
    lookup = part(tensors, "parser")
    return Parser(BiLstm.from_tensors(lookup, description, vocabulary), lookup)
