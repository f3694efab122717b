"""Training: text files to arrays of piece ids, read and tokenised once.

A corpus file has one sentence a line, plain, `.gz` or `.xz`. The vocabulary is chosen after all files have been read,
so until then the ids are those of the file's own pieces. Lines that cannot be used are counted and reported. Tokenised
files are kept in the folder of the run, for a resumed run.
"""

from __future__ import annotations

import hashlib
import operator
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.system.files import iter_byte_lines, replacing
from tersely.system.progress import progress
from tersely.system.workers import in_parallel
from tersely.text.vocabulary import SPECIAL, Vocabulary
from tersely.text.words import MAX_CHARS, tokenize

LINES_PER_BLOCK = 20_000  # what one worker process tokenises at a time: about two seconds of work


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A corpus file and its two weights, relative to the other files of its side.

    `weight` is its share of the tokens of the language models; `count_weight` is the weight of one of its lines in the
    document counts.
    """

    path: Path
    weight: float = 1.0
    count_weight: float = 1.0
    pretokenized: bool = False

    @classmethod
    def parse(cls, text: str, *, pretokenized: bool = False) -> CorpusFile:
        """The file that `PATH`, `PATH=WEIGHT` or `PATH=WEIGHT,COUNT_WEIGHT` on the command line means.

        >>> file = CorpusFile.parse("news.txt.xz=2.5,1")
        >>> str(file.path), file.weight, file.count_weight
        ('news.txt.xz', 2.5, 1.0)
        """
        name, sign, numbers = text.rpartition("=")
        if not sign or Path(text).exists():
            return cls(Path(text), pretokenized=pretokenized)
        try:
            weights = [float(number) for number in numbers.split(",")]
        except ValueError:
            raise InputError(f"{text!r}: invalid weight {numbers!r}: expected a number") from None
        if len(weights) > 2 or not all(0 <= weight < float("inf") for weight in weights):
            raise InputError(f"{text!r}: invalid weights {numbers}: expected one or two numbers of at least 0")
        return cls(Path(name), weights[0], weights[-1] if len(weights) > 1 else 1.0, pretokenized)

    @property
    def name(self) -> str:
        return self.path.name.split(".")[0]


class Skipped(NamedTuple):
    """How many lines of a file were left out, and why."""

    invalid: int = 0  # not UTF-8
    empty: int = 0  # no word in it
    long: int = 0  # more than MAX_CHARS characters: a document, not a sentence

    def __str__(self) -> str:
        parts = {"not UTF-8": self.invalid, "without a word": self.empty, "too long": self.long}
        return ", ".join(f"{count:,} {reason}" for reason, count in parts.items() if count)


@dataclass(frozen=True)
class Encoded:
    """The pieces of a corpus as ids, and the start of each line; `offsets` has one entry more than there are lines.

    >>> encoded = encode_lines([b"Ship runs aground", b"\\xff", b"Ship sinks"])
    >>> encoded.pieces, encoded.ids.tolist(), encoded.offsets.tolist(), str(encoded.skipped)
    (('ship', 'runs', 'aground', 'sinks'), [0, 1, 2, 0, 3], [0, 3, 5], '1 not UTF-8')
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    pieces: tuple[str, ...] = ()
    skipped: Skipped = Skipped()

    @property
    def n_lines(self) -> int:
        return len(self.offsets) - 1

    @property
    def size(self) -> str:
        """The numbers of lines and words, and of the lines that were left out, for a report."""
        left_out = f" (left out: {self.skipped})" if any(self.skipped) else ""
        return f"{self.n_lines:,} lines, {len(self.ids):,} words{left_out}"

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    def line(self, i: int) -> NDArray[np.int32]:
        return self.ids[self.offsets[i] : self.offsets[i + 1]]

    def part(self, start: int, stop: int) -> Encoded:
        stop = min(stop, self.n_lines)
        first, last = self.offsets[start], self.offsets[stop]
        return Encoded(self.ids[first:last], self.offsets[start : stop + 1] - first, self.pieces)

    def remap(self, vocabulary: Vocabulary) -> Encoded:
        """The same lines as ids of `vocabulary`; unknown pieces become its unknown symbol."""
        table = np.asarray(vocabulary.ids(self.pieces), dtype=np.int32)
        return Encoded(table[self.ids], self.offsets, (), self.skipped)


def encode_lines(lines: Iterable[bytes], *, pretokenized: bool = False) -> Encoded:
    """The lines tokenised; see `Encoded` for an example."""
    known: dict[str, int] = {}
    ids: list[int] = []
    offsets = [0]
    invalid = empty = long = 0
    for raw in lines:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            invalid += 1
            continue
        if len(text) > MAX_CHARS:
            long += 1
            continue
        pieces = [piece for word in tokenize(text, pretokenized=pretokenized) for piece in word.pieces]
        if not pieces:
            empty += 1
            continue
        ids.extend(known.setdefault(piece, len(known)) for piece in pieces)
        offsets.append(len(ids))
    return Encoded(
        np.asarray(ids, np.int32), np.asarray(offsets, np.int64), tuple(known), Skipped(invalid, empty, long)
    )


def encode(file: CorpusFile, cache: Path | None = None, *, processes: int = 1) -> Encoded:
    """The tokenised file; from `cache` if it is there, else it is written there."""
    if cache is not None and cache.exists():
        with np.load(cache) as arrays:
            pieces = arrays["pieces"].tobytes().decode().split("\n")
            return Encoded(arrays["ids"], arrays["offsets"], tuple(pieces), Skipped(*arrays["skipped"].tolist()))
    lines = iter_byte_lines(file.path)
    blocks = iter(lambda: list(islice(lines, LINES_PER_BLOCK)), [])
    work = partial(encode_lines, pretokenized=file.pretokenized)
    done = map(work, blocks) if processes == 1 else in_parallel(work, operator.call, blocks, processes, max_chunk=1)
    encoded = join(progress(done, f"{file.path.name}: blocks of {LINES_PER_BLOCK:,} lines read"))
    if not encoded.n_lines:
        raise InputError(f"{file.path} has no line with a word in it")
    if cache is not None:
        text = np.frombuffer("\n".join(encoded.pieces).encode(), np.uint8)
        with replacing(cache) as stream:
            np.savez(stream, ids=encoded.ids, offsets=encoded.offsets, pieces=text, skipped=np.asarray(encoded.skipped))
    return encoded


def join(parts: Iterable[Encoded]) -> Encoded:
    """Several encoded corpora as one, with one list of pieces.

    >>> both = join([encode_lines([b"ship sinks"]), encode_lines([b"old ship"])])
    >>> both.pieces, both.ids.tolist(), both.offsets.tolist()
    (('ship', 'sinks', 'old'), [0, 1, 2, 0], [0, 2, 4])
    """
    known: dict[str, int] = {}
    ids: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
    lengths: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    skipped = Skipped()
    for part in parts:
        table = np.asarray([known.setdefault(piece, len(known)) for piece in part.pieces], np.int32)
        ids.append(table[part.ids])
        lengths.append(part.lengths)
        skipped = Skipped(*(old + new for old, new in zip(skipped, part.skipped, strict=True)))
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    return Encoded(np.concatenate(ids), offsets, tuple(known), skipped)


def cache_name(file: CorpusFile) -> str:
    """The name of the cache file of a corpus; it changes with the path, the size and the date."""
    try:
        stat = file.path.stat()
    except OSError as error:
        raise InputError(f"cannot read {file.path}: {error.strerror}") from None
    identity = f"{file.path.resolve()} {stat.st_size} {stat.st_mtime_ns} {file.pretokenized}"
    return f"{file.name}-{hashlib.sha256(os.fsencode(identity)).hexdigest()[:8]}.npz"


def read_corpora(files: Iterable[CorpusFile], folder: Path, *, processes: int = 1) -> dict[CorpusFile, Encoded]:
    """The tokenised files; from `folder` if they are there."""
    return {file: encode(file, folder / cache_name(file), processes=processes) for file in files}


def choose_vocabulary(corpora: Sequence[Encoded], weights: Sequence[float], *, size: int, min_count: int) -> Vocabulary:
    """The most frequent pieces of the corpora, each counted by the weight of its corpus.

    Weights above 0 change only the order: a piece is usable if it occurs `min_count` times in all corpora together.

    >>> one, two = encode_lines([b"ship sinks ship"]), encode_lines([b"port port port sinks"])
    >>> choose_vocabulary([one, two], [1.0, 0.5], size=2, min_count=2).pieces[3:]
    ('ship', 'port')
    """
    counts: Counter[str] = Counter()
    weighted: Counter[str] = Counter()
    for corpus, weight in zip(corpora, weights, strict=True):
        for piece, count in zip(corpus.pieces, np.bincount(corpus.ids, minlength=len(corpus.pieces)), strict=True):
            counts[piece] += int(count)
            weighted[piece] += weight * int(count)  # type: ignore[assignment]
    usable = [p for p in weighted if counts[p] >= min_count and weighted[p] > 0 and p not in SPECIAL]
    usable.sort(key=lambda piece: (-weighted[piece], piece))
    if len(usable) < 2:
        raise InputError(
            f"the corpora have {len(usable)} different words that occur {min_count} times or more: "
            "give more text or a smaller --min-count"
        )
    return Vocabulary.of(usable[:size])


def hold_out(corpora: Sequence[Encoded], weights: Sequence[float], n_lines: int) -> tuple[list[Encoded], Encoded]:
    """The corpora without the last lines of the one with the largest weight, and those lines.

    At most a tenth of the corpus is held out. A corpus of a single line is used for both.
    """
    largest = int(np.argmax(weights))
    corpus = corpora[largest]
    n_held = max(1, min(n_lines, corpus.n_lines // 10))
    cut = max(1, corpus.n_lines - n_held)
    rest = [c.part(0, cut) if i == largest else c for i, c in enumerate(corpora)]
    return rest, corpus.part(corpus.n_lines - n_held, corpus.n_lines)
