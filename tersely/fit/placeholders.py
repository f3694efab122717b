r"""Stage 8: what a program fills in, "{name}", "%1$s", "{{count}}", and markup: it stays as it is, in its order.

A summary is made from words, and no model knows "%1$s". So each placeholder is read as a word of the same length that
the text does not have: a number for a number, and otherwise a name. The words that hold one are pinned. An element with
its text, "<b>all summer</b>", is one placeholder. Tags around the whole text are set aside, and so is an element that
leads into it, "<b>Only today:</b>".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tersely.candidates.pins import pin_patterns
from tersely.errors import InputError
from tersely.text.words import tokenize

_OPEN = r"<(?P<tag>[A-Za-z][\w:-]*)(?:\s[^<>]*)?(?<!/)>"
# A longer element has two tags apart. Without bounds, for each of many open tags all the rest of the text is read.
_ELEMENT = rf"{_OPEN}(?:(?!</?(?P=tag)\b).){{0,1000}}</(?P=tag)\s*>"
_PLACEHOLDER = re.compile(
    rf"{_ELEMENT}|</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>"
    r"|\{\{.{0,1000}?\}\}|[$%]?\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}"  # templates, ICU with its cases, Rails
    r"|%(?:\d+\$|\(\w+\))?[-+#0]*\d*(?:\.\d+)?(?:hh?|ll?|[qjzt])?[@sdiufFeEgGxXoc](?![A-Za-z])|%%"  # printf
    r"|(?<![\w:]):[a-z]\w*|\$t\([^()]*\)|&#?\w+;",  # Laravel, i18next, entities
    re.DOTALL,
)
_LEADING = re.compile(rf"{_OPEN}(?:(?!</?(?P=tag)\b).)*[:.!?]\s*</(?P=tag)\s*>\s*", re.DOTALL)
_AROUND = re.compile(rf"({_OPEN}\s*)((?:(?!</?(?P=tag)\b).)*?)(\s*</(?P=tag)\s*>)", re.DOTALL)
_NUMBER = re.compile(
    r"%.*[diufFeEgGxXo]|\W*(?:n|num|\w*(?:[cC]ount|[nN]umber|[tT]otal|[aA]mount)|\w+, ?plural,.*)\W*", re.DOTALL
)
_MONEY = ("$", "€", "£")
_LETTERS = "aeioubcdfghjklmnpqrstvwxyz"


@dataclass(frozen=True)
class Masked:
    """A text with words in the place of its placeholders, and what was set aside around it."""

    text: str
    before: str
    after: str
    stand_ins: dict[str, str]  # each with its placeholder, in their order

    def pins(self, part: str) -> list[str]:
        """The pin patterns of the words of a part that hold a placeholder."""
        words = [word for word in tokenize(part) if not word.punctuation]
        each = zip(words, pin_patterns(words), strict=True)
        return [pattern for word, pattern in each if any(one in word.text for one in self.stand_ins)]

    def filled(self, part: str) -> str:
        """A part of the text, or a summary of it, with its placeholders."""
        for stand_in, placeholder in self.stand_ins.items():
            part = part.replace(stand_in, placeholder)
        return part

    def unmasked(self, text: str) -> str:
        """The text, or a summary of it, with its placeholders and with what was set aside."""
        return self.before + self.filled(text) + self.after


def masked(text: str) -> Masked:
    """A text as it can be shortened.

    >>> masked("<p>{name} has %d messages</p>")
    Masked(text='Qaaaaa has 22 messages', before='<p>', after='</p>', stand_ins={'Qaaaaa': '{name}', '22': '%d'})
    """
    inner = text.strip()
    before, after = text[: text.index(inner)], text[text.index(inner) + len(inner) :]
    while around := _AROUND.fullmatch(inner):
        before, inner, after = before + around[1], around[3], around[4] + after
    if leading := _LEADING.match(inner):
        before, inner = before + leading.group(), inner[leading.end() :]
    parts, at, stand_ins = [], 0, dict[str, str]()
    words = cache(_words)  # those that were tried are not tried again
    for match in _PLACEHOLDER.finditer(inner):
        stand_in = _stand_in(inner, match, [text, *stand_ins], words)
        stand_ins[stand_in] = match.group()
        parts += [inner[at : match.start()], stand_in]
        at = match.end()
    made = "".join([*parts, inner[at:]])
    if any(made.count(one) != 1 for one in stand_ins):
        raise InputError("its placeholders touch each other")
    return Masked(made, before, after, stand_ins)


def _stand_in(
    text: str, match: re.Match[str], others: Sequence[str], words: Callable[[int, bool], Iterator[str]]
) -> str:
    """A word for a placeholder that is no part of the others, nor has one of them in it."""
    start, end = match.span()
    numeric = (
        _NUMBER.fullmatch(match.group()) or text[end : end + 1] == "%" or text[max(0, start - 1) : start] in _MONEY
    )
    for word in words(end - start, bool(numeric)):
        if not any(word in other or other in word for other in others):
            return word
    raise InputError("it has too many placeholders")


def placeholders(text: str) -> list[str]:
    """The placeholders and tags of a text, in their order.

    >>> placeholders("Hi {name}, 20% off <b>all {items, plural, one {item} other {#}}</b>")
    ['{name}', '<b>all {items, plural, one {item} other {#}}</b>']
    """
    return [match.group() for match in _PLACEHOLDER.finditer(text)]


def _words(length: int, numeric: bool) -> Iterator[str]:
    """Words of a length: numbers without a 0 or a 1, or names."""
    if numeric:
        ends = itertools.product("23456789", repeat=min(length, 4))
        return ("".join(end) + "2" * (length - len(end)) for end in ends)
    ends = itertools.product(_LETTERS, repeat=min(length - 1, 4))
    return ("Q" + "".join(end) + "a" * (length - 1 - len(end)) for end in ends)
