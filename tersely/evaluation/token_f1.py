"""Agreement with shortenings by deletion: token F1, which is usual for them, and the share that is identical.

Words are compared as the models see them, without case and punctuation, as often as they occur. Their positions in the
source do not count, because it makes no difference which of two "the" was deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tersely.errors import InputError
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.results import run_system
from tersely.evaluation.specs import parse_system
from tersely.evaluation.systems import Resources
from tersely.text.words import tokenize


def kept_words(text: str, *, pretokenized: bool = True) -> list[str]:
    """The words that are compared.

    >>> kept_words("The ship , they said , sank .")
    ['the', 'ship', 'they', 'said', 'sank']
    """
    words = tokenize(text, pretokenized=pretokenized)
    return [piece for word in words if not word.punctuation for piece in word.pieces]


def token_f1(summary: Iterable[str], reference: Iterable[str]) -> float:
    """The harmonic mean of precision and recall of the words.

    >>> token_f1(["the", "ship", "sank"], ["ship", "sank", "fast", "fast", "fast"])
    0.5
    """
    ours, theirs = Counter(summary), Counter(reference)
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 0.0


class Agreement(NamedTuple):
    """How far summaries agree with references: the mean token F1, the share that is identical, and of how many."""

    f1: float
    identical: float
    n: int

    def __str__(self) -> str:
        return f"token F1 {self.f1:.3f}, identical {self.identical:.1%} of {self.n:,}"


def agreement(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Agreement:
    """The agreement of summaries with references, given as words.

    >>> print(agreement([(["ship", "sank"], ["ship", "sank"]), (["ship"], ["sank"])]))
    token F1 0.500, identical 50.0% of 2
    """
    scores = [(token_f1(summary, reference), list(summary) == list(reference)) for summary, reference in pairs]
    n = len(scores)
    return Agreement(sum(f1 for f1, _ in scores) / max(n, 1), sum(same for _, same in scores) / max(n, 1), n)


def own_lengths(dataset: Dataset, spec: str, resources: Resources) -> Agreement:
    """How far a system agrees with the references of a dataset, asked for as many words as each has.

    The system is named without a length. A reference that deletes nothing is left out.
    """
    by_size: dict[int, list[Example]] = {}
    for example in dataset.examples:
        for reference in example.references:
            size = len(dataset.words(reference))
            if 0 < size < len(dataset.words(example.source)):
                by_size.setdefault(size, []).append(Example(example.source, (reference,)))
    if not by_size:
        raise InputError(f"{dataset.name} has no reference that is shorter than its source")
    pairs = []
    for size, examples in sorted(by_size.items()):
        outputs = run_system(parse_system(at_length(spec, size), resources), dataset.part(examples))
        references = (example.references[0] for example in examples)
        pairs += [(dataset.words(o.text), dataset.words(r)) for o, r in zip(outputs, references, strict=True)]
    return agreement(pairs)


def at_length(spec: str, size: int) -> str:
    """The name of a system with a length in words.

    >>> at_length("lead", 8), at_length("headline", 8), at_length("headline:seed=1", 8)
    ('lead-8', 'headline:words=8', 'headline:seed=1,words=8')
    """
    if spec in ("lead", "random", "style"):
        return f"{spec}-{size}"
    return f"{spec}{',' if ':' in spec else ':'}words={size}"
