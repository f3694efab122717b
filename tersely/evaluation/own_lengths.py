"""Agreement with shortenings by deletion, each at its own length: token F1, and the share that is identical."""

from __future__ import annotations

from tersely.errors import InputError
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.results import run_system
from tersely.evaluation.specs import parse_system
from tersely.evaluation.systems import Resources
from tersely.evaluation.token_f1 import Agreement, agreement


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
