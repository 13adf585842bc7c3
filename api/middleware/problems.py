"""Errors as ``application/problem+json`` (RFC 9457)."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, Literal

import psycopg
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from api.middleware.headers import DATA_HEADERS
from api.schemas.field_errors import FieldError, InvalidFields, field_errors
from core.errors import DomainError, ErrorKind, Unavailable
from core.files import disk
from core.media.nouns import in_words_of
from core.states import Medium
from core.telemetry.logs import request_id
from models.catalog.faults import fault_of

logger = logging.getLogger(__name__)

_STATUS = {
    ErrorKind.INVALID: HTTPStatus.BAD_REQUEST,
    ErrorKind.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    ErrorKind.FORBIDDEN: HTTPStatus.FORBIDDEN,
    ErrorKind.NOT_FOUND: HTTPStatus.NOT_FOUND,
    ErrorKind.CONFLICT: HTTPStatus.CONFLICT,
    ErrorKind.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    ErrorKind.TOO_MANY: HTTPStatus.TOO_MANY_REQUESTS,
    ErrorKind.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}

_SHOWN = 20
_READING: Final = frozenset({"GET", "HEAD"})


MEDIA_TYPE: Final = "application/problem+json"


class Problem(BaseModel):
    """Body of every error response."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    field: str | None
    errors: list[FieldError]


def problem(
    status: HTTPStatus,
    code: str,
    detail: str,
    *,
    field: str | None = None,
    errors: Sequence[FieldError] = (),
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    body = Problem(
        type="about:blank",
        title=status.phrase,
        status=status.value,
        code=code,
        detail=detail,
        field=field,
        errors=list(errors),
    )
    return JSONResponse(
        body.model_dump(),
        status_code=status.value,
        media_type=MEDIA_TYPE,
        headers=headers,
    )


async def _domain_error(request: Request, error: DomainError) -> JSONResponse:
    if error.code == disk.CODE:
        logger.error("%s %s: no room on the disk", request.method, request.url.path)
    wait = error.retry_after
    headers = None if wait is None else {"Retry-After": str(wait)}
    detail = in_words_of(getattr(request.state, "medium", Medium.IMAGE), error.detail)
    errors = error.errors if isinstance(error, InvalidFields) else ()
    return problem(
        _STATUS[error.kind], error.code, detail, field=error.field, errors=errors, headers=headers
    )


async def _malformed(_: Request, error: RequestValidationError) -> JSONResponse:
    # Of a body with ten thousand mistakes nobody reads more.
    faults = [fault_of(one) for one in error.errors()[:_SHOWN]]
    errors = field_errors(one._replace(place=_within(one.place)) for one in faults)
    detail = "; ".join(f"{item.field}: {item.message}" for item in errors)
    return problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "malformed",
        detail,
        field=errors[0].field if errors else None,
        errors=errors,
    )


def _within(place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Where it is in the body or the address."""
    return (place[1:] if place and place[0] in {"body", "query", "path"} else place) or ("body",)


async def _http_error(request: Request, error: HTTPException) -> JSONResponse:
    status = HTTPStatus(error.status_code)
    code = status.phrase.lower().replace(" ", "_")
    detail, field = str(error.detail), None
    if status is HTTPStatus.BAD_REQUEST:
        # All that the framework says is that there was an error.
        detail, field = "The body cannot be read; send JSON in UTF-8, not nested deeply.", "body"
    headers = dict(error.headers or {})
    if "Allow" in headers:
        headers["Allow"] = allowed = ", ".join(_methods(request))
        detail = f"{request.method} is not for this address; it takes {allowed}."
    return problem(status, code, detail, field=field, headers=headers)


def _methods(request: Request) -> Iterator[str]:
    """All that the address knows: each route, which the framework asks for them, knows one."""
    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"):
        asked = {**request.scope, "method": method}
        if any(route.matches(asked)[0] is Match.FULL for route in request.app.routes):
            yield method


async def _file_error(request: Request, error: OSError) -> Response:
    if not disk.is_full(error):
        raise error
    logger.error("no room on the disk: %s", error)
    return await _domain_error(request, disk.disk_full())


def _commit(request: Request) -> Literal["begun", "done"] | None:
    """How far a request has come with storing something, see ``commits``."""
    return None if request.method in _READING else getattr(request.state, "commit", None)


async def _database_error(request: Request, error: Exception) -> JSONResponse:
    away = isinstance(error, OperationalError | InterfaceError | PoolTimeout | psycopg.Error) or (
        isinstance(error, DBAPIError) and error.connection_invalidated
    )
    if not away:
        raise error
    # A server without room for its log ends, and then only the disk tells why.
    if disk.is_full(error) or disk.room(request.app.state.settings).state == "full":
        logger.error("no room on the disk of the database: %s", error)
        return await _domain_error(request, disk.disk_full())
    logger.warning("refused by the database, or it is away: %s", error)
    crossed = isinstance(getattr(error, "orig", error), psycopg.errors.DeadlockDetected)
    if _commit(request) == "begun" and not crossed:
        # No 503, after which programs send again what they were told was not stored.
        return problem(
            HTTPStatus.GATEWAY_TIMEOUT,
            "unknown_outcome",
            "The database was lost while it stored this. It may have been stored: look before you "
            "send the request again.",
        )
    said = (
        "Somebody else changed the same just now. Nothing was stored; send the request again."
        if crossed
        else "The database cannot be reached. Nothing was stored; send the request again."
    )
    return await _domain_error(request, Unavailable("unavailable", said, seconds=1))


async def _unstorable(_: Request, error: DataError) -> JSONResponse:
    logger.info("refused by the database: %s", error)
    return problem(
        HTTPStatus.BAD_REQUEST,
        "invalid_value",
        "A number is too large or a text holds a character that cannot be stored (such as NUL).",
    )


async def _client_left(_: Request, error: ClientDisconnect) -> Response:
    del error
    logger.info("the client left in the middle of a request")
    # For the middlewares: nobody reads it.
    return Response(status_code=HTTPStatus.BAD_REQUEST)


async def _bug(request: Request, error: Exception) -> JSONResponse:
    logger.error("unexpected error", exc_info=error)
    said = "Karat made a mistake. It is in the server's log; sending the request again is safe."
    if _commit(request) is not None:
        said = (
            "Karat made a mistake. It is in the server's log; a part may have been stored, so "
            "look before you send the request again."
        )
    return problem(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "internal",
        said,
        # Sent from outside of the middleware that adds these to every other response.
        headers={**DATA_HEADERS, "X-Request-ID": request_id.get() or ""},
    )


async def answered(request: Request, error: Exception) -> Response:
    """What is said of ``error``, for middleware, which stands outside of the handlers.

    Raises:
        Exception: ``error`` itself, if nobody has foreseen it.
    """
    handlers: Mapping[Any, Any] = request.app.exception_handlers
    for kind in type(error).__mro__:
        if kind is not Exception and kind in handlers:
            response: Response = await handlers[kind](request, error)
            return response
    raise error


def install(app: FastAPI) -> None:
    """Register the handlers."""
    app.add_exception_handler(DomainError, _domain_error)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _malformed)  # type: ignore[arg-type]
    app.add_exception_handler(ClientDisconnect, _client_left)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _http_error)  # type: ignore[arg-type]
    app.add_exception_handler(DataError, _unstorable)  # type: ignore[arg-type]
    app.add_exception_handler(OSError, _file_error)  # type: ignore[arg-type]
    app.add_exception_handler(DBAPIError, _database_error)
    app.add_exception_handler(PoolTimeout, _database_error)
    # The hot path talks to psycopg directly.
    app.add_exception_handler(psycopg.OperationalError, _database_error)
    app.add_exception_handler(psycopg.InterfaceError, _database_error)
    app.add_exception_handler(Exception, _bug)
