"""Beside the flow: the loop around a trainer: progress, checkpoints, validation, and a good end when it is stopped.

A direction is one single-threaded process; two run side by side on two cores. Ctrl-C and a polite kill make a
checkpoint and stop; so does the death of the parent process. The same command goes on from there.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.training.corpus import Encoded
from tersely.training.lm import Trainer
from tersely.training.network import Network
from tersely.training.validate import Model, Quality, measure

SECONDS_BETWEEN_LINES = 30.0
LINES_AT_CHECKPOINT = 500  # validation at a checkpoint is a look; at the end all lines are read

Report = Callable[[str], None]


class Stopped(Exception):
    """The run was asked to stop, and has saved what it had."""


@contextmanager
def watching_for_stop() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C or a polite kill came, or the process that started this worker is gone."""
    came: list[int] = []
    starter = multiprocessing.parent_process()  # none, unless this is a worker
    wanted = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in wanted}
    try:
        yield lambda: bool(came) or (starter is not None and not starter.is_alive())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def torch_model(network: Network) -> Model:
    """A network as a function that `validate` can use."""

    def model(lines: NDArray[np.int32], *, exact: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        network.eval()
        right, log_z = network.score(lines, exact=exact)
        return right.numpy(), log_z.numpy()

    return model


def measure_all(trainer: Trainer, lines: Encoded) -> dict[str, Quality]:
    """The quality of each direction that the trainer trains."""

    def one(direction: str) -> Quality:
        return measure(torch_model(trainer.networks[direction]), lines, backward=direction == "backward")

    return dict(zip(trainer.networks, trainer.threads.map(one, trainer.networks), strict=True))


def run(
    trainer: Trainer,
    valid: Mapping[str, Encoded],
    *,
    hours: float | None,
    report: Report,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Train until the budget is used up.

    `stop` is asked after every step; when it says yes, a checkpoint is written and `Stopped` is raised.
    """
    spent = trainer.spent
    if spent.n_steps:
        report(f"{trainer.name}: resumes at step {spent.n_steps:,}, {spent.n_tokens / 1e6:.2f} million tokens")
    saved = shown = time.monotonic()
    n_before, seconds_before = spent.n_tokens, spent.seconds
    losses: list[float] = []
    while (progress := spent.progress(trainer.recipe, hours)) < 1:
        losses.append(trainer.step(progress))
        now = time.monotonic()
        if now - shown > SECONDS_BETWEEN_LINES:
            speed = (spent.n_tokens - n_before) / (spent.seconds - seconds_before)
            report(_line(trainer, float(np.mean(losses)), speed, hours))
            shown, losses = now, []
        if stop():
            trainer.save()
            report(f"{trainer.name}: stopped and saved at step {spent.n_steps:,}")
            raise Stopped
        if now - saved > 60 * trainer.recipe.checkpoint_minutes:
            saved = now
            _look(trainer, valid, report)
            trainer.save()
    trainer.save()


def _look(trainer: Trainer, valid: Mapping[str, Encoded], report: Report) -> None:
    for i, (name, lines) in enumerate(valid.items()):
        some = lines.part(0, min(LINES_AT_CHECKPOINT, lines.n_lines))
        qualities = measure_all(trainer, some)
        for direction, quality in qualities.items():
            report(f"step {trainer.spent.n_steps:,}, {name}, {direction}: {quality}")
        if i == 0:
            trainer.validated(float(np.mean([quality.perplexity for quality in qualities.values()])))


def _line(trainer: Trainer, loss: float, speed: float, hours: float | None) -> str:
    spent, recipe = trainer.spent, trainer.recipe
    seconds_left = (recipe.tokens - spent.n_tokens) / speed if hours is None else 3600 * hours - spent.seconds
    minutes = max(0, round(seconds_left / 60))
    return (
        f"{trainer.name}: step {spent.n_steps:,}, {spent.n_tokens / 1e6:.2f} million tokens, "
        f"{speed:,.0f} tokens/s, loss {loss:.3f}, {minutes // 60}:{minutes % 60:02} left"
    )
