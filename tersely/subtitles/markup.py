"""The text of a cue as its words, with tags, speakers and continuation dots set aside, and back.

>>> first, second = utterances("- Is <i>it</i> far?\\n- No.")
>>> first.prefix, first.words, first.tags[0].first, second.words
('- ', ('Is', 'it', 'far?'), 1, ('No.',))
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import NamedTuple

_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>|<\d[\d:.]*>|\{\\[^{}\n]*\}")
_TIME_TAG = re.compile(r"<\d[\d:.]*>")
_VOICE = re.compile(r"<v[ .][^<>\n]*>")
_DASH = re.compile(r"[-\u2010-\u2014](?![-\u2010-\u2014])\s*")
# A dash, the sign of a song, a label in capitals and dots stand before what is shortened.
_PREFIX = re.compile(
    r"(?:[-\u2010-\u2014]+ ?(?=\S))?(?:[\u266a\u266b#]+ ?(?=\S))?(?:[A-Z][A-Z0-9 .'\u2019-]+: )?"
    r"(?:(?:\u2026|\.{2,}) ?(?=\S))?"
)
_SUFFIX = re.compile(r"(?:\s*(?:[,;:]|\u2026|\.{2,}|-{1,2}|[\u2013\u2014]))?(?: ?[\u266a\u266b#]+)?$")


class Tag(NamedTuple):
    """A tag and the words, from the first to the last, that it is for. A position such as `{\\an8}` is not closed."""

    opening: str
    closing: str
    first: int
    last: int


class Word(NamedTuple):
    """A word as it is shown, with its marks, and its place among the words of the utterance."""

    text: str
    at: int


class Utterance(NamedTuple):
    """What one speaker says in a cue."""

    words: tuple[str, ...]
    prefix: str = ""
    suffix: str = ""
    tags: tuple[Tag, ...] = ()

    @property
    def text(self) -> str:
        return self.prefix + " ".join(self.words) + self.suffix

    @property
    def head(self) -> str:
        """The tags that are for the whole cue, such as a position."""
        return "".join(tag.opening for tag in self.tags if not tag.closing and not tag.first)

    @property
    def inner(self) -> list[Tag]:
        """The other tags."""
        return [tag for tag in self.tags if tag.closing or tag.first]


def visible(text: str, *, vtt: bool = False) -> str:
    """The text without tags: what a viewer reads."""
    shown = _TAG.sub("", text)
    return html.unescape(shown) if vtt else shown


def voice(text: str) -> str:
    """The tag that names the speaker; empty if there is none."""
    found = _VOICE.search(text)
    return found[0] if found else ""


def has_inner_times(text: str) -> bool:
    """Whether words have times of their own, as in karaoke."""
    return bool(_TIME_TAG.search(text))


def utterances(text: str, *, vtt: bool = False) -> list[Utterance]:
    """What each speaker of a cue says: a line that begins with a dash or names a voice begins a new one."""
    parts: list[list[str]] = []
    for line in text.split("\n"):
        bare = _TAG.sub("", line).lstrip()
        if not parts or _DASH.match(bare) or _VOICE.match(line.lstrip()):
            parts.append([])
        parts[-1].append(line)
    return [_utterance(" ".join(lines), vtt) for lines in parts]


def _utterance(text: str, vtt: bool) -> Utterance:
    shown = " ".join(visible(text, vtt=vtt).split())
    found = _PREFIX.match(shown)
    prefix = found[0] if found else ""
    suffix = _SUFFIX.search(shown, len(prefix))
    end = suffix.start() if suffix else len(shown)
    words = shown[len(prefix) : end].split()
    if not words:
        return Utterance(tuple(shown.split()), tags=_tags(text, len(shown.split()), 0, vtt))
    return Utterance(tuple(words), prefix, shown[end:], _tags(text, len(words), prefix.count(" "), vtt))


def _tags(text: str, n_words: int, skipped: int, vtt: bool) -> tuple[Tag, ...]:
    """The tags with their words; `skipped` words stand before the first one that counts."""
    found: list[Tag] = []
    opened: list[int] = []  # places in `found`
    n_before, inside = 0, False
    parts = [visible(part, vtt=vtt) for part in _TAG.split(text)]
    last_part = max((k for k, part in enumerate(parts) if part.strip()), default=-1)
    for k, (match, part) in enumerate(zip(_TAG.finditer(text), parts, strict=False)):
        if part:
            n_before += len(part.split()) - (inside and not part[0].isspace())
            inside = not part[-1].isspace()  # in a word or right after it
        count = n_before - skipped
        tag, name = match[0], re.sub(r"[^\w].*", "", match[0].strip("</{\\"))
        if tag.startswith("</"):
            last = max(0, min(count, n_words) - 1)
            same = [k for k in opened if re.match(rf"<{name}\b", found[k].opening)]
            if same:
                opened.remove(same[-1])
                found[same[-1]] = found[same[-1]]._replace(closing=tag, last=last)
            else:
                found.append(Tag("", tag, 0, last))
        else:
            if k >= last_part and not tag.startswith("<"):
                found.append(Tag("", tag, 0, n_words - 1))
                continue
            touched = inside and match.end() < len(text) and not text[match.end()].isspace()
            first = min(max(0, count - touched), n_words - 1)
            if tag.startswith("<"):
                opened.append(len(found))
            found.append(Tag(tag, "", first, n_words - 1))
    return tuple(found)


def with_tags(lines: Sequence[Sequence[Word]], tags: Sequence[Tag], *, vtt: bool = False) -> str:
    """Lines of words as the text of a cue, with the tags of the words that are left."""
    words = [word for line in lines for word in line]
    before, after = [""] * len(words), [""] * len(words)
    for tag in tags:
        inside = [k for k, word in enumerate(words) if tag.first <= word.at <= tag.last]
        if not inside:
            continue
        before[inside[0]] += tag.opening
        after[inside[-1]] = tag.closing + after[inside[-1]]
    shown, k = [], 0
    for line in lines:
        made = []
        for word in line:
            text = html.escape(word.text, quote=False) if vtt else word.text
            made.append(before[k] + text + after[k])
            k += 1
        shown.append(" ".join(made))
    return re.sub(r"</(\w+)>(\s)<\1>", r"\2", "\n".join(shown))
