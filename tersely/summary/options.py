"""Stage 7: all that a summary can be asked, validated once. Call, command line, evaluation specs and signature derive
from this one dataclass: an option is a field with a check, a reading of text, and a line of help.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypedDict, TypeVar

from tersely.bundle.objectives import FAST
from tersely.candidates.length import UNITS, Length, whole_number
from tersely.errors import InputError, short_repr
from tersely.scoring.factors import Cosine, Softmax
from tersely.search import DEFAULT_SEARCH, FAST_SEARCH
from tersely.search.result import MOST_FOUND, Search
from tersely.summary import option_checks as checks
from tersely.summary.option_checks import Objective

_EXACT = 8  # times as long takes a prefix whose probabilities are added up over the vocabulary of the package's bundle

T = TypeVar("T")
Case = Literal["sentence", "source"]
End = Literal["none", "period"]


class SummaryOptions(TypedDict, total=False):
    """The keywords of every function that shortens: `Options` describes and checks them."""

    words: int | tuple[int, int] | None
    ratio: float | None
    chars: int | None
    bytes: int | None
    sms: int | None
    pixels: int | None
    objective: Objective | None
    search: str | Search
    fast: bool
    keep: str | Sequence[str]
    drop: str | Sequence[str]
    prefer: str | Sequence[str]
    negation: bool
    n_best: int
    diverse: bool
    seed: int
    pretokenized: bool
    punctuation: bool
    case: Case
    end: End
    html: bool
    lead: bool
    split: bool
    reserve: int
    cosine: Cosine
    softmax: Softmax
    effort: float


F = TypeVar("F", bound=Callable[..., Any])


def _shown_type(kind: Any) -> Any:
    return getattr(kind, "__forward_arg__", kind)


def with_keywords(function: F) -> F:
    """The function with the options as keyword parameters where people look them up: in `help()` and in editors."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    defaults = {name: field.default for name, field in fields().items()}
    options = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=_shown_type(kind)
        )
        for name, kind in SummaryOptions.__annotations__.items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return function


def _option(
    default: Any, check: Callable[[Any], T], read: Callable[[str], Any], help: str, *, metavar: str | None = None
) -> T:
    made: T = dataclasses.field(
        default=default, metadata={"check": check, "read": read, "help": help, "metavar": metavar}
    )
    return made


def _flag(name: str, default: bool, help: str) -> bool:
    return _option(default, checks.flag(name), checks.read_flag, help)


def _words(name: str, help: str) -> tuple[str, ...]:
    return _option((), checks.words(name), str.split, help, metavar="WORD")


def _choice(name: str, choices: tuple[str, ...], help: str) -> Any:
    """An option with the first of its choices as the default."""
    return _option(choices[0], checks.choice(name, *choices), str, help, metavar="KIND")


@dataclass(frozen=True)
class Options:
    """What a summary is asked for.

    >>> Options.of(words=8, seed=3).length.label
    '8 words'
    """

    length: Length
    objective: Objective | None = _option(
        None,
        checks.objective,
        str,
        "what is maximised (default: headline, or paper if the bundle has none)",
        metavar="NAME",
    )
    search: str | Search = _option(DEFAULT_SEARCH, checks.search, str, "how the best is searched for", metavar="NAME")
    fast: bool = _flag("fast", False, "by the learned editor alone, without a language model: milliseconds")
    keep: tuple[str, ...] = _words(
        "keep", "a word or phrase that must be in the summary, or numbers, names, negation; can be repeated"
    )
    drop: tuple[str, ...] = _words(
        "drop", "a word or phrase that must not be in it, or a kind of words; can be repeated"
    )
    prefer: tuple[str, ...] = _words(
        "prefer", "a word, a phrase or a kind of words that should be in it, as far as there is room; can be repeated"
    )
    negation: bool = _flag("negation", True, "a word may stay without the negation it is under")
    n_best: int = _option(
        1, partial(whole_number, "n_best", least=1, most=MOST_FOUND), int, "the K best summaries", metavar="K"
    )
    diverse: bool = _flag("diverse", False, "of the K best, only those that differ from all better ones by a third")
    seed: int = _option(
        0, partial(whole_number, "seed", least=0, most=2**64 - 1), int, "seed of the search", metavar="N"
    )
    pretokenized: bool = _flag("pretokenized", False, "split on white space alone (benchmark corpora)")
    punctuation: bool = _flag("punctuation", True, "no punctuation marks of the source between and after kept words")
    case: Case = _choice(
        "case",
        ("sentence", "source"),
        "sentence: a summary begins with a capital if the source does; source: every word as it stands",
    )
    end: End = _choice(
        "end", ("none", "period"), "none: no full stop at the end, as headlines have it; period: that of the source"
    )
    html: bool = _flag("html", False, "read the text without its tags and entities")
    lead: bool = _flag("lead", False, "shorten only the first sentence (news)")
    split: bool = _flag("split", False, "shorten each sentence by itself, one a line")
    reserve: int = _option(
        0,
        partial(whole_number, "reserve", least=0, most=100_000),
        int,
        "leave so much of the limit unused, for a link or a hashtag",
        metavar="N",
    )
    cosine: Cosine = _choice("cosine", ("shifted", "plain"), "shifted: (cos + 1) / 2, as published; plain")
    softmax: Softmax = _choice(
        "softmax", ("self", "exact"), "self: scores as they come; exact: over the vocabulary, slow"
    )
    effort: float = _option(
        1.0, checks.effort, float, "a factor on the work that a search may do; more for long texts", metavar="X"
    )

    def __post_init__(self) -> None:
        for name, field in fields().items():
            object.__setattr__(self, name, field.metadata["check"](getattr(self, name)))
        if self.split and self.n_best > 1:
            raise InputError("split makes one summary of each sentence: leave out n_best")
        if self.fast:
            if self.search not in (DEFAULT_SEARCH, FAST_SEARCH) or self.objective not in (None, FAST):
                raise InputError(
                    f"fast is short for objective={FAST!r} and search={FAST_SEARCH!r}: leave out the others"
                )
            object.__setattr__(self, "objective", FAST)
            object.__setattr__(self, "search", FAST_SEARCH)

    @classmethod
    def of(cls, **asked: Any) -> Options:
        """The options from keywords, one or two of which are lengths: names in the table of units."""
        known = fields()
        sizes = {name: asked.pop(name) for name in list(asked) if name in UNITS}
        for name in asked:
            if name not in known:
                raise InputError(f"unknown option {short_repr(name)}: known are {', '.join([*UNITS, *known])}")
        return cls(Length.of(**sizes), **asked)

    @classmethod
    def read(cls, asked: Mapping[str, str], **more: Any) -> Options:
        """The options from text such as {"words": "8", "seed": "1"}; `more` are values already."""
        values = dict(more)
        for name, text in asked.items():
            read = UNITS[name].read if name in UNITS else fields()[name].metadata["read"] if name in fields() else str
            try:
                values[name] = read(text)
            except ValueError:
                raise InputError(f"{name} cannot be {short_repr(text)}") from None
        return cls.of(**values)

    @property
    def most_work(self) -> float:
        """A factor on the bounds of work: the effort, and less where a language model reads more slowly."""
        return self.effort / (_EXACT if self.softmax == "exact" else 1)

    def signature(self) -> dict[str, str]:
        """Everything that changes the result, but for the objective, whose weights the bundle knows."""
        apart = ("objective", "search", "fast", "n_best", "diverse")
        shown = {name: getattr(self, name) for name in fields() if name not in apart}
        return {
            "search": _named(self.search),
            "length": str(self.length),
            **{name: _shown(value) for name, value in shown.items()},
        }


def fields() -> dict[str, dataclasses.Field[Any]]:
    """The options but for the length, by name."""
    return {field.name: field for field in dataclasses.fields(Options) if field.name != "length"}


def _named(search: str | Search) -> str:
    return search if isinstance(search, str) else getattr(search, "__name__", repr(search))


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value) or "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
