"""Beside the flow: both language models: together if they share their word vectors, otherwise each on its own.

Models that share are trained by one process with a thread for each direction. Models that do not are trained by two
processes side by side, or one after the other.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import torch

from tersely.bundle import open_bundle
from tersely.errors import InputError, TerselyError
from tersely.training.corpus import Encoded, encode
from tersely.training.export import load_lms
from tersely.training.lm import DIRECTIONS, Trainer
from tersely.training.plan import Plan
from tersely.training.prepare import hold_out, read_side
from tersely.training.run import Stopped, run, watching_for_stop
from tersely.vocab import Vocabulary

Report = Callable[[str], None]
_PROCESSES = multiprocessing.get_context("spawn")

Group = tuple[str, ...]


def groups(plan: Plan) -> list[Group]:
    """Which directions are trained together."""
    return [DIRECTIONS] if plan.recipe.shared else [(direction,) for direction in DIRECTIONS]


def train_directions(plan: Plan, report: Report) -> None:
    """Train both directions to the end of the budget; Ctrl-C and a kill raise KeyboardInterrupt when all is saved."""
    try:
        if plan.processes == 1 or plan.recipe.shared:
            for group in groups(plan):
                train_group(plan, group, report)
        else:
            _train_side_by_side(plan)
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
            run(trainer, valid, hours=plan.hours, report=report, stop=stop)


def trainer_for(plan: Plan, group: Group) -> Trainer:
    """The trainer of a group of directions, at its newest checkpoint, or else where the plan says it starts."""
    vocabulary = Vocabulary.read(plan.vocabulary_file)
    side = read_side(plan.lm_sources, plan.corpora_folder).remap(vocabulary)
    corpora, _ = hold_out(side.corpora, side.weights, plan.recipe.held_out)
    checkpoint = plan.checkpoint(group)
    trainer = Trainer(corpora, side.weights, len(vocabulary), plan.recipe, directions=group, checkpoint=checkpoint)
    if plan.start_from is not None and not checkpoint.exists():
        load_lms(trainer.networks, open_bundle(plan.start_from))
    return trainer


def validation(plan: Plan, vocabulary: Vocabulary) -> dict[str, Encoded]:
    """The lines to measure on: those held out from the corpus, and the files of `--valid`, under their names."""
    side = read_side(plan.lm_sources, plan.corpora_folder).remap(vocabulary)
    _, held_out = hold_out(side.corpora, side.weights, plan.recipe.held_out)
    valid = {"held out": held_out}
    for source in plan.valid:
        valid[source.name] = encode(source).remap(vocabulary)
        if not valid[source.name].n_lines:
            raise InputError(f"{source.path} has no line with a word in it: there is nothing to measure on")
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
                    process.terminate()  # a polite kill: the worker saves and stops
            time.sleep(0.05)
        interrupted = stop()
    messages = [_last_words(receiver) for _, receiver in workers]
    for direction, message in zip(DIRECTIONS, messages, strict=True):
        if message not in ("done", "stopped", "died"):
            raise TerselyError(message)
        if message == "died" and not interrupted:
            raise TerselyError(f"the process of the {direction} model died: the same command resumes the run")
    if messages != ["done"] * len(messages):
        raise Stopped


def _last_words(receiver: Connection) -> str:
    try:
        return str(receiver.recv())
    except EOFError:  # it died without a word, or was killed before it began
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
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C finds nothing left to do
