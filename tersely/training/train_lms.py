"""Training: trains both language models.

Models that share their word vectors are trained together, others each in a thread of its own or one after the other.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import torch

from tersely.bundle.bundle import Bundle
from tersely.errors import InputError
from tersely.text.vocabulary import Vocabulary
from tersely.training.corpus import CorpusFile, Encoded, encode, hold_out
from tersely.training.export import load_lms
from tersely.training.lm import DIRECTIONS, LmTrainer
from tersely.training.plan import Log, Plan
from tersely.training.run import Stopped, run, stoppable
from tersely.training.validate import measure_all

LINES_AT_CHECKPOINT = 500  # validation at a checkpoint is quick; the bundle's figures use more lines


def train_lms(
    plan: Plan, start: Bundle | None, corpora: Mapping[CorpusFile, Encoded], vocabulary: Vocabulary, log: Log
) -> tuple[list[LmTrainer], dict[str, Encoded]]:
    """The trainers of both directions at the end of their budget, and the lines for validation, by name."""
    weights = [file.weight for file in plan.lm_files]
    rest, held_out = hold_out([corpora[file] for file in plan.lm_files], weights, plan.recipe.held_out)
    valid = {"held out": held_out, **{file.name: encode(file).remap(vocabulary) for file in plan.valid}}
    trainers = []
    for group in [DIRECTIONS] if plan.recipe.shared else [(direction,) for direction in DIRECTIONS]:
        checkpoint = plan.run / f"{'-'.join(group)}.pt"
        trainer = LmTrainer(
            rest, weights, len(vocabulary), plan.recipe,
            directions=group, checkpoint=checkpoint, device=chosen_device(plan.device),
        )  # fmt: skip
        if start is not None and not checkpoint.exists():
            load_lms(trainer.networks, start)
        trainers.append(trainer)
    _train(trainers, plan, valid, log)
    return trainers, valid


def _train(trainers: list[LmTrainer], plan: Plan, valid: Mapping[str, Encoded], log: Log) -> None:
    """Train to the end of the budget; Ctrl-C and SIGTERM raise KeyboardInterrupt after a checkpoint."""
    failed = threading.Event()  # one direction without the other is of no use

    with stoppable(plan.run, log) as stop:

        def train(trainer: LmTrainer) -> None:
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


def _validate(trainer: LmTrainer, valid: Mapping[str, Encoded], log: Log) -> None:
    for i, (name, lines) in enumerate(valid.items()):
        qualities = measure_all(trainer.networks, lines.part(0, LINES_AT_CHECKPOINT))
        for direction, quality in qualities.items():
            log(f"step {trainer.spent.n_steps:,}, {name}, {direction}: {quality}")
        if i == 0:
            trainer.validated(float(np.mean([quality.perplexity for quality in qualities.values()])))


def chosen_device(name: str) -> torch.device:
    """The device of that name; `auto` is the first accelerator that this machine has, else the CPU.

    Random numbers are drawn on the CPU, so that a run reads the same batches on every device. Sums have another order
    on another device, so results are the same to the last bit only on the same device.
    """
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(device for device, is_available in available.items() if is_available)
    if not available[name]:
        raise InputError(f"this machine has no {name}, or this torch was built without it: give --device cpu")
    return torch.device(name)
