"""Stage 7: tersely in a spaCy pipeline (the extra `spacy`). An entry point tells spaCy of it, so that nothing has to be
imported:

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tersely", config={"words": 8})
    doc = nlp("A long sentence ... And another ...")
    doc._.tersely                           # the summaries of its sentences, one a line
    [sent._.tersely for sent in doc.sents]  # a Summary each, with its evidence; None where there is nothing to shorten

The configuration has the options of the library, and `bundle`, a model folder. Where spaCy copies a doc as bytes, as
`nlp.pipe(..., n_process=2)` does, the summaries arrive as plain strings.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from tersely.candidates.length import UNITS
from tersely.errors import InputError, missing_extra
from tersely.summary.options import Options, fields
from tersely.summary.summarizer import Summarizer

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Span
except ImportError:
    raise missing_extra("spacy", "spacy") from None

NAME = "tersely"
WORDS = 8  # where the configuration has no length
_UNITS = [unit.name for unit in UNITS.values() if unit.budget]
_CONFIG = dict.fromkeys(["bundle", *_UNITS, *fields()])  # None: as the library has it


class Pipe:
    """The component: shortens every sentence of a doc, or a doc without sentences as one."""

    def __init__(self, summarizer: Summarizer, options: Options) -> None:
        summarizer.check(options)
        self.summarizer, self.options = summarizer, options

    def __call__(self, doc: Doc) -> Doc:
        summaries = []
        for sentence in _sentences(doc):
            found = self.summarizer.attempt(sentence.text, self.options)
            if not isinstance(found, InputError):
                sentence._.tersely = found
                summaries.append(found)
        doc._.tersely = "\n".join(summaries)
        return doc


def _sentences(doc: Doc) -> Iterable[Span]:
    if doc.has_annotation("SENT_START"):
        return doc.sents
    return [doc[:]] if len(doc) else []


def make(nlp: Language, name: str, **config: Any) -> Pipe:
    """The component of a configuration: spaCy calls this."""
    for kind in (Doc, Span):
        if not kind.has_extension(NAME):
            kind.set_extension(NAME, default=None)
    bundle: str | None = config.pop("bundle", None)
    given = {key: value for key, value in config.items() if value is not None}
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    if not any(unit in given for unit in _UNITS):
        given["words"] = WORDS
    return Pipe(Summarizer.load(bundle), Options.of(**given))


# spaCy checks a configuration against the arguments of the factory: they are those of the tables.
make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("nlp", "name")]
    + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Any, default=None) for name in _CONFIG]
)
factory = Language.factory(NAME, default_config=_CONFIG, assigns=["doc._.tersely", "span._.tersely"])(make)
