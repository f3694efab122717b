"""The requests of the service as models. They are made from the library's tables of options and units: a new option of
the library is in the service at once, with its check and its help.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, create_model, model_validator

from tersely.candidates.length import UNITS, Length
from tersely.errors import InputError, short_repr
from tersely.search import SEARCHES
from tersely.subtitles.files import Cues
from tersely.subtitles.limits import Limits
from tersely.summary.options import Options, fields
from tersely.text.words import MAX_WORDS
from tersely.web.errors import ApiError

SUBTITLE_OPTIONS = ("objective", "fast", "keep", "drop", "prefer")
SUBTITLES = "1\n00:00:01,000 --> 00:00:03,000\nWell, you know, the lighthouse had been empty for years.\n"
MAX_FIELD = 100  # characters of the name of an unknown field that an error response repeats


# Where JSON differs from the command line, for which the library's help is written.
_HELP = {
    "words": "exactly so many words, or the best number of a range: [6, 10]",
    "keep": "a word or phrase that must be in the summary, or numbers, names, negation; or a list of these",
    "drop": "a word or phrase that must not be in it, or a kind of words; or a list of these",
    "prefer": "a word, a phrase or a kind of words that should be in it, as far as there is room; or a list of these",
}


def _field(name: str, hint: Any, check: Callable[[Any], Any], default: Any, help: str) -> tuple[Any, Any]:
    """A field of a model. The library's check comes first, as its messages are better; the type is for OpenAPI."""
    shown = _HELP.get(name, f"false: {help}" if default is True else help)  # the help of a flag says what its use does
    return Annotated[hint, BeforeValidator(check)], Field(default, description=shown)


def _option_fields(*without: str) -> dict[str, Any]:
    one_or_more = dict.fromkeys(("keep", "drop", "prefer"), str | tuple[str, ...])
    hints: dict[str, Any] = {**get_type_hints(Options), "search": Literal[tuple(SEARCHES)], **one_or_more}
    return {
        name: _field(name, hints[name], option.metadata["check"], option.default, option.metadata["help"])
        for name, option in fields().items()
        if name not in without
    }


def _length_fields() -> dict[str, Any]:
    units = [unit for unit in UNITS.values() if unit.budget]
    return {unit.name: _field(unit.name, unit.type | None, partial(_size, unit), None, unit.help) for unit in units}


def _size(unit: Any, size: Any) -> Any:
    return None if size is None else unit.check(size)


def _text(value: Any) -> Any:
    for text in value if isinstance(value, list) else [value]:
        if not isinstance(text, str):
            raise InputError(f"text must be a string or a list of strings, not {short_repr(text)}")
        if "\0" in text:
            raise InputError("the text has a NUL character")
    if value == []:
        raise InputError("the list of texts is empty")
    return value


def _reading_fields() -> dict[str, Any]:
    def check(name: str, value: Any) -> Any:
        return getattr(Limits(**{name: value}), name)

    helps = {"cps": "characters a second", "line": "characters in a line", "lines": "lines in a cue"}
    hints, limits = get_type_hints(Limits), Limits()
    return {name: _field(name, hints[name], partial(check, name), getattr(limits, name), helps[name]) for name in helps}


class BaseRequest(BaseModel):
    """A request with a length, options that fit together, no unknown field, and valid Unicode."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _keep_one_unknown_field(cls, body: Any) -> Any:
        """The body with one unknown field at most: pydantic would describe all of them, of which there may be many."""
        if not isinstance(body, dict):
            return body
        known = cls.model_fields
        unknown = [*islice((name for name in body if name not in known), 1)]
        return {name: body[name] for name in (*known, *unknown) if name in body}

    @model_validator(mode="after")
    def _check_options(self) -> BaseRequest:
        _ = self.options  # raises an error for no length, for several, and for options that exclude each other
        try:
            json.dumps(self.model_dump(), ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError("the request has a lone surrogate, which is not valid Unicode") from None
        return self

    def sizes(self) -> dict[str, Any]:
        """The lengths of the request, by unit."""
        return {name: size for name in UNITS if (size := getattr(self, name, None)) is not None}

    @property
    def options(self) -> Options:
        """The options of the library, with the one length of the request."""
        given = {name: getattr(self, name) for name in fields() if hasattr(self, name)}
        return Options(Length.of(**self.sizes()), **given)

    @property
    def texts(self) -> list[str]:
        """The texts to shorten."""
        text: str | list[str] = getattr(self, "text")  # noqa: B009  (made by create_model)
        return [text] if isinstance(text, str) else text


class EveryLengthRequest(BaseRequest):
    """A request whose length is the longest of many; without one it is the whole text."""

    def sizes(self) -> dict[str, Any]:
        return super().sizes() or {"words": MAX_WORDS}


class CuesRequest(BaseRequest):
    """A request whose lengths follow from the times of cues."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": SUBTITLES, "cps": 17}]})

    def sizes(self) -> dict[str, Any]:
        return {"chars": 1}  # not used: each cue has its own

    @property
    def texts(self) -> list[str]:
        return []  # a worker reads the cues, and checks their number and length


def _text_field(hint: Any, description: str) -> Any:
    return Annotated[hint, BeforeValidator(_text)], Field(description=description)


SummarizeRequest: Any = create_model(
    "SummarizeRequest",
    __base__=BaseRequest,
    __doc__="One text or several, and a length: words, ratio, chars, bytes or another unit, or two of them.",
    text=_text_field(str | list[str], "a sentence, or a list of them"),
    explain=(StrictBool, Field(False, description="add the effect of each word on the score")),
    **_length_fields(),
    **_option_fields("effort"),  # the operator's machine, not the client's
)

First: Any = create_model("First", __base__=BaseRequest, __doc__="Exactly one length.", **_length_fields())

LengthsRequest: Any = create_model(
    "LengthsRequest",
    __base__=EveryLengthRequest,
    __doc__="One text, and the longest length; without one, every length up to the whole text.",
    text=_text_field(str, "a sentence"),
    **_length_fields(),
    first=(First | None, Field(None, description="with lines as response: a length whose summary comes first")),
    **_option_fields("search", "n_best", "diverse", "effort"),
)

ClimbRequest: Any = create_model(
    "ClimbRequest",
    __base__=BaseRequest,
    __doc__="One text and a length, for the hill climbing of the paper.",
    text=_text_field(str, "a sentence"),
    **_length_fields(),
    **_option_fields("search", "fast", "split", "n_best", "diverse", "effort"),
)

SubtitlesRequest: Any = create_model(
    "SubtitlesRequest",
    __base__=CuesRequest,
    __doc__="The content of an SRT or WebVTT file, and how much of it can be read in a time.",
    text=_text_field(str, "the content of an SRT or WebVTT file"),
    **_reading_fields(),
    cues=(Cues, Field("sentence", description="alone: each cue is shortened for itself")),
    check=(StrictBool, Field(False, description="only say which cues are over a limit")),
    **_option_fields(*(name for name in fields() if name not in SUBTITLE_OPTIONS)),
)


def validation_error(found: dict[str, Any]) -> ApiError:
    """The error response for what pydantic has found; with the library's own message where there is one.

    >>> str(validation_error({"type": "extra_forbidden", "loc": ("body", "wrds"), "msg": ""}))
    'invalid request: unknown field wrds'
    """
    kind, path = found["type"], [str(part) for part in found["loc"][1:]]
    if kind == "json_invalid":
        return ApiError("bad_json", reason=f"{found['ctx']['error']} at character {path[0]}")
    field = ".".join(path)[:MAX_FIELD] or None
    if kind == "extra_forbidden":
        reason = f"unknown field {field}"
    elif kind == "missing":
        reason = f"the field {field} is missing" if field else "the body is missing"
    else:
        reason = found["ctx"]["error"] if kind == "value_error" else found["msg"]
    return ApiError("invalid", field, reason=reason)
