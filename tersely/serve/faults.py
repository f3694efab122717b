"""Whatever is wrong with a request, as a refusal of the one shape; and the statuses that the description names."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from tersely.serve.answers import Refusal
from tersely.web.refusals import HANDLERS, Refused

_MEANINGS = {
    400: "The body is no JSON.",
    401: "The token is missing or wrong.",
    408: "The body came too slowly.",
    413: "The request is too big, or a text is.",
    421: "The server does not answer to that name.",
    422: "The request cannot be understood, or the text cannot be shortened so.",
    429: "This client has too many requests at a time.",
    431: "The head of the request is too big.",
    503: "Too many requests wait, or this one took too long: try again later.",
}
FAULTS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": meaning} for status, meaning in _MEANINGS.items()
}


def register_faults(app: FastAPI) -> None:
    """Let an application refuse in one shape."""

    app.exception_handlers |= HANDLERS

    @app.exception_handler(RequestValidationError)
    async def refuse_invalid(request: Request, error: RequestValidationError) -> Response:
        return refusal_of(error.errors()[0]).response()

    @app.exception_handler(HTTPException)
    async def refuse_http(request: Request, error: HTTPException) -> Response:
        status = HTTPStatus(error.status_code)
        code = "bad_json" if status == 400 else status.phrase.lower().replace(" ", "_")
        return Refused(status, code, str(error.detail), headers=error.headers).response()


def refusal_of(error: dict[str, Any]) -> Refused:
    """What pydantic found, in plain words; the library's own message where that is what it found.

    >>> refusal_of({"type": "extra_forbidden", "loc": ("body", "wrds"), "msg": ""}).content["error"]["message"]
    'there is no field wrds'
    """
    kind, place = error["type"], [str(part) for part in error["loc"][1:]]
    if kind == "json_invalid":
        return Refused(400, "bad_json", f"the body is no JSON: {error['ctx']['error']} at character {place[0]}")
    field = ".".join(place) or None
    if kind == "extra_forbidden":
        message = f"there is no field {field}"
    elif kind == "missing":
        message = f"the field {field} is missing" if field else "the body is missing"
    elif kind == "value_error":
        message = str(error["ctx"]["error"])
    else:
        message = str(error["msg"])
    return Refused(422, "invalid", message, field)
