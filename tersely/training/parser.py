"""Training: trains a parser with layers of its own on trees, from its checkpoint to the end of its budget.

The network learns as an editor does (`ReaderTrainer`), from trees alone. This is for languages without a pretrained
encoder.
"""

from __future__ import annotations

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
from tersely.training.plan import Log, Plan, open_run
from tersely.training.run import run, stoppable
from tersely.training.treebank import hold_out, learn_lexicon, read_treebank, tree_agreement


def train_parser(plan: Plan, vocabulary: Vocabulary, folder: Path, log: Log) -> tuple[Tensors, dict[str, Any]]:
    """The tensors of a parser at the end of its budget, and its description for a bundle.

    `folder` keeps the state of the run, and the same call resumes it.
    """
    torch.set_num_threads(1)
    recipe, names = plan.parser_recipe, [path.name for path in plan.trees]
    open_run(folder, {"trees": names, "hours": plan.parser_hours, **asdict(recipe)}, log)
    trees = read_treebank(plan.trees)
    n_tokens = sum(len(tree.forms) for tree in trees)
    lexicon = learn_lexicon(trees, vocabulary, n_shared=recipe.pieces, n_extra=recipe.extra)
    log(f"parser: {len(trees):,} trees of {n_tokens:,} tokens, {len(lexicon):,} pieces")
    rest, held_out = hold_out(trees, recipe.held_out)
    torch.manual_seed(recipe.seed)
    network = ParserNetwork(lexicon, recipe, rest)
    trainer = ReaderTrainer(network, {TREES: rest}, recipe, checkpoint=folder / "parser.pt")

    def validate() -> dict[str, dict[str, float]]:
        parser = numpy_parser(*parser_tensors(trainer.averaged, lexicon), vocabulary)
        figures = {}
        for name, case in (("cased", str), ("lower-cased", str.lower)) if held_out else ():  # none of fewer than ten
            figures[name] = found = tree_agreement(parser, held_out, case)
            shares = f"{found['heads']:.2%} of heads, {found['labels']:.2%} with labels"
            log(f"parser: step {trainer.spent.n_steps:,}, held out, {name}: {shares}")
        return figures

    with stoppable(plan.run, log) as stop:
        run(trainer, hours=plan.parser_hours, log=log, validate=validate, stop=stop)
    tensors, description = parser_tensors(trainer.averaged, lexicon)
    learned = {"files": names, "trees": len(trees), "tokens": n_tokens}
    return tensors, {**description, "trees": learned, "training": trainer.spent.described, "held out": validate()}


def numpy_parser(tensors: Tensors, description: dict[str, Any], vocabulary: Vocabulary) -> Parser:
    """The parser in numpy, as a bundle with these tensors has it."""
    lookup = part(tensors, "parser")
    return Parser(BiLstm.from_tensors(lookup, description, vocabulary), lookup)
