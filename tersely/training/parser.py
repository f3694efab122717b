"""Training: trains the parser on trees, from its checkpoint to the end of its budget.

A step takes a batch of sentences of one length. In half of them the shapes are hidden, so that text without capitals
can be parsed too, and some pieces are replaced by the unknown symbol, rare ones more often. The learning rate falls
linearly to zero at the end of the budget. Everything random depends on the seed and the number of the step, so a
resumed run gives the same result as one that was never stopped.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tersely.errors import InputError, TerselyError
from tersely.sentence.labels import PUNCTUATION
from tersely.sentence.lexicon import HIDDEN, Features, Lexicon
from tersely.system.files import replacing
from tersely.text.vocabulary import UNKNOWN_ID, Vocabulary
from tersely.training.checkpoint import reading_checkpoint, write_checkpoint
from tersely.training.export import Tensors
from tersely.training.lm import Spent
from tersely.training.parser_network import ParserNetwork, parser_tensors
from tersely.training.plan import open_run
from tersely.training.recipes import ParserRecipe
from tersely.training.run import Log, run
from tersely.training.treebank import Batch, Treebank, TreeBatches, TreePosition, batch, learn_lexicon, read_treebank

CHECKPOINT, ENCODED = "parser.pt", "trees.npz"


@dataclass(frozen=True)
class TreeAgreement:
    """The share of tokens without punctuation whose head is right, and whose head and label are."""

    heads: float
    labels: float

    def __str__(self) -> str:
        return f"{100 * self.heads:.2f} % of heads, {100 * self.labels:.2f} % with labels"


class ParserTrainer:
    """A parser in training."""

    name = "parser"

    def __init__(self, trees: Treebank, n_pieces: int, recipe: ParserRecipe, *, checkpoint: Path | None = None) -> None:
        self.recipe, self.checkpoint, self.spent = recipe, checkpoint, Spent()
        torch.manual_seed(recipe.seed)
        self.network = ParserNetwork(n_pieces, recipe.sizes)
        self.optimizer = torch.optim.Adam(self.network.parameters(), betas=(0.9, 0.99), fused=True)
        self.batches = TreeBatches(
            trees, n_tokens=recipe.batch, joined=recipe.joined, unended=recipe.unended, seed=recipe.seed
        )
        counts = np.bincount(trees.ids, minlength=n_pieces)
        self.unknown = recipe.unknown + (1 - recipe.unknown) * recipe.rare / np.maximum(recipe.rare + counts, 1)
        if checkpoint is not None and checkpoint.exists():
            with reading_checkpoint(checkpoint) as state:
                self.load(state)

    def step(self, progress: float) -> float:
        began = time.monotonic()
        recipe, spent = self.recipe, self.spent
        examples = self.batches.next()
        loss = self._loss(examples, np.random.default_rng([recipe.seed, spent.n_steps]))
        if not torch.isfinite(loss):
            raise TerselyError(f"the loss is {loss} at step {spent.n_steps:,}: use a smaller rate than {recipe.rate}")
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = recipe.rate * min(1.0, (progress + 1e-4) / recipe.warmup) * (1 - progress)
        self.optimizer.step()
        spent.n_steps += 1
        spent.n_tokens += examples.heads.size
        spent.seconds += time.monotonic() - began
        return float(loss.item())

    def _loss(self, examples: Batch, rng: np.random.Generator) -> torch.Tensor:
        ids, suffixes, shapes = examples.features
        hidden = rng.random((len(ids), 1)) < self.recipe.hidden_shapes
        unknown = rng.random(ids.shape) < self.unknown[ids]
        seen = Features(np.where(unknown, UNKNOWN_ID, ids), suffixes, np.where(hidden, HIDDEN, shapes))
        heads, labels = torch.from_numpy(examples.heads), torch.from_numpy(examples.labels)
        of_heads, of_labels = self.network(seen, heads)
        loss = functional.cross_entropy(of_heads, heads.flatten())
        return loss + functional.cross_entropy(of_labels, labels.flatten())

    def state(self) -> dict[str, Any]:
        return {
            "spent": vars(self.spent).copy(),
            "position": vars(self.batches.position).copy(),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }

    def load(self, state: dict[str, Any]) -> None:
        self.spent = Spent(**state["spent"])
        self.batches.resume(TreePosition(**state["position"]))
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])

    def save(self) -> None:
        if self.checkpoint is not None:
            write_checkpoint(self.checkpoint, self.state())


def agreement(network: ParserNetwork, trees: Treebank, *, cased: bool) -> TreeAgreement:
    """How often the best head of each token agrees with the trees. Cycles are not broken, which changes little."""
    n_heads = n_labels = n_tokens = 0
    with torch.no_grad():
        for length in np.unique(trees.lengths):
            examples = batch(trees, trees.starts[:-1][trees.lengths == length], int(length))
            features = examples.features
            if not cased:
                features = features._replace(shapes=np.full_like(features.shapes, HIDDEN))
            heads, labels = (scores.argmax(1).numpy() for scores in network(features))
            word = examples.labels.flatten() != PUNCTUATION
            right = word & (heads == examples.heads.flatten())
            n_tokens += int(word.sum())
            n_heads += int(right.sum())
            n_labels += int((right & (labels == examples.labels.flatten())).sum())
    return TreeAgreement(n_heads / max(1, n_tokens), n_labels / max(1, n_tokens))


def train_parser(
    trees: Sequence[Path],
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
    names = [path.name for path in trees]
    open_run(folder, {"trees": names, "hours": hours, **asdict(recipe)})
    treebank, lexicon = _encoded(trees, vocabulary, folder, recipe, log)
    rest, held_out = treebank.hold_out(recipe.held_out)
    trainer = ParserTrainer(rest, len(lexicon), recipe, checkpoint=folder / CHECKPOINT)

    spent = trainer.spent

    def validate() -> dict[str, dict[str, float]]:
        figures = {}
        for name in ("cased", "lower-cased") if len(held_out.lengths) else ():  # none of fewer than ten trees
            found = agreement(trainer.network, held_out, cased=name == "cased")
            log(f"parser: step {spent.n_steps:,}, held out, {name}: {found}")
            figures[name] = {kind: round(share, 4) for kind, share in asdict(found).items()}
        return figures

    run(trainer, hours=hours, log=log, validate=validate, stop=stop)
    tensors, description = parser_tensors(trainer.network, lexicon)
    return tensors, {
        **description,
        "trees": {"files": names, "trees": len(treebank.lengths), "tokens": len(treebank.ids)},
        "training": {"tokens": spent.n_tokens, "steps": spent.n_steps, "hours": round(spent.seconds / 3600, 3)},
        "held out": validate(),
    }


def _encoded(
    paths: Sequence[Path], vocabulary: Vocabulary, folder: Path, recipe: ParserRecipe, log: Log
) -> tuple[Treebank, Lexicon]:
    """The trees as arrays, and the lexicon. Both are kept in the folder: reading ten million tokens takes minutes."""
    path = folder / ENCODED
    pieces = zlib.crc32("\n".join(vocabulary.pieces[: recipe.pieces]).encode())
    if path.exists():
        with np.load(path) as arrays:
            fields = dict(arrays)
        if fields.pop("vocabulary", pieces) != pieces:
            raise InputError(f"{folder} holds a run with another vocabulary: give another folder")
        extra = tuple(fields.pop("extra").tobytes().decode().split("\n"))
        return Treebank(**fields), Lexicon(vocabulary, min(recipe.pieces, len(vocabulary)), extra)
    lexicon = learn_lexicon(paths, vocabulary, n_shared=recipe.pieces, n_extra=recipe.extra)
    treebank = read_treebank(paths, lexicon)
    log(f"parser: {len(treebank.starts) - 1:,} trees of {len(treebank.ids):,} tokens, {len(lexicon):,} pieces")
    extra_bytes = np.frombuffer("\n".join(lexicon.extra).encode(), np.uint8)
    with replacing(path) as stream:
        np.savez(stream, extra=extra_bytes, vocabulary=np.int64(pieces), **vars(treebank))
    return treebank, lexicon
