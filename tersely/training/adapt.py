"""Beside the flow: a bundle that knows the words of a user's own titles and articles.

Only the document counts change, and with them the factors `information` and `style`. Vocabulary, language models,
vectors and idf stay as they were trained, so this takes one reading of the text, and neither torch nor gensim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tersely.bundle import Bundle, check_place, open_bundle, write_bundle
from tersely.errors import BundleError, FileError, InputError
from tersely.progress import progress
from tersely.training.corpus import LINES_PER_TASK, CorpusFile, Encoded, encode_tasks, join
from tersely.training.counts import DocumentCounts, add_counts, count_corpus
from tersely.vocab import UNKNOWN_ID

# What the bundle's own counts are worth, in words. A word of one in 10,000 then counts a hundred lines before the
# first new one: a few thousand words move it little, a million count half, ten million outweigh it.
PRIOR = 1_000_000.0
_MOST_UNKNOWN = 0.5  # of the words; news has 2%, and with more than this the bundle was made for other text
_COMMON = 1 / 20_000  # of the words; among rarer ones the largest changes of style are names seen once or twice
_SIDES = ("titles", "articles")


def adapt(
    bundle: Bundle,
    out: Path,
    corpora: Mapping[str, Sequence[CorpusFile]],
    report: Callable[[str], None],
    *,
    prior: float = PRIOR,
    processes: int = 1,
) -> Path:
    """Count `corpora` (titles, articles or both) into the counts of `bundle` and write the bundle `out`; its folder."""
    given = {name: tuple(files) for name, files in corpora.items() if files}
    _check(bundle, out, given, prior)
    tensors, totals = dict(bundle.tensors), dict(bundle.description.get("counts", {}))
    entry: dict[str, Any] = {"from": bundle.signature, "prior": prior, "corpora": {}}
    for name, files in given.items():
        corpora_read = [_read(name, file, bundle, report, processes) for file in files]
        counted = [count_corpus(corpus, len(bundle.vocabulary)) for corpus in corpora_read]
        own = add_counts(counted, [file.count_weight for file in files])
        counts = blend(own, _counts(bundle, name), prior)
        tensors[f"counts.{name}"] = counts.documents
        totals[name] = {"lines": counts.n_lines, "words": counts.n_words}
        entry["corpora"][name] = [
            {"name": file.name, "lines": corpus.n_lines, "words": len(corpus.ids), "weight": file.count_weight}
            for file, corpus in zip(files, corpora_read, strict=True)
        ]
    history = [*bundle.description.get("adapted", []), entry]
    description = {**bundle.description, "name": out.resolve().name, "counts": totals, "adapted": history}
    card = _card(bundle, out.resolve().name, entry)
    write_bundle(out, vocabulary=bundle.vocabulary, tensors=tensors, description=description, card=card)
    for line in style_changes(bundle, open_bundle(out)):
        report(line)
    return out


def blend(own: DocumentCounts, old: DocumentCounts | None, prior: float) -> DocumentCounts:
    """The counts `own` and the counts `old` together, with `old` worth `prior` words, or all it has if that is less.

    The sum stands for as many words as would tell its shares as surely: (Σ weight)² / Σ weight² over all words read
    (Kish's effective sample size). `style` trusts counts by the number of words counted and the weights of the
    objectives were tuned with that trust, so a bundle scaled down to the prior would have a flatter style before it
    saw one word.

    >>> own, old = DocumentCounts(np.array([0, 6]), 2, 10), DocumentCounts(np.array([40, 0]), 30, 100)
    >>> [blend(own, old, prior).documents.tolist() for prior in (0, 100)]  # own alone; all that was read, as it is
    [[0.0, 6.0], [40.0, 6.0]]
    >>> half = blend(own, old, 10)  # as much of the one as of the other
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
    """Refuse before the reading, which may take long, what would be refused after it."""
    if not given:
        raise InputError("nothing to adapt to: give --titles, --articles or both")
    if not 0 <= prior < float("inf"):
        raise InputError(f"--prior is a number of words of at least 0, not {prior:g}")
    for name in _SIDES:
        if name not in given and f"counts.{name}" not in bundle:
            raise BundleError(f"the bundle {bundle.folder} has no counts of {name}, which style needs: give --{name}")
    for name, files in given.items():
        for file in files:
            if not file.path.exists():
                raise FileError(f"cannot read {file.path}: No such file or directory")
        if not any(file.count_weight for file in files):
            raise InputError(f"all {name} have the weight 0: give one of them a larger weight")
    if out.resolve() == bundle.folder.resolve():
        raise InputError(f"{out} is the bundle to adapt itself: give another folder as --out")
    check_place(out)


def _read(name: str, file: CorpusFile, bundle: Bundle, report: Callable[[str], None], processes: int) -> Encoded:
    """The file in the ids of the bundle; a line says what was in it."""
    label = f"{file.path.name}: blocks of {LINES_PER_TASK:,} lines read"
    corpus = join(progress(encode_tasks(file, processes), label)).remap(bundle.vocabulary)
    if not corpus.n_lines:
        raise InputError(f"{file.path} has no line with a word in it")
    unknown = np.mean(corpus.ids == UNKNOWN_ID)
    left_out = f" (left out: {corpus.skipped})" if str(corpus.skipped) else ""
    size = f"{corpus.n_lines:,} lines, {len(corpus.ids):,} words"
    report(f"{name}: {file.path.name}, {size}, {unknown:.1%} of them unknown{left_out}")
    if unknown > _MOST_UNKNOWN:
        raise InputError(
            f"the bundle does not know {unknown:.1%} of the words of {file.path}: "
            "is it in the bundle's language? For other text, train a bundle (tersely train)"
        )
    return corpus


def _counts(bundle: Bundle, name: str) -> DocumentCounts | None:
    """The counts that the bundle has of a side."""
    if f"counts.{name}" not in bundle:
        return None
    totals = bundle.description["counts"][name]
    return DocumentCounts(bundle.tensor(f"counts.{name}"), totals["lines"], totals["words"])


def _card(bundle: Bundle, name: str, entry: Mapping[str, Any]) -> str:
    """The bundle's card under the new name, with a section more; what it says of the models still holds."""
    corpora = [
        f"- {side}: {c['name']}, {c['lines']:,} lines, {c['words']:,} words, weight {c['weight']:g}"
        for side, read in entry["corpora"].items()
        for c in read
    ]
    parts = [
        f"# {name}",
        re.sub(r"\A# .*", "", bundle.card).strip(),
        f"## Adapted from {entry['from']}",
        f"Its document counts, worth at most {entry['prior']:,.0f} words a side, were joined by those of:",
        "\n".join(corpora),
        "That changes the factors `information` and `style`, and nothing else; the objectives were tuned before it.",
    ]
    return "\n\n".join(parts) + "\n"
