"""What the API description says of answers and bodies that are no JSON."""

from typing import Any, Final

JSON_LINES: Final = "application/x-ndjson"
PARQUET: Final = "application/vnd.apache.parquet"
_TEXTS: Final = ("text/", "application/json", JSON_LINES)
Responses = dict[int | str, dict[str, Any]]


def sends(*media_types: str) -> Responses:
    """Of a route that answers with a file or a stream: what it may be of.

    FastAPI knows nothing of the body of these, and clients made from the description would lose it.
    """
    return {200: {"content": {one: {"schema": _schema(one)} for one in media_types}}}


def takes(media_type: str) -> dict[str, Any]:
    """Of a route that reads the body of a request itself, as a file: what it is of."""
    content = {media_type: {"schema": _schema(media_type)}}
    return {"requestBody": {"required": True, "content": content}}


def _schema(media_type: str) -> dict[str, str]:
    if media_type.startswith(_TEXTS):
        return {"type": "string"}
    return {"type": "string", "format": "binary"}
