"""Every HTTP error of the service and of the judge's server, in one table.

An entry decides the error response, the line in the OpenAPI description, and whether the metrics count it. All error
responses have one shape:

{"error": {"code": "too_long", "message": "the text has 12,000 characters, the limit is 10,000", "field": "text"}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tersely.errors import InputError, MissingExtra, TerselyError, WorkerLost

MAX_MESSAGE = 500  # characters; a message may quote what the client sent


@dataclass(frozen=True)
class ErrorType:
    """A kind of HTTP error. Its message is a format string: `ApiError` has the values.

    The `exceptions` become this error when the handler of a request raises them; {reason} is then their text.
    """

    status: int
    message: str
    exceptions: tuple[type[Exception], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    counted: bool = True  # in the metrics, as an error

    @property
    def description(self) -> str:
        """The message for the OpenAPI description.

        >>> ERRORS["body_too_big"].description
        'the body is too big: at most {limit} bytes'
        """
        return re.sub(r":[^ {}]*}", "}", self.message)


_CHALLENGE = {"www-authenticate": "Bearer"}
_CLOSE = {"connection": "close"}  # the rest of the body is not read
_RETRY = {"retry-after": "1"}
ERRORS = {
    "bad_json": ErrorType(400, "the body is not valid JSON: {reason}"),
    "not_json": ErrorType(400, "send the body as JSON, with content-type: application/json"),
    "incomplete_body": ErrorType(400, "the connection ended before the body did"),
    "not_http": ErrorType(400, "invalid HTTP request: {reason}", headers=_CLOSE),
    "unauthorized": ErrorType(401, "missing or wrong token: send authorization: Bearer TOKEN", headers=_CHALLENGE),
    "not_found": ErrorType(404, "no such path"),
    "method_not_allowed": ErrorType(405, "this path takes another method"),
    "slow_body": ErrorType(408, "the body did not arrive within {seconds:g} seconds", headers=_CLOSE),
    "body_too_big": ErrorType(413, "the body is too big: at most {limit:,} bytes", headers=_CLOSE),
    "too_many": ErrorType(413, "a request has at most {limit:,} {what}, not {n:,}"),
    "too_long": ErrorType(413, "the text has {n:,} characters, the limit is {limit:,}"),
    "response_too_big": ErrorType(413, "the response has {n:,} characters, the limit is {limit:,}: ask for less"),
    "wrong_host": ErrorType(421, "this server does not serve the host {host}: use its address"),
    "invalid": ErrorType(422, "invalid request: {reason}", (InputError,)),
    "cannot_shorten": ErrorType(422, "cannot shorten the text: {reason}"),
    "head_too_big": ErrorType(431, "the head is too big: at most {limit:,} bytes", headers=_CLOSE),
    "internal": ErrorType(500, "internal error: the log of the server has the details", (Exception,)),
    "missing_extra": ErrorType(501, "this service lacks a package: {reason}", (MissingExtra,)),
    "busy": ErrorType(503, "too many requests are waiting: try again in a moment", headers=_RETRY),
    "too_many_connections": ErrorType(503, "too many connections: try again in a moment", headers=_CLOSE | _RETRY),
    "too_slow": ErrorType(503, "it took more than {seconds:g} seconds: ask for less, or try again", headers=_RETRY),
    "worker_lost": ErrorType(503, "a worker process died: {reason}", (WorkerLost,), headers=_RETRY),
    # Probes ask again and again until the service is ready, which is no error.
    "not_ready": ErrorType(503, "no worker is ready", headers=_RETRY, counted=False),
}
_OF_STARLETTE = {400: "bad_json", 404: "not_found", 405: "method_not_allowed"}  # its own HTTP errors


class ApiError(TerselyError):
    """An error of the table, to be raised: its code, the field at fault, and the values that its message needs.

    >>> ApiError("too_long", "text", n=12_000, limit=10_000).content["error"]["message"]
    'the text has 12,000 characters, the limit is 10,000'
    """

    def __init__(
        self, code: str, field: str | None = None, *, headers: Mapping[str, str] | None = None, **values: Any
    ) -> None:
        self.code, self.field, self.type = code, field, ERRORS[code]
        self.headers = {**self.type.headers, **(headers or {})}
        super().__init__(self.type.message.format(**values))

    @property
    def content(self) -> dict[str, dict[str, str | None]]:
        """The body of the error response."""
        message = str(self)
        if len(message) > MAX_MESSAGE:
            message = message[: MAX_MESSAGE - 1] + "…"
        return {"error": {"code": self.code, "message": message, "field": self.field}}

    def response(self, scope: MutableMapping[str, Any]) -> Response:
        """The error response; the metrics find its code in the scope of the request."""
        scope["error"] = self.code
        # ASCII, because a message may quote a lone surrogate, which UTF-8 cannot encode.
        return Response(json.dumps(self.content), self.type.status, self.headers, "application/json")

    def raw(self) -> bytes:
        """The error response as it is sent, for a connection without a request."""
        response = self.response({})
        status = HTTPStatus(response.status_code)
        head = b"".join(b"%b: %b\r\n" % header for header in response.raw_headers)
        return f"HTTP/1.1 {status:d} {status.phrase}\r\n".encode() + head + b"\r\n" + bytes(response.body)


def api_error_of(error: Exception) -> ApiError:
    """The error of the table that stands for an exception: the one that names the nearest class of it."""
    if isinstance(error.__cause__, ApiError):  # FastAPI has replaced it, because it was raised by a read of the body
        error = error.__cause__
    if isinstance(error, ApiError):
        return error
    if isinstance(error, HTTPException):
        code = _OF_STARLETTE.get(error.status_code, "internal")
        return ApiError(code, headers=error.headers, reason=error.detail)
    code = next(code for kind in type(error).__mro__ for code in ERRORS if kind in ERRORS[code].exceptions)
    return ApiError(code, reason=error)


async def respond(request: Request, error: Exception) -> Response:
    """The error response for whatever the handler of a request has raised."""
    return api_error_of(error).response(request.scope)


def exception_handlers() -> dict[Any, Any]:
    """The exception handlers of an application, one for each class that the table knows."""
    known = [kind for entry in ERRORS.values() for kind in entry.exceptions]
    return dict.fromkeys([ApiError, HTTPException, *known], respond)
