"""Stage 7: the text that is shortened: what is left of a text without markup, or its first sentence."""

from __future__ import annotations

from tersely.errors import InputError
from tersely.summary.options import Options
from tersely.text.markup import without_markup
from tersely.text.sentences import sentences


def read_text(text: str, options: Options) -> str:
    """The text to shorten: without markup, or only its first sentence, if that is asked for.

    >>> read_text("<p>AT&amp;T sold it. It was old.</p>", Options.of(words=3, html=True, lead=True))
    'AT&T sold it.'
    """
    if not isinstance(text, str):
        raise InputError(f"text must be a str, not {type(text).__name__}")
    text = without_markup(text) if options.html else text
    return next(iter(sentences(text)), text) if options.lead else text
