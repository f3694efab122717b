"""Training: the training loop, with progress, checkpoints, validation and stopping.

Ctrl-C and SIGTERM make a checkpoint and stop, and the same command resumes.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from tersely.system.progress import clock
from tersely.training.plan import Log
from tersely.training.trainer import Spent, Trainer

SECONDS_BETWEEN_LINES = 30.0


class Stopped(Exception):
    """The run was asked to stop, and has saved its state."""


@contextmanager
def stoppable(folder: Path, log: Log) -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C or SIGTERM came.

    `Stopped` becomes KeyboardInterrupt, after a line on how to resume the run in `folder`.
    """
    came: list[int] = []
    wanted = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in wanted}
    try:
        yield lambda: bool(came)
    except Stopped:
        log(f"stopped: the same command resumes the run in {folder}")
        raise KeyboardInterrupt from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(
    trainer: Trainer,
    *,
    hours: float | None,
    log: Log,
    validate: Callable[[], object] = lambda: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Train until the budget is used up.

    `validate` is called before every checkpoint but the last. `stop` is called after every step; if it returns True, a
    checkpoint is written and `Stopped` is raised.
    """
    spent = trainer.spent
    if spent.n_steps:
        log(f"{trainer.name}: resumes at step {spent.n_steps:,}, {spent.n_tokens / 1e6:.2f} million tokens")
    saved = shown = time.monotonic()
    before = replace(spent)
    losses: list[float] = []
    while (progress := spent.progress(trainer.recipe, hours)) < 1:
        losses.append(trainer.step(progress))
        now = time.monotonic()
        if now - shown > SECONDS_BETWEEN_LINES:
            log(_line(trainer, float(np.mean(losses)), before, hours))
            shown, losses = now, []
        if stop():
            trainer.save()
            log(f"{trainer.name}: stopped and saved at step {spent.n_steps:,}")
            raise Stopped
        if now - saved > 60 * trainer.recipe.checkpoint_minutes:
            saved = now
            validate()
            trainer.save()
    trainer.save()


def _line(trainer: Trainer, loss: float, before: Spent, hours: float | None) -> str:
    spent, recipe = trainer.spent, trainer.recipe
    speed = (spent.n_tokens - before.n_tokens) / (spent.seconds - before.seconds)
    seconds_left = (recipe.tokens - spent.n_tokens) / speed if hours is None else 3600 * hours - spent.seconds
    return (
        f"{trainer.name}: step {spent.n_steps:,}, {spent.n_tokens / 1e6:.2f} million tokens, "
        f"{speed:,.0f} tokens/s, loss {loss:.3f}, {clock(max(0.0, seconds_left))} left"
    )
