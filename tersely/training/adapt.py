"""Training: a copy of a bundle with the word counts of the user's titles and articles, or with their language file.

Text changes only the document counts, and with them the factors `information` and `style`. Vocabulary, language models,
vectors and idf stay, so the text is read once, and neither torch nor gensim is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tersely.bundle.bundle import Bundle, open_bundle
from tersely.bundle.writing import check_folder, copy_bundle, read_language_file
from tersely.errors import BundleError, FileError, InputError
from tersely.text.vocabulary import UNKNOWN_ID
from tersely.training.corpus import CorpusFile, Encoded, encode
from tersely.training.counts import DocumentCounts, add_counts, count_corpus

# The weight of the bundle's own counts, in words. A word with a frequency of one in 10,000 then starts with a count of
# a hundred lines: a few thousand new words change it little, a million count for half, ten million for most.
PRIOR = 1_000_000.0
_MOST_UNKNOWN = 0.5  # of the words; news has 2%; with more than this the bundle is not made for the text
_COMMON = 1 / 20_000  # of the words; among rarer words the largest changes are names that occur once or twice
_SIDES = ("titles", "articles")


def adapt(
    bundle: Bundle,
    out: Path,
    corpora: Mapping[str, Sequence[CorpusFile]],
    log: Callable[[str], None],
    *,
    prior: float = PRIOR,
    processes: int = 1,
    language: Path | None = None,
) -> Path:
    """Write a copy of `bundle` in `out` with the counts of `corpora` (titles, articles or both) added; its folder.

    `language` is a file with other word lists and needs.
    """
    given = {name: tuple(files) for name, files in corpora.items() if files}
    if not given and language is None:
        raise InputError("nothing to adapt to: give --titles, --articles or --language")
    _check(bundle, out, given, prior)
    of_language = None if language is None else read_language_file(language)
    tensors, totals = {}, dict(bundle.description.get("counts", {}))
    entry: dict[str, Any] = {"from": bundle.signature, "prior": prior, "corpora": {}}
    for name, files in given.items():
        corpora_read = [_read(name, file, bundle, log, processes) for file in files]
        counted = [count_corpus(corpus, len(bundle.vocabulary)) for corpus in corpora_read]
        own = add_counts(counted, [file.count_weight for file in files])
        counts = blend(own, _counts(bundle, name), prior)
        tensors[f"counts.{name}"] = counts.documents
        totals[name] = {"lines": counts.n_lines, "words": counts.n_words}
        entry["corpora"][name] = [
            {"name": file.name, "lines": corpus.n_lines, "words": len(corpus.ids), "weight": file.count_weight}
            for file, corpus in zip(files, corpora_read, strict=True)
        ]
    if language is not None:
        entry["language"] = language.name
    history = [*bundle.description.get("adapted", []), entry]
    card = _card(bundle, entry)
    description = {"counts": totals or None, "adapted": history}
    copy_bundle(bundle, out, tensors=tensors, description=description, card=card, language=of_language)
    for line in style_changes(bundle, open_bundle(out)) if given else ():
        log(line)
    return out


def blend(own: DocumentCounts, old: DocumentCounts | None, prior: float) -> DocumentCounts:
    """The counts `own` and `old` together, with `old` weighted as `prior` words, or as all it has if that is less.

    The sum has the effective sample size (Kish): (Σ weight)² / Σ weight² over all words read. `style` smooths counts by
    the number of words, and the weights of the objectives were tuned with that smoothing, so a bundle scaled down to
    the prior would have a flatter style before any new word.

    >>> own, old = DocumentCounts(np.array([0, 6]), 2, 10), DocumentCounts(np.array([40, 0]), 30, 100)
    >>> [blend(own, old, prior).documents.tolist() for prior in (0, 100)]  # only own; both as they are
    [[0.0, 6.0], [40.0, 6.0]]
    >>> half = blend(own, old, 10)  # half of each
    >>> [f"{share:.2f}" for share in half.documents / half.n_words], round(half.n_words, 1)
    (['0.20', '0.30'], 36.4)
    """
    if old is None or not old.n_words:
        return own
    weight = min(prior / old.n_words, 1.0)
    scale = (own.n_words + weight * old.n_words) / (own.n_words + weight**2 * old.n_words)
    return add_counts([own, old], [scale, scale * weight])


def style_changes(old: Bundle, new: Bundle, n: int = 10) -> list[str]:
    """The common words whose style rose and fell most from one bundle to the other, in two lines."""
    if any(f"counts.{name}" not in old for name in _SIDES):
        return []
    ids, before, after = np.arange(len(old.vocabulary)), old.counts(), new.counts()
    change = after.style(ids) - before.style(ids)
    shares = [(c.titles / c.n_title_words + c.articles / c.n_article_words) / 2 for c in (before, after)]
    change[np.maximum(*shares) < _COMMON] = 0
    lines = []
    for sign, label in ((1, "style rose (kept sooner)"), (-1, "style fell (dropped sooner)")):
        most = [i for i in np.argsort(-sign * change, kind="stable")[:n] if sign * change[i] >= 0.005]
        lines.append(f"{label}: {', '.join(f'{old.vocabulary.pieces[i]} {change[i]:+.2f}' for i in most) or 'no word'}")
    return lines


def _check(bundle: Bundle, out: Path, given: Mapping[str, Sequence[CorpusFile]], prior: float) -> None:
    """Refuse bad arguments before the text is read, which may take long."""
    if not 0 <= prior < float("inf"):
        raise InputError(f"invalid --prior {prior:g}: expected a number of words of at least 0")
    for name in _SIDES if given else ():
        if name not in given and f"counts.{name}" not in bundle:
            raise BundleError(f"the bundle {bundle.folder} has no counts of {name}, which style needs: give --{name}")
    for name, files in given.items():
        for file in files:
            if not file.path.exists():
                raise FileError(f"cannot read {file.path}: No such file or directory")
        if not any(file.count_weight for file in files):
            raise InputError(f"all {name} have the weight 0: give one of them a larger weight")
    if out.resolve() == bundle.folder.resolve():
        raise InputError(f"{out} is the bundle to adapt: give another folder as --out")
    check_folder(out)


def _read(name: str, file: CorpusFile, bundle: Bundle, log: Callable[[str], None], processes: int) -> Encoded:
    """The file as ids of the bundle; its size is logged."""
    corpus = encode(file, processes=processes).remap(bundle.vocabulary)
    unknown = np.mean(corpus.ids == UNKNOWN_ID)
    log(f"{name}: {file.path.name}, {corpus.size}, {unknown:.1%} of them unknown")
    if unknown > _MOST_UNKNOWN:
        raise InputError(
            f"the bundle does not know {unknown:.1%} of the words of {file.path}: "
            "is it in the bundle's language? For other text, train a bundle (tersely train)"
        )
    return corpus


def _counts(bundle: Bundle, name: str) -> DocumentCounts | None:
    """The bundle's counts of a side; None if it has none."""
    if f"counts.{name}" not in bundle:
        return None
    totals = bundle.description["counts"][name]
    return DocumentCounts(bundle.tensor(f"counts.{name}"), totals["lines"], totals["words"])


def _card(bundle: Bundle, entry: Mapping[str, Any]) -> str:
    """The bundle's card with a section on this adaptation."""
    corpora = [
        f"- {side}: {c['name']}, {c['lines']:,} lines, {c['words']:,} words, weight {c['weight']:g}"
        for side, read in entry["corpora"].items()
        for c in read
    ]
    parts = [bundle.card.strip(), f"## Adapted from {entry['from']}"]
    if corpora:
        parts += [
            f"Its document counts, weighted as at most {entry['prior']:,.0f} words a side, were added to those of:",
            "\n".join(corpora),
            "This changes only the factors `information` and `style`. The objectives were tuned before.",
        ]
    if "language" in entry:
        parts.append(f"Its word lists and needs are those of {entry['language']}.")
    return "\n\n".join(parts) + "\n"
