"""What a request may ask. The models are made from the library's tables of options and units, so that an option that
the library gains is in the service, with its check and its line of help, without a line here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, create_model, model_validator

from tersely.errors import InputError
from tersely.length import UNITS, Length
from tersely.options import Options, fields
from tersely.search import SEARCHES
from tersely.text import MAX_WORDS


def _field(hint: Any, check: Callable[[Any], Any], default: Any, help: str) -> tuple[Any, Any]:
    """A field of a model: the library's check first, whose messages are better, then the type for the description."""
    shown = f"false: {help}" if default is True else help  # the help of a flag says what using it does
    return Annotated[hint, BeforeValidator(check)], Field(default, description=shown)


def _option_fields(*without: str) -> dict[str, Any]:
    hints: dict[str, Any] = {**get_type_hints(Options), "search": Literal[tuple(SEARCHES)]}
    return {
        name: _field(hints[name], option.metadata["check"], option.default, option.metadata["help"])
        for name, option in fields().items()
        if name not in without
    }


def _length_fields() -> dict[str, Any]:
    return {
        unit.name: _field(unit.type | None, partial(_unless_none, unit.check), None, unit.help)
        for unit in UNITS.values()
        if unit.budget
    }


def _unless_none(check: Callable[[Any], Any], size: Any) -> Any:
    return None if size is None else check(size)


def _text(value: Any) -> Any:
    for text in value if isinstance(value, list) else [value]:
        if not isinstance(text, str):
            raise InputError(f"text must be a string or a list of strings, not {text!r}")
        if "\0" in text:
            raise InputError("the text has a NUL character")
    if value == []:
        raise InputError("the list of texts is empty")
    return value


class Asked(BaseModel):
    """A request: it has exactly one length, options that go together, no unknown field, and every string is text."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_unicode(cls, given: Any) -> Any:
        try:
            json.dumps(given, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError("the request has half a surrogate pair, which is no text") from None
        return given

    @model_validator(mode="after")
    def _can_be_asked(self) -> Asked:
        _ = self.options  # refuses no length, several, and options that do not go together
        return self

    def sizes(self) -> dict[str, Any]:
        """The lengths that were given, by unit."""
        return {name: size for name in UNITS if (size := getattr(self, name, None)) is not None}

    @property
    def length(self) -> Length:
        """The one length that was asked for."""
        return Length.of(**self.sizes())

    @property
    def options(self) -> Options:
        """All that was asked for, as the library takes it."""
        return Options(self.length, **{name: getattr(self, name) for name in fields() if hasattr(self, name)})

    @property
    def texts(self) -> list[str]:
        """The text or texts to work on."""
        text: str | list[str] = getattr(self, "text")  # noqa: B009  (made by create_model)
        return [text] if isinstance(text, str) else text


class AskedUpTo(Asked):
    """A request whose length is the longest of many; without one, the whole text."""

    def sizes(self) -> dict[str, Any]:
        return super().sizes() or {"words": MAX_WORDS}


_ONE_OR_MORE: Any = (
    Annotated[str | list[str], BeforeValidator(_text)],
    Field(description="a sentence, or a list of them"),
)
_ONE: Any = (Annotated[str, BeforeValidator(_text)], Field(description="a sentence"))

SummarizeRequest: Any = create_model(
    "SummarizeRequest",
    __base__=Asked,
    __doc__="One text or several, and exactly one length: words, ratio, chars or bytes.",
    text=_ONE_OR_MORE,
    explain=(StrictBool, Field(False, description="say why these words: what each does to the score")),
    **_length_fields(),
    **_option_fields(),
)

First: Any = create_model("First", __base__=Asked, __doc__="Exactly one length.", **_length_fields())

LengthsRequest: Any = create_model(
    "LengthsRequest",
    __base__=AskedUpTo,
    __doc__="One text, and the longest of its summaries of every length; without one, the whole text.",
    text=_ONE,
    **_length_fields(),
    first=(First | None, Field(None, description="a length to search for by itself; in lines it comes first")),
    **_option_fields("search", "n_best", "diverse"),
)

ClimbRequest: Any = create_model(
    "ClimbRequest",
    __base__=Asked,
    __doc__="One text, and exactly one length, to watch the hill climbing of the paper.",
    text=_ONE,
    **_length_fields(),
    **_option_fields("search", "fast", "n_best", "diverse"),
)
