"""Training: the training loop, with progress, checkpoints, validation and stopping, and both language models in it.

Models that share their word vectors are trained together, others each in a thread of its own or one after the other.
Ctrl-C and SIGTERM make a checkpoint and stop, and the same command resumes.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from tersely.bundle.bundle import open_bundle
from tersely.errors import InputError
from tersely.system.progress import clock
from tersely.text.vocabulary import Vocabulary
from tersely.training.corpus import Encoded, encode, hold_out, read_corpora
from tersely.training.export import load_lms
from tersely.training.lm import DIRECTIONS, Spent, Trainer
from tersely.training.plan import DEVICES, Plan
from tersely.training.validate import Quality, measure

if TYPE_CHECKING:
    from tersely.training.learn import ReaderTrainer  # which imports `run`

SECONDS_BETWEEN_LINES = 30.0
LINES_AT_CHECKPOINT = 500  # validation at a checkpoint is quick; the bundle's figures use more lines

Log = Callable[[str], None]
Group = tuple[str, ...]  # directions that are trained together


class Stopped(Exception):
    """The run was asked to stop, and has saved its state."""


@contextmanager
def stop_signals() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C or SIGTERM came."""
    came: list[int] = []
    wanted = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in wanted}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def measure_all(trainer: Trainer, lines: Encoded) -> dict[str, Quality]:
    """The quality of each direction that the trainer trains."""

    def one(direction: str) -> Quality:
        return measure(trainer.networks[direction].score, lines, backward=direction == "backward")

    return dict(zip(trainer.networks, trainer.threads.map(one, trainer.networks), strict=True))


def run(
    trainer: Trainer | ReaderTrainer,
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


def _validate(trainer: Trainer, valid: Mapping[str, Encoded], log: Log) -> None:
    for i, (name, lines) in enumerate(valid.items()):
        some = lines.part(0, LINES_AT_CHECKPOINT)
        qualities = measure_all(trainer, some)
        for direction, quality in qualities.items():
            log(f"step {trainer.spent.n_steps:,}, {name}, {direction}: {quality}")
        if i == 0:
            trainer.validated(float(np.mean([quality.perplexity for quality in qualities.values()])))


def _line(trainer: Trainer | ReaderTrainer, loss: float, before: Spent, hours: float | None) -> str:
    spent, recipe = trainer.spent, trainer.recipe
    speed = (spent.n_tokens - before.n_tokens) / (spent.seconds - before.seconds)
    seconds_left = (recipe.tokens - spent.n_tokens) / speed if hours is None else 3600 * hours - spent.seconds
    return (
        f"{trainer.name}: step {spent.n_steps:,}, {spent.n_tokens / 1e6:.2f} million tokens, "
        f"{speed:,.0f} tokens/s, loss {loss:.3f}, {clock(max(0.0, seconds_left))} left"
    )


def groups(plan: Plan) -> list[Group]:
    """Which directions are trained together."""
    return [DIRECTIONS] if plan.recipe.shared else [(direction,) for direction in DIRECTIONS]


def train_directions(plan: Plan, log: Log) -> None:
    """Train both directions to the end of the budget; Ctrl-C and SIGTERM raise KeyboardInterrupt after a checkpoint."""
    with resume_hint(plan.run, log), stop_signals() as stop:
        trainers = [trainer_for(plan, group) for group in groups(plan)]
        valid = validation(plan, Vocabulary.read(plan.vocabulary_file))

        failed = threading.Event()  # one direction without the other is of no use

        def train(trainer: Trainer) -> None:
            torch.set_num_threads(1)
            validate = partial(_validate, trainer, valid, log)
            try:
                run(trainer, hours=plan.hours, log=log, validate=validate, stop=lambda: stop() or failed.is_set())
            except BaseException:
                failed.set()
                raise

        left = [trainer for trainer in trainers if trainer.spent.progress(plan.recipe, plan.hours) < 1]
        # Dropout draws from torch's one generator, so there the directions take turns.
        n_threads = 1 if plan.recipe.dropout else plan.processes
        with ThreadPoolExecutor(n_threads) as threads:
            errors = [done.exception() for done in [threads.submit(train, trainer) for trainer in left]]
        for error in sorted(filter(None, errors), key=lambda error: isinstance(error, Stopped)):
            raise error  # what went wrong rather than what stopped because of it


@contextmanager
def resume_hint(folder: Path, log: Log) -> Iterator[None]:
    """Turn `Stopped` into KeyboardInterrupt, after a line on how to resume."""
    try:
        yield
    except Stopped:
        log(f"stopped: the same command resumes the run in {folder}")
        raise KeyboardInterrupt from None


def chosen_device(name: str) -> torch.device:
    """The device of that name; `auto` is the first accelerator that this machine has, else the CPU.

    Random numbers are drawn on the CPU, so that a run reads the same batches on every device. Sums have another order
    on another device, so results are the same to the last bit only on the same device.

    >>> chosen_device("cpu")
    device(type='cpu')
    >>> chosen_device("abacus")
    Traceback (most recent call last):
    ...
    tersely.errors.InputError: unknown --device 'abacus': known are auto, cpu, cuda, mps
    """
    if name not in DEVICES:
        raise InputError(f"unknown --device {name!r}: known are {', '.join(DEVICES)}")
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return torch.device(next(device for device, is_there in there.items() if is_there))
    if not there[name]:
        raise InputError(f"this machine has no {name}, or this torch was built without it: give --device cpu")
    return torch.device(name)


def trainer_for(plan: Plan, group: Group) -> Trainer:
    """The trainer of a group of directions, from its newest checkpoint, else from the start that the plan names."""
    vocabulary = Vocabulary.read(plan.vocabulary_file)
    corpora, weights, _ = _lm_corpora(plan, vocabulary)
    checkpoint = plan.checkpoint(group)
    trainer = Trainer(
        corpora, weights, len(vocabulary), plan.recipe,
        directions=group, checkpoint=checkpoint, device=chosen_device(plan.device),
    )  # fmt: skip
    if plan.start_from is not None and not checkpoint.exists():
        load_lms(trainer.networks, open_bundle(plan.start_from))
    return trainer


def _lm_corpora(plan: Plan, vocabulary: Vocabulary) -> tuple[list[Encoded], list[float], Encoded]:
    """The corpora of the language models, their weights, and the lines that are held out."""
    read = read_corpora(plan.lm_files, plan.corpora_folder)
    weights = [file.weight for file in plan.lm_files]
    rest, held_out = hold_out([read[file].remap(vocabulary) for file in plan.lm_files], weights, plan.recipe.held_out)
    return rest, weights, held_out


def validation(plan: Plan, vocabulary: Vocabulary) -> dict[str, Encoded]:
    """The lines for validation: those held out from the corpus, and the files of `--valid`, by name."""
    _, _, held_out = _lm_corpora(plan, vocabulary)
    valid = {"held out": held_out}
    for file in plan.valid:
        valid[file.name] = encode(file).remap(vocabulary)
        if not valid[file.name].n_lines:
            raise InputError(f"{file.path} has no line with a word in it")
    return valid
