"""Stage 8: a text file that is one value, as in the metadata folders of fastlane.

It is named by its path after `metadata`, without ".txt": `metadata/en-US/title.txt` is "title" and "en-US.title".
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from tersely.fit.value import Value

_LOCALE = re.compile(r"(?:[a-z]{2}|fil)(?:[-_]\w+)*")
_FOLDER = "metadata"


def find(text: str, name: str) -> list[Value]:
    parts = PurePath(name).with_suffix("").parts
    own = parts[-parts[::-1].index(_FOLDER) :] if _FOLDER in parts[:-1] else parts[-1:]
    names = tuple(".".join(own[i:]) for i in range(len(own) - 1, -1, -1))
    language = next((part for part in reversed(own[:-1]) if _LOCALE.fullmatch(part)), None)
    return [Value(0, len(text), text, names, language=language)]


def parse(text: str) -> list[Any]:
    """The whole text."""
    return [text]
