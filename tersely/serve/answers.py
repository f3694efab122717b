"""What answers look like, for the description of the service. Worker processes write them; a summary has the fields of
the library's `Summary`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, get_type_hints

from pydantic import BaseModel, Field, create_model

from tersely.explanation import Effect, Share
from tersely.summary import Summary


def _model(name: str, of: type) -> Any:
    """The model of a named tuple that is written as an object."""
    fields: dict[str, Any] = {key: (hint, ...) for key, hint in get_type_hints(of).items()}
    return create_model(name, __doc__=of.__doc__, **fields)


def _evidence(*names: str) -> dict[str, Any]:
    hints = get_type_hints(Summary)
    return {name: (hints[name], ...) for name in names}


_EffectAnswer: Any = _model("Effect", Effect)
_ShareAnswer: Any = _model("Share", Share)


class ExplanationAnswer(BaseModel):
    """Why this summary: what each word does to log f, and what each factor adds to it."""

    words: list[_EffectAnswer]
    factors: list[_ShareAnswer]


_OWN = [field.name for field in dataclasses.fields(Summary) if field.name != "others"]

Candidate: Any = create_model("Candidate", **_evidence(*_OWN))
SummaryAnswer: Any = create_model(
    "Summary",
    __base__=Candidate,
    others=(list[Candidate], Field(description="the next best, if n_best asked for them")),
    explanation=(ExplanationAnswer | None, Field(description="why these words, if explain asked for it")),
)
Shortened: Any = create_model(
    "Shortened",
    **_evidence("text", "kept", "score", "factors", "broken"),
    n_chars=(int, Field(description="how many characters a person counts")),
)


class SummarizeAnswer(BaseModel):
    """The summaries, in the order of the texts."""

    summaries: list[SummaryAnswer]


class Words(BaseModel):
    """The words of a text to choose from."""

    n_chars: int = Field(description="how many characters the text has, as a person counts")
    tokens: list[str]
    wishes: list[str] = Field(description="how `keep` and `drop` call each of them, and no other")
    spans: list[tuple[int, int]] = Field(description="where each stands in the text, in Unicode code points")
    tree: list[tuple[int, str]] | None = Field(description="the head of each, -1 for a root, and its label")
    shares: list[int] = Field(description="how many words 1 %, 2 %, ... 100 % of the text are")


class LengthsAnswer(Words):
    """A summary of every number of words, from one up."""

    weights: dict[str, float] = Field(description="of the factors")
    first: Shortened | None = Field(description="null also where what has to be kept does not fit into it")
    summaries: list[Shortened]


class ClimbStep(BaseModel):
    """A candidate that the search moved to."""

    step: int
    kept: list[int]
    score: float


class ClimbAnswer(Words):
    """How one restart of hill climbing found its way: the one that came highest."""

    restarts: int
    steps: int
    trail: list[ClimbStep]
    summary: Shortened


class Info(BaseModel):
    """What the service can do."""

    version: str
    bundle: str
    objectives: dict[str, dict[str, float]]
    prose: dict[str, dict[str, float]] = Field(description="weights of objectives that have others in prose")
    default_objective: str
    fast: list[str] = Field(description="the objectives that `fast` knows; none if the bundle has no selector")
    searches: list[str]
    limits: dict[str, int | float]


class State(BaseModel):
    """How the service is."""

    status: str


class Fault(BaseModel):
    """What is wrong: a code for programs, a line for people, and the field at fault, if it is one."""

    code: str
    message: str
    field: str | None


class Refusal(BaseModel):
    """The shape of every answer that is none."""

    error: Fault
