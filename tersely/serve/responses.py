"""The responses of the service as models, for its OpenAPI description. Worker processes write the JSON itself; a
summary has the fields of the library's `Summary`.
"""

from __future__ import annotations

from typing import Any, get_type_hints

from pydantic import BaseModel, Field, create_model

from tersely.serve.tasks import SHORT_FIELDS
from tersely.summary.explanation import Effect, Share
from tersely.summary.summary import Summary
from tersely.web.errors import ERRORS


def _fields(of: type, *names: str) -> dict[str, Any]:
    """Fields for `create_model`: those that a class declares, or some of them."""
    hints = get_type_hints(of)
    return {name: (hints[name], ...) for name in names or hints}


# The library has these as named tuples, and writes them as objects.
EffectModel: Any = create_model("Effect", __doc__=Effect.__doc__, **_fields(Effect))
ShareModel: Any = create_model("Share", __doc__=Share.__doc__, **_fields(Share))


class ExplanationModel(BaseModel):
    """Why this summary: the effect of each word on log f, and the share of each factor in it."""

    words: list[EffectModel]
    factors: list[ShareModel]


Candidate: Any = create_model("Candidate", **{k: v for k, v in _fields(Summary).items() if k != "others"})
SummaryModel: Any = create_model(
    "Summary",
    __base__=Candidate,
    others=(list[Candidate], Field(description="the next best, if n_best asks for them")),
    explanation=(ExplanationModel | None, Field(description="why these words, if explain asks for it")),
)
ShortSummary: Any = create_model(
    "ShortSummary",
    **_fields(Summary, *SHORT_FIELDS),
    n_chars=(int, Field(description="the number of characters as a person counts them")),
)


class SummarizeResponse(BaseModel):
    """The summaries, in the order of the texts."""

    summaries: list[SummaryModel]


class SourceWords(BaseModel):
    """The words of a text."""

    text: str = Field(description="the text that was shortened: with `lead` or `html`, what they left of it")
    n_chars: int = Field(description="the number of characters of the text, as a person counts them")
    tokens: list[str]
    patterns: list[str] = Field(description="for each word, the pattern of `keep` and `drop` that matches it alone")
    spans: list[tuple[int, int]] = Field(description="start and end of each word in the text, in Unicode code points")
    tree: list[tuple[int, str]] | None = Field(description="the head of each word, -1 for a root, and its label")
    weights: dict[str, float] = Field(description="the weights of the factors")
    shares: list[int] = Field(description="the number of words that 1 %, 2 %, ... 100 % of the text are")


class LengthsResponse(SourceWords):
    """A summary of every number of words, from one up."""

    first: ShortSummary | None = Field(description="the summary of the length `first`, in the first of two lines only")
    summaries: list[ShortSummary]


class ClimbStep(BaseModel):
    """A candidate that the search moved to."""

    step: int
    kept: list[int]
    score: float


class ClimbResponse(SourceWords):
    """The steps of the best restart of hill climbing."""

    restarts: int
    steps: int
    trail: list[ClimbStep]
    summary: ShortSummary


class CueModel(BaseModel):
    """A cue. Before, source and after are its characters in the file; all of them, after the header, are the file."""

    number: str
    start: int = Field(description="in milliseconds")
    end: int
    sentence: int = Field(description="cues with the same number were shortened together")
    before: str
    source: str
    after: str
    shown: str = Field(description="the old text as it is read, in one line")
    text: str = Field(description="the new text, with \\n between its lines; the old one if nothing was changed")
    changed: bool
    dropped: list[int] = Field(description="the positions of the dropped words among those of shown")
    limit: int = Field(description="the characters that the cue has room for")
    cps_before: float | None = Field(description="characters a second; null for a cue that is shown for no time")
    cps_after: float | None
    over: list[str] = Field(description="the limits that the old text is over")
    fits: bool = Field(description="whether the new text is within all limits")
    status: str = Field(description="within, shortened, laid out, or left and why")


class SubtitlesResponse(BaseModel):
    """The cues, and what is before the first of them."""

    header: str
    cues: list[CueModel]


class Info(BaseModel):
    """What the service can do."""

    version: str
    bundle: str
    objectives: dict[str, dict[str, float]]
    default_objective: str
    fast: bool = Field(description="whether the bundle has an editor, which `fast` needs")
    flags: dict[str, str] = Field(description="options that are off unless a request sets them, and what they do")
    searches: list[str]
    limits: dict[str, int | float]


class ErrorDetail(BaseModel):
    """What is wrong: a code for programs, a message for people, and the field at fault, if it is one."""

    code: str
    message: str
    field: str | None


class ErrorResponse(BaseModel):
    """The shape of every error response."""

    error: ErrorDetail


def error_responses() -> dict[int | str, dict[str, Any]]:
    """The error responses for the OpenAPI description: for each status, its codes and messages."""
    described: dict[int | str, list[str]] = {}
    for code, error in ERRORS.items():
        described.setdefault(error.status, []).append(f"{code} ({error.description})")
    return {status: {"model": ErrorResponse, "description": "; ".join(codes)} for status, codes in described.items()}
