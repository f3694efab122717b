"""Blocks of rows through the workers and back, in their order; equal texts are shortened once."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from functools import partial

from tersely.batch.rows import Added, Block, Outcome
from tersely.errors import InputError
from tersely.options import Options
from tersely.summarizer import Summarizer

SECONDS = 0.5  # what a block should take: long enough to be worth a message, short enough to share well
MOST_ROWS = 256  # in a block
REMEMBERED = 1 << 13  # different texts whose outcome is remembered: a few megabytes, however long the input is


class Pace:
    """How many rows a block should have, learned from how long they take."""

    def __init__(self) -> None:
        self.rows = 4

    def learn(self, texts: int, seconds: float) -> None:
        if texts:
            wanted = SECONDS * texts / max(seconds, 1e-9)
            self.rows = round(max(1, min(MOST_ROWS, 2 * self.rows, wanted)))


class Memory:
    """The places of outcomes by their texts: those of the texts that were seen last."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._places: OrderedDict[bytes, list[Outcome]] = OrderedDict()
        self._most = most

    def place(self, text: str) -> tuple[list[Outcome], bool]:
        """Where the outcome of a text is, or will be; and whether the text is new."""
        key = hashlib.blake2b(text.encode(), digest_size=16).digest()
        new = key not in self._places
        place = self._places.setdefault(key, [])
        self._places.move_to_end(key)
        if len(self._places) > self._most:
            self._places.popitem(last=False)
        return place, new


def shorten_all(
    summarizer: Summarizer, texts: list[str], options: Options, added: Added
) -> tuple[float, list[Outcome]]:
    """What becomes of some texts, and the seconds that they took. This is what a worker does."""
    begin = time.perf_counter()
    outcomes = [added.outcome(summarizer.attempt(text, options)) for text in texts]
    return time.perf_counter() - begin, outcomes


Tagged = tuple[int, Block]  # the number of an output, and rows for it


def summarised(
    blocks: Iterator[Tagged], summarizer: Summarizer, options: Options, added: Added, workers: int | None, pace: Pace
) -> Iterator[tuple[int, Block, list[Outcome]]]:
    """Every block with the outcomes of its rows, in the order of the blocks.

    Only new texts go to the workers. Since results come in order, a text that was seen before has its outcome by then,
    even where both were on their way at once.
    """
    memory = Memory()
    waiting: deque[tuple[Tagged, list[list[Outcome]], list[list[Outcome]]]] = deque()

    def new_texts() -> Iterator[list[str]]:
        for tagged in blocks:
            texts, places, empty = [], [], []
            for text in tagged[1].texts:
                if isinstance(text, InputError):
                    places.append([added.outcome(text)])
                    continue
                place, new = memory.place(text)
                places.append(place)
                if new:
                    texts.append(text)
                    empty.append(place)
            waiting.append((tagged, places, empty))
            yield texts

    work = partial(shorten_all, options=options, added=added)
    for seconds, outcomes in summarizer.spread(work, new_texts(), workers, most=1):
        (output, block), places, empty = waiting.popleft()
        for place, outcome in zip(empty, outcomes, strict=True):
            place.append(outcome)
        pace.learn(len(outcomes), seconds)
        yield output, block, [place[0] for place in places]
