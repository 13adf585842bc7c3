"""Schemas of the OpenAPI document as Markdown and as example values."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

PAGE: Final = "schemas.md"
_PREFIX: Final = "#/components/schemas/"
# Deeper than any answer of ours is worth showing.
_DEEPEST: Final = 12
_BOUNDS: Final = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} of them"),
    ("maxItems", "at most {} of them"),
)
# Bounds that tell a reader nothing: an id is above 0, a name is not empty.
_FREE: Final = {("minimum", 1), ("minLength", 1), ("minItems", 1)}
_FORMATS: Final = {
    "uuid": "6b1f3c1e-0d5b-4a53-9b44-3a1f7f6f6f01",
    "date-time": "2026-11-21T09:45:40.112696Z",
    "date": "2026-11-21",
    "email": "ann@example.org",
    "uri": "https://example.org/karat",
    "binary": "…",
}
# What a reader expects under a name; only where the schema allows it.
_NAMES: Final[Mapping[str, Any]] = {
    "email": "ann@example.org",
    "password": "correct horse battery",
    "old_password": "the one before",
    "colour": "#3b6fb6",
    "hotkey": "1",
    "project_id": 3,
    "example_id": 4267,
    "example_ids": [4267, 4268],
    "ids": [4267, 4268],
    "job_id": 14,
    "class_id": 9,
    "query_id": 301,
    "filename": "digits.zip",
    "kind": "prune",
    "polygon": "0.1,0.2;0.9,0.2;0.5,0.8",
    "outline": "0f3a5b6c7d8e9f01:-0.5,0;0.5,0;0,0.5",
    "similar_to": "4267,4268",
    "name": "Digits",
}


class Schemas:
    """The named schemas of an OpenAPI document."""

    def __init__(self, document: Schema, page: str = PAGE) -> None:
        self._named: Mapping[str, Schema] = document["components"]["schemas"]
        self._page = page

    def names(self) -> Iterable[str]:
        return self._named

    def resolve(self, schema: Schema) -> Schema:
        """The schema itself where a name of it is given."""
        name = _name(schema)
        return self._named[name] if name else schema

    def label(self, schema: Schema) -> str:
        """What kind of value it is, for a cell of a table."""
        name = _name(schema)
        if name:
            return f"[{title(name)}]({self._page}#{anchor(name)})"
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if "enum" in schema:
            return " or ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
        if choices := schema.get("anyOf") or schema.get("oneOf"):
            return " or ".join(self.label(one) for one in choices)
        if schema.get("type") == "array":
            return f"list of {self.label(schema.get('items', {}))}"
        kind = schema.get("format") or schema.get("type") or "anything"
        return f"`{kind}`"

    def rows(self, schema: Schema) -> Iterator[str]:
        """A row of a table for each property: name, kind, default, meaning."""
        resolved = self.resolve(schema)
        required = resolved.get("required", ())
        for name, one in resolved.get("properties", {}).items():
            yield self.row(name, one, name in required)

    def row(self, name: str, schema: Schema, required: bool, meaning: str = "") -> str:
        default = "required" if required else f"`{json.dumps(schema.get('default'))}`"
        said = [meaning or schema.get("description", ""), ", ".join(bounds(schema))]
        cells = (f"`{name}`", self.label(schema), default, ". ".join(one for one in said if one))
        return "| " + " | ".join(" ".join(cell.split()) for cell in cells) + " |"

    def example(self, schema: Schema, name: str = "", depth: int = 0) -> Any:
        """A value that the schema allows."""
        resolved = self.resolve(schema)
        if depth > _DEEPEST:
            return None
        if "const" in resolved:
            return resolved["const"]
        if "enum" in resolved:
            return _NAMES[name] if _NAMES.get(name) in resolved["enum"] else resolved["enum"][0]
        if choices := resolved.get("anyOf") or resolved.get("oneOf"):
            return self.example(choices[0], name, depth + 1)
        if "default" in resolved and resolved["default"] is not None:
            return resolved["default"]
        kind = resolved.get("type")
        if kind == "object":
            properties = resolved.get("properties", {})
            return {key: self.example(one, key, depth + 1) for key, one in properties.items()}
        if kind == "array":
            if isinstance(_NAMES.get(name), list):
                return _NAMES[name]
            found = self.example(resolved.get("items", {}), name.removesuffix("s"), depth + 1)
            return [found] * max(1, resolved.get("minItems", 0))
        return _plain(resolved, name)


def _name(schema: Schema) -> str | None:
    """The name of the schema, where it is given by name."""
    reference: str | None = schema.get("$ref")
    return reference.removeprefix(_PREFIX) if reference else None


def _plain(schema: Schema, name: str) -> Any:
    kind = schema.get("type")
    known = _NAMES.get(name)
    if kind == "string":
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        return known if isinstance(known, str) else (name or "…")
    if kind == "integer":
        return known if isinstance(known, int) else int(schema.get("minimum", 1))
    if kind == "number":
        return float(schema.get("minimum", 0.5))
    return kind == "boolean" if kind in {"boolean", "null"} else {}


def bounds(schema: Schema) -> Iterator[str]:
    """In words, what limits the values of a schema, or of the first of its choices."""
    choices = schema.get("anyOf")
    limited = choices[0] if choices else schema
    for key, words in _BOUNDS:
        value = limited.get(key)
        if value is not None and (key, value) not in _FREE:
            yield words.format(f"{value:,}" if isinstance(value, int) else f"{value:g}")


def title(name: str) -> str:
    """A schema's name as people write it."""
    return name.strip("_").replace("Items_", "List of ").replace("Page_", "Page of ")


def anchor(name: str) -> str:
    """The anchor of a schema's heading."""
    return title(name).lower().replace(" ", "-")
