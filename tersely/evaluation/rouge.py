"""ROUGE-1, ROUGE-2 and ROUGE-L that agree with the Perl program ROUGE-1.5.5 (`-a -n 2 -m -f A`).

rouge-score counts. This module adds the program's words (`rouge_tokens`), its cut at N bytes, and its treatment of
several references. On 820 sets of hypothesis and references scored by the Perl program, every figure agrees to
1e-4. What remains: the program rounds recall and precision to five digits before it computes F1, which moves F1 by at
most 1e-5; and it strips -ment and -ent where Porter's rules stop ("statement" becomes "statem"), which could only
matter if two words met in such a stem. Its WordNet lists are of version 2.0, the ones here of 3.0. The average that
the program prints is the mean over bootstrap samples, hence off the plain mean given here by about 0.0003.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tersely.errors import InputError, missing_extra
from tersely.evaluation.rouge_tokens import STEMMERS, TOKENIZERS
from tersely.version import __version__

METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
MEASURES = ("f1", "recall", "precision")
_RS_NAMES = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}


class Score(NamedTuple):
    """Recall, precision and F1 of one metric."""

    recall: float
    precision: float
    f1: float


@dataclass(kw_only=True)
class Rouge:
    """A scorer with fixed settings, and the signature that names them.

    `limit_bytes` cuts the summary *and* the references, because the Perl program's `-b` cuts every file that it
    reads. `measure` is what a table shows: F1 for headlines, recall for DUC.

    >>> rouge = Rouge()
    >>> rouge.score("the cat sat on the mat", ["the cat was on the mat", "a cat sat"])["ROUGE-1"].recall  # 7 of 9
    0.7777777777777778
    >>> rouge.signature(n_references=1)  # doctest: +ELLIPSIS
    'ROUGE|nrefs:1|refs:average|case:lc|tok:perl|stem:porter+wordnet|limit:no|measure:f1|version:...'
    """

    tokenizer: str = "perl"
    stemmer: str = "porter+wordnet"
    limit_bytes: int | None = None
    measure: str = "f1"

    def __post_init__(self) -> None:
        if self.limit_bytes is not None and self.limit_bytes < 1:
            raise InputError(f"invalid limit_bytes {self.limit_bytes}: expected at least 1, or None")
        for option, known in {"measure": MEASURES, "tokenizer": TOKENIZERS, "stemmer": STEMMERS}.items():
            if getattr(self, option) not in known:
                raise InputError(f"unknown {option} {getattr(self, option)!r}: known are {', '.join(known)}")
        try:
            from rouge_score.rouge_scorer import RougeScorer
        except ImportError:
            raise missing_extra("eval", "rouge-score") from None
        self._counter = RougeScorer(list(_RS_NAMES.values()), tokenizer=self)

    def tokenize(self, text: str) -> list[str]:
        """The words that are compared: cut, split and stemmed (rouge-score calls this)."""
        return [STEMMERS[self.stemmer](word) for word in TOKENIZERS[self.tokenizer](text, self.limit_bytes)]

    def cut(self, text: str) -> str:
        """The part of a text that is scored: all of it, or its first bytes."""
        return text.encode("utf-8", "surrogatepass")[: self.limit_bytes].decode("utf-8", "ignore")

    def score(self, summary: str, references: Sequence[str]) -> dict[str, Score]:
        """Each metric's score of one summary against all its references.

        `-f A` of the Perl program does not average ratios: it sums the hits and the lengths over the references and
        divides once. The hits are clipped against each reference on its own.
        """
        if isinstance(references, str) or not references:
            raise InputError("references must be a list with at least one text")
        counted = [self._counter.score(reference, summary) for reference in references]
        lengths = [len(self.tokenize(text)) for text in (summary, *references)]
        scores = {}
        for metric, name in _RS_NAMES.items():
            shorter_by = 1 if metric == "ROUGE-2" else 0  # n words have n - 1 bigrams
            in_summary, *sizes = (max(length - shorter_by, 0) for length in lengths)
            hits = sum(round(found[name].recall * size) for found, size in zip(counted, sizes, strict=True))
            scores[metric] = _score(hits, sum(sizes), in_summary * len(references))
        return scores

    def value(self, score: Score) -> float:
        """The figure for tables: F1, recall or precision."""
        return float(getattr(score, self.measure))

    def signature(self, n_references: int | str) -> str:
        """The settings that must be equal for two figures to be comparable, as in sacreBLEU."""
        parts = {
            "nrefs": n_references,
            "refs": "average",
            "case": "lc",
            "tok": self.tokenizer,
            "stem": self.stemmer,
            "limit": f"{self.limit_bytes}bytes" if self.limit_bytes else "no",
            "measure": self.measure,
            "version": f"tersely-{__version__}",
        }
        return "ROUGE|" + "|".join(f"{name}:{value}" for name, value in parts.items())


def _score(hits: int, in_references: int, in_summary: int) -> Score:
    recall = hits / in_references if in_references else 0.0
    precision = hits / in_summary if in_summary else 0.0
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return Score(recall, precision, f1)
