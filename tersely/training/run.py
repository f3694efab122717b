"""Beside the flow: trains both language models to the end of the budget: progress, checkpoints, validation, stopping.

Models that share their word vectors are trained by one process with a thread for each direction; others by two
processes side by side, or one after the other. Ctrl-C and SIGTERM make a checkpoint and stop; so does the death
of the parent process. The same command goes on from there.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import numpy as np
import torch

from tersely.bundle import open_bundle
from tersely.errors import InputError, TerselyError
from tersely.training.corpus import Encoded, encode, hold_out, read_corpora
from tersely.training.device import chosen_device
from tersely.training.export import load_lms
from tersely.training.lm import DIRECTIONS, Spent, Trainer
from tersely.training.plan import Plan
from tersely.training.validate import Quality, measure
from tersely.vocab import Vocabulary

if TYPE_CHECKING:
    from tersely.training.parser import ParserTrainer  # which imports `run`

SECONDS_BETWEEN_LINES = 30.0
LINES_AT_CHECKPOINT = 500  # validation at a checkpoint is quick; the bundle's figures use more lines

Report = Callable[[str], None]
Group = tuple[str, ...]  # directions that are trained together
_PROCESSES = multiprocessing.get_context("spawn")


class Stopped(Exception):
    """The run was asked to stop, and has saved what it had."""


@contextmanager
def watching_for_stop() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C or SIGTERM came, or the process that started this worker is gone."""
    came: list[int] = []
    starter = multiprocessing.parent_process()  # none, unless this is a worker
    wanted = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in wanted}
    try:
        yield lambda: bool(came) or (starter is not None and not starter.is_alive())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def measure_all(trainer: Trainer, lines: Encoded) -> dict[str, Quality]:
    """The quality of each direction that the trainer trains."""

    def one(direction: str) -> Quality:
        return measure(trainer.networks[direction].score, lines, backward=direction == "backward")

    return dict(zip(trainer.networks, trainer.threads.map(one, trainer.networks), strict=True))


def run(
    trainer: Trainer | ParserTrainer,
    *,
    hours: float | None,
    report: Report,
    look: Callable[[], object] = lambda: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Train until the budget is used up.

    `look` is called before every checkpoint but the last. `stop` is asked after every step; when it says yes, a
    checkpoint is written and `Stopped` is raised.
    """
    spent = trainer.spent
    if spent.n_steps:
        report(f"{trainer.name}: resumes at step {spent.n_steps:,}, {spent.n_tokens / 1e6:.2f} million tokens")
    saved = shown = time.monotonic()
    before = replace(spent)
    losses: list[float] = []
    while (progress := spent.progress(trainer.recipe, hours)) < 1:
        losses.append(trainer.step(progress))
        now = time.monotonic()
        if now - shown > SECONDS_BETWEEN_LINES:
            report(_line(trainer, float(np.mean(losses)), before, hours))
            shown, losses = now, []
        if stop():
            trainer.save()
            report(f"{trainer.name}: stopped and saved at step {spent.n_steps:,}")
            raise Stopped
        if now - saved > 60 * trainer.recipe.checkpoint_minutes:
            saved = now
            look()
            trainer.save()
    trainer.save()


def _look(trainer: Trainer, valid: Mapping[str, Encoded], report: Report) -> None:
    for i, (name, lines) in enumerate(valid.items()):
        some = lines.part(0, LINES_AT_CHECKPOINT)
        qualities = measure_all(trainer, some)
        for direction, quality in qualities.items():
            report(f"step {trainer.spent.n_steps:,}, {name}, {direction}: {quality}")
        if i == 0:
            trainer.validated(float(np.mean([quality.perplexity for quality in qualities.values()])))


def _line(trainer: Trainer | ParserTrainer, loss: float, before: Spent, hours: float | None) -> str:
    spent, recipe = trainer.spent, trainer.recipe
    speed = (spent.n_tokens - before.n_tokens) / (spent.seconds - before.seconds)
    seconds_left = (recipe.tokens - spent.n_tokens) / speed if hours is None else 3600 * hours - spent.seconds
    minutes = max(0, round(seconds_left / 60))
    return (
        f"{trainer.name}: step {spent.n_steps:,}, {spent.n_tokens / 1e6:.2f} million tokens, "
        f"{speed:,.0f} tokens/s, loss {loss:.3f}, {minutes // 60}:{minutes % 60:02} left"
    )


def groups(plan: Plan) -> list[Group]:
    """Which directions are trained together."""
    return [DIRECTIONS] if plan.recipe.shared else [(direction,) for direction in DIRECTIONS]


def train_directions(plan: Plan, report: Report) -> None:
    """Train both directions to the end of the budget; Ctrl-C and a kill raise KeyboardInterrupt when all is saved."""
    with saying_how_to_resume(plan, report):
        if plan.processes == 1 or plan.recipe.shared:
            for group in groups(plan):
                train_group(plan, group, report)
        else:
            _train_side_by_side(plan)


@contextmanager
def saying_how_to_resume(plan: Plan, report: Report) -> Iterator[None]:
    """Turn `Stopped` into KeyboardInterrupt, after a line on what to do."""
    try:
        yield
    except Stopped:
        report(f"stopped: the same command resumes the run in {plan.run}")
        raise KeyboardInterrupt from None


def train_group(plan: Plan, group: Group, report: Report) -> None:
    """Train one group of directions in this process."""
    with watching_for_stop() as stop:
        torch.set_num_threads(1)
        trainer = trainer_for(plan, group)
        valid = validation(plan, Vocabulary.read(plan.vocabulary_file))
        if trainer.spent.progress(plan.recipe, plan.hours) < 1:
            look = partial(_look, trainer, valid, report)
            run(trainer, hours=plan.hours, report=report, look=look, stop=stop)


def trainer_for(plan: Plan, group: Group) -> Trainer:
    """The trainer of a group of directions, at its newest checkpoint, or else where the plan says it starts."""
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
    """What the language models read, with weights, and what is held out."""
    read = read_corpora(plan.lm_files, plan.corpora_folder)
    weights = [file.weight for file in plan.lm_files]
    rest, held_out = hold_out([read[file].remap(vocabulary) for file in plan.lm_files], weights, plan.recipe.held_out)
    return rest, weights, held_out


def validation(plan: Plan, vocabulary: Vocabulary) -> dict[str, Encoded]:
    """The lines to measure on: those held out from the corpus, and the files of `--valid`, under their names."""
    _, _, held_out = _lm_corpora(plan, vocabulary)
    valid = {"held out": held_out}
    for file in plan.valid:
        valid[file.name] = encode(file).remap(vocabulary)
        if not valid[file.name].n_lines:
            raise InputError(f"{file.path} has no line with a word in it: there is nothing to measure on")
    return valid


def _train_side_by_side(plan: Plan) -> None:
    workers = []
    with watching_for_stop() as stop:
        for group in groups(plan):
            receiver, sender = _PROCESSES.Pipe(duplex=False)
            process = _PROCESSES.Process(target=_work, args=(plan, group, sender), daemon=True)
            process.start()
            sender.close()
            workers.append((process, receiver))
        ending = False
        while any(process.is_alive() for process, _ in workers):
            failed = any(process.exitcode for process, _ in workers)
            if (failed or stop()) and not ending:
                ending = True
                for process, _ in workers:
                    process.terminate()  # SIGTERM: the worker saves and stops
            time.sleep(0.05)
        interrupted = stop()
    messages = [_last_message(receiver) for _, receiver in workers]
    for direction, message in zip(DIRECTIONS, messages, strict=True):
        if message not in ("done", "stopped", "died"):
            raise TerselyError(message)
        if message == "died" and not interrupted:
            raise TerselyError(f"the process of the {direction} model died: the same command resumes the run")
    if messages != ["done"] * len(messages):
        raise Stopped


def _last_message(receiver: Connection) -> str:
    try:
        return str(receiver.recv())
    except EOFError:  # it died without a message, or was killed before it began
        return "died"


def _work(plan: Plan, group: Group, sender: Connection) -> None:
    try:
        train_group(plan, group, lambda line: print(line, file=sys.stderr, flush=True))
        sender.send("done")
    except (Stopped, KeyboardInterrupt):  # the latter while it was still reading
        sender.send("stopped")
    except TerselyError as error:
        sender.send(str(error))
        sys.exit(1)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to stop: ignore a second Ctrl-C
