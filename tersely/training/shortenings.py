"""Training: shortenings by deletion as examples to learn from: reading, alignment, augmentation."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tersely.errors import InputError
from tersely.scoring.editor import EDITED, STYLES
from tersely.sentence.lexicon import normal_form, surfaces
from tersely.system.arrays import BoolArray
from tersely.system.files import iter_byte_lines
from tersely.text.words import Word, fold, is_punctuation, tokenize

HELD_OUT = 13  # one source of so many is never learned from
MOST_REFUSED = 0.02  # of the rows: a few that cut inside a word are no reason to stop


@dataclass(frozen=True)
class Shortened:
    """A source with its shortenings: masks over its words without punctuation."""

    text: str
    words: tuple[Word, ...]  # punctuation included
    masks: tuple[BoolArray, ...]
    style: int = EDITED
    refused: tuple[BoolArray, ...] = ()  # candidates that a reader refused

    @property
    def punctuation(self) -> BoolArray:
        return np.array([word.punctuation for word in self.words], bool)

    @property
    def held_out(self) -> bool:
        """Whether it is held out for measuring. Only its text decides, so that more files change nothing."""
        return zlib.crc32(self.text.encode()) % HELD_OUT == 0


class NotADeletion(InputError):
    """A row whose shortening has other words than its source."""


def read_shortenings(paths: Sequence[Path]) -> tuple[list[Shortened], list[str]]:
    """The sources of jsonl files with `text` and `short`, or `tokens` and `kept`; and what was refused, with its line.

    A shortening that deletes nothing is passed over, and so is a source that comes again. A row that is not a deletion
    is refused, and if there are many of them, so is everything: the files hold something else.
    """
    found: dict[str, Shortened] = {}
    refused = []
    n_rows = 0
    for path in paths:
        for number, line in enumerate(iter_byte_lines(path), 1):
            if not line.strip():
                continue
            n_rows += 1
            try:
                example = _read_row(line, f"{path}, line {number}")
            except NotADeletion as error:
                refused.append(str(error))
                continue
            if example.masks:
                found.setdefault(example.text, example)
    if len(refused) > MOST_REFUSED * n_rows:
        raise InputError(f"{refused[0]} ({len(refused):,} of {n_rows:,} rows are not)")
    if not found:
        raise InputError(f"no shortenings in {', '.join(map(str, paths))}")
    return list(found.values()), refused


def _read_row(line: bytes, place: str) -> Shortened:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{place}: not JSON in UTF-8") from None
    if not isinstance(row, dict) or not ({"text", "short"} <= row.keys() or {"tokens", "kept"} <= row.keys()):
        raise InputError(f'{place}: expected an object with "text" and "short"')
    style = row.get("style", EDITED)
    if style not in STYLES:
        raise InputError(f'{place}: "style" must be one of {", ".join(map(str, STYLES))}, not {style!r}')
    if "tokens" in row:
        return replace(_read_labels(row["tokens"], row["kept"], place), style=int(style))
    shorts = [row["short"]] if isinstance(row["short"], str) else row["short"]
    texts = [row["text"], *shorts, *row.get("refused", [])] if isinstance(shorts, list) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f'{place}: "text" must be a text, "short" one or a list of them, "refused" a list of them')
    words = tuple(tokenize(row["text"]))
    masks, refused = (_masks(words, some, place) for some in (shorts, row.get("refused", [])))
    return Shortened(row["text"], words, masks, int(style), refused)


def _masks(words: Sequence[Word], shorts: Iterable[str], place: str) -> tuple[BoolArray, ...]:
    """The masks of shortenings; one that deletes nothing is passed over."""
    masks = []
    for short in shorts:
        mask = align(words, tokenize(short))
        if mask is None:
            raise NotADeletion(f"{place}: {short!r} is not the text with words deleted")
        if not mask.all():
            masks.append(mask)
    return tuple(masks)


def _read_labels(tokens: Any, kept: Any, place: str) -> Shortened:
    """A row of tokens with 0 or 1 each, as sentence compression data is distributed."""
    if not isinstance(tokens, list) or not isinstance(kept, list) or len(tokens) != len(kept):
        raise InputError(f'{place}: "tokens" and "kept" must be lists of the same length')
    words = token_words(map(str, tokens))
    mask = np.array([bool(keep) for keep, word in zip(kept, words, strict=True) if not word.punctuation], bool)
    masks = (mask,) if mask.any() and not mask.all() else ()
    return Shortened(" ".join(map(str, tokens)), tuple(words), masks)


def token_words(forms: Iterable[str]) -> list[Word]:
    """The tokens of a corpus as words of one piece each."""
    return [Word(form, 0, 0, () if is_punctuation(form) else (normal_form(form),)) for form in forms]


def align(source: Sequence[Word], short: Sequence[Word]) -> BoolArray | None:
    """The mask of a shortening over the words of its source; None if it has other words, or none.

    Where a word occurs twice, the alignment with the most neighbours counts, then the earliest.

    >>> align(tokenize("the old man and the young man"), tokenize("the young man")).astype(int).tolist()
    [0, 0, 0, 0, 1, 1, 1]
    """
    words, wanted = ([fold(word.text).strip("'") for word in some if not word.punctuation] for some in (source, short))
    n, never = len(words), -1e9
    values, came_from = np.full((len(wanted), n), never), np.zeros((len(wanted), n), dtype=int)
    for k, word in enumerate(wanted):
        for i in range(k, n):
            if words[i] != word:
                continue
            if not k:
                values[k, i] = -1e-3 * i
            else:
                before = values[k - 1, :i].copy()
                before[i - 1] += 1
                came_from[k, i], values[k, i] = before.argmax(), before.max()
    if not wanted or not n or values[-1].max() < never / 2:
        return None
    mask, i = np.zeros(n, dtype=bool), int(values[-1].argmax())
    for k in reversed(range(len(wanted))):
        mask[i] = True
        i = int(came_from[k, i])
    return mask


def augmented(example: Shortened, rng: np.random.Generator) -> Shortened:
    """The example, often changed: one of its shortenings as the source, the form of benchmarks, or fewer marks."""
    if rng.random() < 0.2:
        example = _nested(example, rng)
    draw = rng.random()
    if draw > 0.45:
        return example
    found = _as_benchmark(example, rng) if draw < 0.25 else _without_marks(example, rng)
    return found if all(0 < mask.sum() < len(mask) for mask in found.masks) else example  # `#` alone may be a mark


def _nested(example: Shortened, rng: np.random.Generator) -> Shortened:
    """The longest shortening as the source of the shorter ones whose words it has."""
    longest = max(example.masks, key=np.sum)
    masks = tuple(mask[longest] for mask in example.masks if mask.sum() < longest.sum() and not (mask & ~longest).any())
    if not masks:
        return example
    keep = np.ones(len(example.words), dtype=bool)
    keep[np.flatnonzero(~example.punctuation)[~longest]] = False
    for i in np.flatnonzero(example.punctuation):  # a mark stays where both of its neighbours do
        keep[i] = i and keep[i - 1] and (i + 1 == len(keep) or keep[i + 1])
    keep[-1] |= example.words[-1].punctuation and rng.random() < 0.5
    words = tuple(word for word, stays in zip(example.words, keep, strict=True) if stays)
    return replace(example, words=words, masks=masks, refused=())


def _as_benchmark(example: Shortened, rng: np.random.Generator) -> Shortened:
    """Every piece a word, in lower case; more often than not with digits as `#` and a rare word unknown."""
    masked = rng.random() < 0.6
    forms: list[str] = []
    sizes = []
    for word in example.words:
        parts = [text.lower() for text in surfaces(word)] if word.pieces else [word.text]
        if masked:
            parts = ["UNK" if len(p) > 7 and rng.random() < 0.03 else re.sub(r"\d", "#", p) for p in parts]
        forms += parts
        sizes.append(sum(not is_punctuation(form) for form in parts))
    of_words = np.array(sizes)[~example.punctuation]
    masks, refused = (tuple(np.repeat(mask, of_words) for mask in some) for some in (example.masks, example.refused))
    return replace(example, words=tuple(token_words(forms)), masks=masks, refused=refused)


def _without_marks(example: Shortened, rng: np.random.Generator) -> Shortened:
    """Without the last mark, and without half of the others."""
    words = [word for word in example.words[:-1] if not word.punctuation or rng.random() < 0.5]
    words += [word for word in example.words[-1:] if not word.punctuation]
    return replace(example, words=tuple(words))
