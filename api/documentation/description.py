"""What the API description says beyond what FastAPI knows: for clients that are made from it."""

import math
from collections.abc import Iterable, Iterator
from typing import Any, Final

from fastapi import APIRouter
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from api.callers.principal import COOKIE, get_caller, get_principal, needed_scope
from api.middleware.problems import MEDIA_TYPE

_SCHEMES: Final = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token. `x-scope` of an operation is the least that it must have.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": "What browsers have from logging in.",
    },
}
_WHO_CALLS: Final = frozenset({get_caller, get_principal})


def described(document: dict[str, Any], routers: Iterable[APIRouter]) -> dict[str, Any]:
    """The description with who may call, errors that are what they are, and how large integers are.

    Args:
        document: What FastAPI says of ``routers``; changed in place.
        routers: Where the operations come from.
    """
    document["components"]["securitySchemes"] = _SCHEMES
    document["security"] = [{name: []} for name in _SCHEMES]
    open_to_all = {
        route.name
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute) and not _asks_who_calls(route.dependant)
    }
    for path in document["paths"].values():
        for method, operation in path.items():
            name, tags = operation["operationId"], operation["tags"]
            if name in open_to_all:
                operation["security"] = []
            else:
                operation["x-scope"] = needed_scope(method.upper(), name, tags).value
            _name_problems(operation)
    for schema in _objects(document):
        if schema.get("type") == "integer" and "enum" not in schema:
            _size(schema)
    return document


def _asks_who_calls(dependant: Dependant) -> bool:
    return dependant.call in _WHO_CALLS or any(map(_asks_who_calls, dependant.dependencies))


def _name_problems(operation: dict[str, Any]) -> None:
    """Of a route FastAPI says that its errors are of the media type of its answers."""
    for status, response in operation["responses"].items():
        if status.startswith(("4", "5")):
            (content,) = response["content"].values()
            response["content"] = {MEDIA_TYPE: content}


def _size(schema: dict[str, Any]) -> None:
    """Say of an integer that it has 64 bits; without that generators take it for one of 32."""
    if schema.get("exclusiveMaximum") == 1 << 63:
        # The format says so, and this number has no place in what it describes.
        del schema["exclusiveMaximum"]
    most = min(schema.get("maximum", math.inf), schema.get("exclusiveMaximum", math.inf) - 1)
    if most >= 1 << 31:
        schema["format"] = "int64"


def _objects(found: Any) -> Iterator[dict[str, Any]]:
    """All objects in a document."""
    if isinstance(found, dict):
        yield found
        found = list(found.values())
    if isinstance(found, list):
        for one in found:
            yield from _objects(one)
