"""Beside the flow: corpora to a vocabulary, and to the lines that the language models read.

The files are tokenised once and kept in the run's folder; a resumed run, and the two processes that train the language
models, read them from there.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tersely.errors import InputError
from tersely.training.corpus import Encoded, Source, encode
from tersely.vocab import SPECIAL, Vocabulary


@dataclass(frozen=True)
class Side:
    """The corpora of one side, titles or articles, in order."""

    sources: tuple[Source, ...]
    corpora: tuple[Encoded, ...]

    def items(self) -> list[tuple[Source, Encoded]]:
        """The corpora with their sources."""
        return list(zip(self.sources, self.corpora, strict=True))

    @property
    def count_weights(self) -> list[float]:
        """What a line of each corpus counts in the document counts."""
        return [source.count_weight for source in self.sources]

    @property
    def weights(self) -> list[float]:
        """The share of the language models' tokens that each corpus should have."""
        return [source.weight for source in self.sources]

    def remap(self, vocabulary: Vocabulary) -> Side:
        """The same corpora in the ids of a vocabulary."""
        return Side(self.sources, tuple(corpus.remap(vocabulary) for corpus in self.corpora))


def cache_name(source: Source) -> str:
    """The name of the file that keeps a tokenised corpus: it changes with the path, the size and the date."""
    try:
        stat = source.path.stat()
    except OSError as error:
        raise InputError(f"cannot read {source.path}: {error.strerror}") from None
    identity = f"{source.path.resolve()} {stat.st_size} {stat.st_mtime_ns} {source.pretokenized}"
    return f"{source.name}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}.npz"


def read_side(sources: Iterable[Source], folder: Path, *, processes: int = 1) -> Side:
    """The corpora of one side, tokenised or taken from `folder`."""
    kept = tuple(sources)
    return Side(kept, tuple(encode(s, folder / cache_name(s), processes=processes) for s in kept))


def choose_vocabulary(corpora: Sequence[Encoded], weights: Sequence[float], *, size: int, min_count: int) -> Vocabulary:
    """The most frequent pieces of the corpora, each counted by the weight of its corpus.

    A weight above 0 only changes the order: a piece that occurs `min_count` times in all corpora together may enter.

    >>> from tersely.training.corpus import encode_lines
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
    """The corpora without the last lines of the heaviest one, and those lines.

    At most a tenth of the corpus is held out; a single line stays in training and is held out as well.
    """
    nearest = int(np.argmax(weights))
    corpus = corpora[nearest]
    n_held = max(1, min(n_lines, corpus.n_lines // 10))
    cut = max(1, corpus.n_lines - n_held)
    rest = [c.part(0, cut) if i == nearest else c for i, c in enumerate(corpora)]
    return rest, corpus.part(corpus.n_lines - n_held, corpus.n_lines)
