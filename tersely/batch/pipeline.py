"""Blocks of rows through an engine and back, in order. Equal texts are shortened once."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import lru_cache
from typing import NamedTuple, TypeVar

from tersely.batch.engines import Engine, Result
from tersely.batch.job import Job
from tersely.batch.row_blocks import Outcome, RowBlock
from tersely.errors import InputError, WorkerLost
from tersely.summary.summarizer import Summarizer
from tersely.system.threads import always_one_thread

CACHE_SIZE = 1 << 13  # different texts whose outcome is remembered: a few megabytes, however long the input is

T = TypeVar("T")


class Slot:
    """The place for the outcome of a text. It is new until the text is sent to the engine."""

    new = True
    outcome: Outcome  # set when the text is done: a row is never written without one


class _Waiting(NamedTuple):
    """A block whose new texts are with the engine."""

    block: RowBlock
    slots: list[Slot]  # of all rows
    new: list[tuple[str, Slot]]
    future: Future[Result]


def summarize_texts(job: Job, summarizer: Summarizer, texts: list[str]) -> Result:
    """The outcomes of some texts, and the seconds they took: what an engine runs.

    One thread, whatever the environment says: the last bits of a score must not depend on the number of workers.
    """
    start = time.perf_counter()
    with always_one_thread():
        outcomes = [_outcome(job, summarizer, text) for text in texts]
    return time.perf_counter() - start, outcomes


def _outcome(job: Job, summarizer: Summarizer, text: str) -> Outcome:
    try:
        return job.table.outcome(summarizer.attempt(text, job.options))
    except MemoryError:
        return Outcome(error="there is not enough memory for this text: split it, or use fewer workers")


def summarize_blocks(
    blocks: Iterable[tuple[T, RowBlock]], engine: Engine, job: Job
) -> Iterator[tuple[T, RowBlock, list[Outcome]]]:
    """Every block with its label, which is passed through, and the outcomes of its rows, in the order of the blocks.

    Only new texts go to the workers. Results come back in order. So when a block is done, a text that it shares with an
    earlier block has its outcome, even if both blocks were with the workers at the same time. A few blocks for each
    worker are read ahead of the results, so that memory stays flat.
    """
    waiting: deque[tuple[T, _Waiting]] = deque()
    slot_of = lru_cache(CACHE_SIZE)(lambda key: Slot())
    for label, block in blocks:
        waiting.append((label, _submitted(block, engine, job, slot_of)))
        while waiting and (len(waiting) > 3 * engine.workers or waiting[0][1].future.done()):
            yield _finished(*waiting.popleft(), engine)
    while waiting:
        yield _finished(*waiting.popleft(), engine)


def _submitted(block: RowBlock, engine: Engine, job: Job, slot_of: Callable[[bytes], Slot]) -> _Waiting:
    slots, new = [], []
    for text in block.texts:
        if isinstance(text, InputError):
            slots.append(slot := Slot())
            slot.outcome = job.table.outcome(text)
            continue
        slots.append(slot := slot_of(hashlib.blake2b(text.encode(), digest_size=16).digest()))
        if slot.new:
            slot.new = False
            new.append((text, slot))
    return _Waiting(block, slots, new, engine.submit([text for text, _ in new]))


def _finished(label: T, one: _Waiting, engine: Engine) -> tuple[T, RowBlock, list[Outcome]]:
    try:
        seconds, outcomes = one.future.result()
        engine.adapt(len(outcomes), seconds)
    except WorkerLost:
        outcomes = [_alone(text, engine) for text, _ in one.new]
    for (_, slot), outcome in zip(one.new, outcomes, strict=True):
        slot.outcome = outcome
    return label, one.block, [slot.outcome for slot in one.slots]


def _alone(text: str, engine: Engine) -> Outcome:
    """The outcome of a text in a block that no worker survived. It has an error if workers die of this text alone."""
    try:
        return engine.submit([text]).result()[1][0]
    except WorkerLost as error:
        engine.submit([]).result()  # raises the error of workers that cannot even start
        return Outcome(error=f"no worker survives this text: {error}")
