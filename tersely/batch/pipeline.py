"""Blocks of rows through an engine and back, in order. Equal texts are shortened once."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from typing import NamedTuple, TypeVar

from tersely.batch.engines import Engine, Result
from tersely.batch.job import Job
from tersely.batch.row_blocks import Outcome, RowBlock
from tersely.errors import InputError, WorkerLost
from tersely.summary.summarizer import Summarizer
from tersely.system.threads import always_one_thread

CACHE_SIZE = 1 << 13  # different texts whose outcome is remembered: a few megabytes, however long the input is

T = TypeVar("T")
Slot = list[Outcome]  # holds the outcome of a text as soon as there is one


class BlockSize:
    """How many rows a block should have, adapted to how long they take."""

    def __init__(self, seconds: float = 0.5, max_rows: int = 256) -> None:
        self.rows, self._seconds, self.max_rows = 4, seconds, max_rows

    def update(self, texts: int, seconds: float) -> None:
        if texts:
            wanted = self._seconds * texts / max(seconds, 1e-9)
            self.rows = round(max(1, min(self.max_rows, 2 * self.rows, wanted)))


class OutcomeCache:
    """The outcomes of the texts that were seen last."""

    def __init__(self, size: int = CACHE_SIZE) -> None:
        self._slots: OrderedDict[bytes, Slot] = OrderedDict()
        self._size = size

    def slot(self, text: str) -> tuple[Slot, bool]:
        """The slot for the outcome of a text, and whether the text is new."""
        key = hashlib.blake2b(text.encode(), digest_size=16).digest()
        new = key not in self._slots
        slot = self._slots.setdefault(key, [])
        self._slots.move_to_end(key)
        if len(self._slots) > self._size:
            self._slots.popitem(last=False)
        return slot, new


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


class _Waiting(NamedTuple):
    """A block whose new texts are with the engine."""

    block: RowBlock
    slots: list[Slot]  # of all rows
    texts: list[str]  # the new ones
    empty: list[Slot]  # their slots
    future: Future[Result]


def summarize_blocks(
    blocks: Iterable[tuple[T, RowBlock]], engine: Engine, job: Job, size: BlockSize
) -> Iterator[tuple[T, RowBlock, list[Outcome]]]:
    """Every block with its label, which is passed through, and the outcomes of its rows, in the order of the blocks.

    Only new texts go to the workers. Results come back in order. So when a block is done, a text that it shares with an
    earlier block has its outcome, even if both blocks were with the workers at the same time. A few blocks for each
    worker are read ahead of the results, so that memory stays flat.
    """
    waiting: deque[tuple[T, _Waiting]] = deque()
    cache = OutcomeCache()
    for label, block in blocks:
        waiting.append((label, _submitted(block, engine, job, cache)))
        while waiting and (len(waiting) > 3 * engine.workers or waiting[0][1].future.done()):
            yield _finished(*waiting.popleft(), engine, size)
    while waiting:
        yield _finished(*waiting.popleft(), engine, size)


def _submitted(block: RowBlock, engine: Engine, job: Job, cache: OutcomeCache) -> _Waiting:
    slots, texts, empty = [], [], []
    for text in block.texts:
        if isinstance(text, InputError):
            slots.append([job.table.outcome(text)])
            continue
        slot, new = cache.slot(text)
        slots.append(slot)
        if new:
            texts.append(text)
            empty.append(slot)
    return _Waiting(block, slots, texts, empty, engine.submit(texts))


def _finished(label: T, one: _Waiting, engine: Engine, size: BlockSize) -> tuple[T, RowBlock, list[Outcome]]:
    try:
        seconds, outcomes = one.future.result()
        size.update(len(outcomes), seconds)
    except WorkerLost:
        outcomes = [_alone(text, engine) for text in one.texts]
    for slot, outcome in zip(one.empty, outcomes, strict=True):
        slot.append(outcome)
    return label, one.block, [slot[0] for slot in one.slots]


def _alone(text: str, engine: Engine) -> Outcome:
    """The outcome of a text in a block that no worker survived. It has an error if workers die of this text alone."""
    try:
        return engine.submit([text]).result()[1][0]
    except WorkerLost as error:
        engine.submit([]).result()  # raises the error of workers that cannot even start
        return Outcome(error=f"no worker survives this text: {error}")
