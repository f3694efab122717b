"""Training: what all trainers share: the budget that is used up, the step, and the checkpoint."""

from __future__ import annotations

import io
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tersely.errors import FileError, TerselyError
from tersely.system.files import replacing
from tersely.training.recipes import LearnRecipe, ParserRecipe, Recipe


@dataclass
class Spent:
    """What a run has used of its budget, and its best validation so far."""

    n_steps: int = 0
    n_tokens: int = 0
    seconds: float = 0.0
    factor: float = 1.0  # on the rate of sgd, which falls at plateaus
    best: float = float("inf")  # validation perplexity

    def progress(self, recipe: Recipe | ParserRecipe | LearnRecipe, hours: float | None) -> float:
        """The share of the budget that is used up, from 0 to 1."""
        share = self.n_tokens / recipe.tokens if hours is None else self.seconds / (3600 * hours)
        return min(1.0, share)

    @property
    def described(self) -> dict[str, float]:
        """The entry `training` of a bundle's description."""
        return {"tokens": self.n_tokens, "steps": self.n_steps, "hours": round(self.seconds / 3600, 3)}


class Trainer(ABC):
    """Networks in training.

    Everything random depends on the seed and the number of the step, so a resumed run gives the same result as one that
    was never stopped.
    """

    recipe: Recipe | ParserRecipe | LearnRecipe

    def __init__(self, name: str, checkpoint: Path | None) -> None:
        self.name, self.checkpoint, self.spent = name, checkpoint, Spent()

    @abstractmethod
    def learn(self, progress: float) -> tuple[float, int]:
        """Train on one batch at this share of the budget; its loss and its number of tokens."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Everything else that a checkpoint needs, as plain values and tensors."""

    @abstractmethod
    def load(self, state: dict[str, Any]) -> None:
        """The inverse of `state`."""

    def step(self, progress: float) -> float:
        """Train on one batch; its loss."""
        began = time.monotonic()
        loss, n_tokens = self.learn(progress)
        if not np.isfinite(loss):
            at = f"at step {self.spent.n_steps:,}"
            raise TerselyError(f"the loss is {loss} {at}: use a smaller rate, or look for broken lines in the text")
        self.spent.n_steps += 1
        self.spent.n_tokens += n_tokens
        self.spent.seconds += time.monotonic() - began
        return loss

    def resume(self) -> None:
        """Load the checkpoint, if there is one."""
        if self.checkpoint is None or not self.checkpoint.exists():
            return
        try:
            # On the CPU first: it may have been written where there was another device.
            state = torch.load(self.checkpoint, weights_only=True, map_location="cpu")
            self.spent = Spent(**state["spent"])
            self.load(state)
        except Exception as error:  # torch and pickle raise all kinds
            reason = f"({type(error).__name__}: {error}".partition("\n")[0] + "); delete it to begin again"
            raise FileError(f"cannot read the checkpoint {self.checkpoint} {reason}") from None

    def save(self) -> None:
        """Write a checkpoint, whole or not at all."""
        if self.checkpoint is not None:
            buffer = io.BytesIO()  # through memory: torch would report its own error instead of the disk's
            torch.save({"spent": vars(self.spent).copy(), **self.state()}, buffer)
            with replacing(self.checkpoint) as stream:
                stream.write(buffer.getbuffer())
