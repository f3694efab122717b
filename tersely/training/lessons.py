"""Beside the flow: lessons: sentences with the best summaries that the search finds for them, for a selector to learn.

A lesson has a list of candidates with their scores for each of several lengths. The first ones come from the lattice;
when there is a selector already, from its own best candidates, scored by the objective: that tells it most about its
errors, and costs a fifth. Lessons are lines of JSON, appended one by one, so that a run that was killed goes on.
"""

from __future__ import annotations

import heapq
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.errors import FileError, InputError
from tersely.fast import FastPath, chain_of
from tersely.files import packed_lines, write_text
from tersely.length import Budget
from tersely.progress import progress
from tersely.scoring.lexicon import surfaces
from tersely.search.lattice import lattice
from tersely.search.result import best_first
from tersely.sentences import sentences
from tersely.source import BoolArray, Source
from tersely.summarizer import Summarizer
from tersely.task import candidates_of
from tersely.text import tokenize
from tersely.vocab import UNKNOWN_ID, Vocabulary

LONGEST, SHORTEST = 46, 8  # words of a sentence to learn from
FEWEST = 3  # words of a summary
CANDIDATES = 16  # of each length
_SIZES = 5  # lengths of a sentence
_GUIDED = 0.8  # of the lessons of a selector that has learned before
# How benchmark corpora write brackets and quotes.
_MARKS = {"(": "-lrb-", ")": "-rrb-", '"': "''", "\u201c": "``", "\u201d": "''"}


class Best(NamedTuple):
    """The best candidates of one number of words."""

    size: int
    masks: BoolArray  # (candidates, n)
    scores: NDArray[np.float32]  # (candidates,)


@dataclass(frozen=True)
class Lesson:
    """A sentence, the objective, and what the search found for several lengths."""

    text: str
    pretokenized: bool
    objective: str
    lists: tuple[Best, ...] = ()

    def source(self, vocabulary: Vocabulary) -> Source:
        return Source.of(tokenize(self.text, pretokenized=self.pretokenized), vocabulary)

    def to_json(self) -> str:
        lists = [
            [
                best.size,
                [row.tobytes().hex() for row in np.packbits(best.masks, axis=1)],
                [round(float(score), 4) for score in best.scores],
            ]
            for best in self.lists
        ]
        n = len(self.lists[0].masks[0]) if self.lists else 0
        row = {"text": self.text, "pretokenized": self.pretokenized, "objective": self.objective}
        return json.dumps({**row, "n": n, "lists": lists}, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Lesson:
        """The lesson of a line.

        >>> best = Best(2, np.array([[True, False, True]]), np.array([-1.5], np.float32))
        >>> Lesson.from_json(Lesson("a b c", True, "headline", (best,)).to_json()).lists[0].masks.astype(int).tolist()
        [[1, 0, 1]]
        """
        row = json.loads(line)

        def masks(rows: Sequence[str]) -> BoolArray:
            packed = np.array([np.frombuffer(bytes.fromhex(text), np.uint8) for text in rows])
            return np.unpackbits(packed, axis=1)[:, : row["n"]].astype(bool)

        lists = tuple(Best(size, masks(rows), np.array(scores, np.float32)) for size, rows, scores in row["lists"])
        return cls(row["text"], row["pretokenized"], row["objective"], lists)


def draw_sentences(files: Sequence[Path], count: int) -> list[str]:
    """So many first sentences of lines, as many of each file, always the same ones, in an order without order."""
    drawn = [heapq.nsmallest(-(-count // len(files)), _ordered(path)) for path in files]
    return [text for _, text in sorted(pair for pairs in drawn for pair in pairs)][:count]


def _ordered(path: Path) -> Iterator[tuple[int, str]]:
    """The sentences of a file that are whole and of a usual length, each with a number that decides on it."""
    for line in packed_lines(path):
        found = sentences(line.decode("utf-8", "replace").strip())
        if found and SHORTEST < len(found[0].split()) <= LONGEST and not found[0].endswith(("...", "\u2026")):
            yield zlib.crc32(found[0].encode()), found[0]


def as_benchmark(text: str, vocabulary: Vocabulary, *, lower: bool) -> str:
    """The sentence in the form of benchmark corpora: tokens apart, and in lower case with rare words as UNK.

    >>> as_benchmark("Cuba's ship ran (again).", Vocabulary.of(["cuba", "'s", "ship", "again"]), lower=True)
    "cuba 's ship UNK -lrb- again -rrb- ."
    """
    tokens: list[str] = []
    for word in tokenize(text):
        if word.punctuation:
            tokens.append(_MARKS.get(word.text, word.text))
        elif lower:
            known = zip(word.pieces, vocabulary.ids(word.pieces), strict=True)
            tokens += ["UNK" if number == UNKNOWN_ID else piece for piece, number in known]
        else:
            tokens += surfaces(word)
    return " ".join(tokens)


def assignments(texts: Sequence[str], objectives: Sequence[str], vocabulary: Vocabulary) -> Iterator[Lesson]:
    """What is to be learned from: half of the sentences as they are, the others in the forms of benchmarks."""
    for i, text in enumerate(texts):
        draw = np.random.default_rng(i).random()
        objective = objectives[i % len(objectives)]
        if draw < 0.5:
            yield Lesson(text, False, objective)
        else:
            yield Lesson(as_benchmark(text, vocabulary, lower=draw < 0.9), True, objective)


def teach(summarizer: Summarizer, task: tuple[int, Lesson]) -> Lesson:
    """The lesson with its lists; without any where the sentence is of no use."""
    number, lesson = task
    rng = np.random.default_rng([1, number])
    source = lesson.source(summarizer.bundle.vocabulary)
    n = len(source)
    if not SHORTEST <= n <= LONGEST:
        return lesson
    # Most summaries are short, but prose is often cut by a third only.
    longest = min(n - 1, 14 if rng.random() < 0.6 else round(0.8 * n))
    sizes = sorted(
        rng.choice(np.arange(FEWEST, longest + 1), min(_SIZES, longest + 1 - FEWEST), replace=False).tolist()
    )
    try:
        if "selector" in summarizer.bundle.description and rng.random() < _GUIDED:
            lists = _guided(summarizer, lesson, source, sizes)
        else:
            lists = _searched(summarizer, lesson, source, sizes)
    except InputError:  # words that need each other leave no room
        return lesson
    return Lesson(lesson.text, lesson.pretokenized, lesson.objective, tuple(lists))


def _searched(summarizer: Summarizer, lesson: Lesson, source: Source, sizes: Sequence[int]) -> list[Best]:
    """The best candidates of one reading of the lattice."""
    bound = summarizer.objective(summarizer.weights(lesson.objective)).bind(source)
    space = candidates_of(source, bound, Budget.of_words(len(source), max(sizes)))
    found = lattice.every_weight(bound, space.within(replace(space.budget, least=1)))
    return [
        Best(size, found[size].masks[:CANDIDATES], found[size].scores[:CANDIDATES].astype(np.float32))
        for size in sizes
        if size in found
    ]


def _guided(summarizer: Summarizer, lesson: Lesson, source: Source, sizes: Sequence[int]) -> list[Best]:
    """The selector's own best candidates, scored by the objective."""
    fast = FastPath.of(summarizer.bundle, lesson.objective, source)
    bound = summarizer.objective(summarizer.weights(lesson.objective)).bind(source)
    found = []
    for size in sizes:
        space = candidates_of(source, bound, Budget.of_words(len(source), size))
        masks, _, _ = chain_of(fast.within(fast.evidence, space.budget), CANDIDATES).best(space)
        masks, scores = best_first(masks, bound.log_scores(masks))
        found.append(Best(size, masks, scores.astype(np.float32)))
    return [best for best in found if len(best.masks)]


def read_lessons(path: Path) -> list[Lesson]:
    """The lessons in a file; a last line that was cut off is left out."""
    if not path.exists():
        return []
    try:
        whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
        return [Lesson.from_json(line) for line in whole.split("\n") if line]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f"{path} is damaged ({error}): delete it to begin again") from None


def collect(
    summarizer: Summarizer, tasks: Sequence[Lesson], path: Path, *, number: int = 0, workers: int | None = 1
) -> list[Lesson]:
    """The lessons of all tasks, of which the first has this number; each is appended to a file when it is there."""
    done = read_lessons(path)
    write_text(path, "".join(f"{lesson.to_json()}\n" for lesson in done))  # what a kill has left of a last line goes
    rest = [(number + i, task) for i, task in enumerate(tasks) if i >= len(done)]
    with path.open("a", encoding="utf-8") as stream:
        for lesson in progress(summarizer.spread(teach, rest, workers), "sentences", len(rest)):
            stream.write(lesson.to_json() + "\n")
            stream.flush()
            done.append(lesson)
    return done
