"""Refusals: a request that is not answered gets a status and one shape of JSON, whoever refuses it.

{"error": {"code": "too_long", "message": "the text has 12,000 characters, ...", "field": "text"}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from tersely.errors import TerselyError

LONGEST = 500  # characters of a message: it may quote what was sent


class Refused(TerselyError):
    """A request that is not answered: a status, a code for programs, a line for people, and the field at fault."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.field, self.headers = status, code, field, dict(headers or {})

    @property
    def content(self) -> dict[str, dict[str, str | None]]:
        """The refusal as plain values.

        >>> Refused(404, "not_found", "there is no such page").content
        {'error': {'code': 'not_found', 'message': 'there is no such page', 'field': None}}
        """
        message = str(self)
        shown = message if len(message) <= LONGEST else message[: LONGEST - 1] + "…"
        return {"error": {"code": self.code, "message": shown, "field": self.field}}

    def response(self) -> Response:
        # ASCII, because a message may quote a lone surrogate, which UTF-8 cannot hold.
        return Response(json.dumps(self.content), self.status, self.headers, "application/json")


def refuse(request: Request, error: Exception) -> Response:
    """The handler of an application for whatever is raised: a refusal as it is, and no word about anything else."""
    if not isinstance(error, Refused):
        error = Refused(500, "internal", "something went wrong in the server, and its log says what")
    return error.response()


HANDLERS = {Refused: refuse, Exception: refuse}
