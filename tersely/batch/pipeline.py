"""Blocks of rows through the workers and back, in order. Equal texts are shortened once."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TypeVar

from tersely.batch.job import Job
from tersely.batch.row_blocks import Outcome, RowBlock
from tersely.errors import InputError
from tersely.summary.summarizer import Summarizer

BLOCK_SECONDS = 0.5  # long enough to be worth a message to a worker, short enough to keep all workers busy
MAX_BLOCK_ROWS = 256
CACHE_SIZE = 1 << 13  # different texts whose outcome is remembered: a few megabytes, however long the input is

T = TypeVar("T")
Slot = list[Outcome]  # holds the outcome of a text as soon as there is one


class BlockSize:
    """How many rows a block should have, adapted to how long they take."""

    def __init__(self) -> None:
        self.rows = 4

    def update(self, texts: int, seconds: float) -> None:
        if texts:
            wanted = BLOCK_SECONDS * texts / max(seconds, 1e-9)
            self.rows = round(max(1, min(MAX_BLOCK_ROWS, 2 * self.rows, wanted)))


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


def summarize_texts(summarizer: Summarizer, texts: list[str], job: Job) -> tuple[float, list[Outcome]]:
    """The outcomes of some texts, and the seconds they took. Runs in a worker."""
    start = time.perf_counter()
    outcomes = [job.table.outcome(summarizer.attempt(text, job.options)) for text in texts]
    return time.perf_counter() - start, outcomes


def summarize_blocks(
    blocks: Iterable[tuple[T, RowBlock]], summarizer: Summarizer, job: Job, cache: OutcomeCache, size: BlockSize
) -> Iterator[tuple[T, RowBlock, list[Outcome]]]:
    """Every block with its label, which is passed through, and the outcomes of its rows, in the order of the blocks.

    Only new texts go to the workers. Results come back in order. So when a block is done, a text that it shares with an
    earlier block has its outcome, even if both blocks were with the workers at the same time.
    """
    waiting: deque[tuple[T, RowBlock, list[Slot], list[Slot]]] = deque()

    def new_texts() -> Iterator[list[str]]:
        for label, block in blocks:
            texts, slots, empty = [], [], []
            for text in block.texts:
                if isinstance(text, InputError):
                    slots.append([job.table.outcome(text)])
                    continue
                slot, new = cache.slot(text)
                slots.append(slot)
                if new:
                    texts.append(text)
                    empty.append(slot)
            waiting.append((label, block, slots, empty))
            yield texts

    for seconds, outcomes in summarizer.spread(partial(summarize_texts, job=job), new_texts(), job.workers, most=1):
        label, block, slots, empty = waiting.popleft()
        for slot, outcome in zip(empty, outcomes, strict=True):
            slot.append(outcome)
        size.update(len(outcomes), seconds)
        yield label, block, [slot[0] for slot in slots]
