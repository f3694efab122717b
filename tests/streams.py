"""Streams that a test hands to the command line in its own process."""

from __future__ import annotations

import io


class Stdin:
    """What `sys.stdin` is for the command: bytes behind `.buffer`, and not a terminal."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)

    def isatty(self) -> bool:
        return False
