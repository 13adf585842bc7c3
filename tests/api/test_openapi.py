"""The committed API description, from which the browser's types are made."""

import ast
import json
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from api.callers.principal import COOKIE
from api.main import create_app
from scripts import client_types
from tests.processes import ended
from tests.security.policy import POLICY

ROOT = Path(__file__).resolve().parent.parent.parent


def test_committed_description_is_that_of_the_api() -> None:
    done = ended("api.openapi")
    assert done.returncode == 0, done.stderr
    printed = done.stdout
    committed = (ROOT / "frontend" / "openapi.json").read_text()
    # A difference of a line, not two texts of half a megabyte: the output of a failure is read.
    lines = unified_diff(committed.splitlines(), printed.splitlines(), lineterm="", n=0)
    differing = "\n".join(lines)
    assert differing == "", "run: make openapi"
    assert committed == printed
    operations = [
        operation["operationId"]
        for path in json.loads(printed)["paths"].values()
        for operation in path.values()
    ]
    assert sorted(operations) == sorted(set(operations))
    assert len(operations) > 40


def described() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "frontend" / "openapi.json").read_text())
    return found


def test_description_says_of_what_every_answer_is() -> None:
    answers = [
        (f"{method} {path}", status, list(answer.get("content", {})))
        for path, operations in described()["paths"].items()
        for method, operation in operations.items()
        for status, answer in operation["responses"].items()
    ]
    errors = [one for one in answers if one[1].startswith(("4", "5"))]
    assert len(errors) > 100
    assert [one for one in errors if one[2] != ["application/problem+json"]] == []
    assert [one for one in answers if one[1] == "200" and not one[2]] == []


def test_description_says_who_may_call() -> None:
    description = described()
    (token, session) = description["security"]
    schemes = description["components"]["securitySchemes"]
    (bearer,), (cookie,) = token, session
    assert (schemes[bearer]["type"], schemes[bearer]["scheme"]) == ("http", "bearer")
    assert (schemes[cookie]["in"], schemes[cookie]["name"]) == ("cookie", COOKIE)
    said = {
        operation["operationId"]: (operation.get("security"), operation.get("x-scope"))
        for path in description["paths"].values()
        for operation in path.values()
    }
    assert said == {
        name: ([], None) if policy.who == "anybody" else (None, policy.scope)
        for name, policy in POLICY.items()
    }


def objects(found: Any) -> Iterator[dict[str, Any]]:
    """All objects in a part of the description."""
    if isinstance(found, dict):
        yield found
    below = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    for one in below:
        yield from objects(one)


def test_no_integer_is_taken_for_one_of_32_bits_that_is_none() -> None:
    integers = [one for one in objects(described()) if one.get("type") == "integer"]
    assert len(integers) > 100
    for one in integers:
        most = max(one.get("enum", [one.get("maximum", one.get("exclusiveMaximum", 2**63) - 1)]))
        assert most < 2**31 or one.get("format") == "int64", one
        # A bound has to have a place itself in what a client is made of.
        assert one.get("exclusiveMaximum", 0) < 2**63, one


def test_files_that_are_sent_are_no_text() -> None:
    sent = [
        content["schema"]
        for path in described()["paths"].values()
        for operation in path.values()
        for form, content in operation.get("requestBody", {}).get("content", {}).items()
        if form == "application/octet-stream"
    ]
    assert sent == [{"type": "string", "format": "binary"}] * 3


def loose(schema: dict[str, Any], schemas: dict[str, Any], seen: set[str]) -> Iterator[str]:
    """Objects below a schema that take fields that they do not know."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name in seen:
        return
    if name:
        seen.add(name)
        schema = schemas[name]
    if "properties" in schema and schema.get("additionalProperties") is not False:
        yield name or str(schema.get("title"))
    more = schema.get("additionalProperties")
    below = [*schema.get("properties", {}).values(), schema.get("items"), more]
    for kind in ("anyOf", "oneOf", "allOf"):
        below += schema.get(kind, [])
    for one in below:
        if isinstance(one, dict):
            yield from loose(one, schemas, seen)


def test_no_request_takes_what_it_does_not_know() -> None:
    """A misspelled filter would be none, and everything would be taken."""
    description = described()
    found = {
        name
        for path in description["paths"].values()
        for operation in path.values()
        for form, content in operation.get("requestBody", {}).get("content", {}).items()
        # What providers of single sign-on send is theirs to say.
        if form != "application/x-www-form-urlencoded"
        for name in loose(content["schema"], description["components"]["schemas"], set())
    }
    assert found == set()


def unions(schema: Any) -> Iterator[Any]:
    """What is of one of several kinds in a schema of pydantic's."""
    if isinstance(schema, dict):
        if schema.get("type") == "union":
            yield schema
        for one in schema.values():
            yield from unions(one)
    elif isinstance(schema, list | tuple):
        for one in schema:
            yield from unions(one)


def requests(base: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    """Models that take nothing that they do not know, as those of requests do."""
    for one in base.__subclasses__():
        if one.__module__.startswith("api.") and one.model_config.get("extra") == "forbid":
            yield one
        yield from requests(one)


def test_no_fault_of_a_request_is_told_by_a_name_of_the_code() -> None:
    assert create_app().routes
    found = [
        (model.__name__, "custom_error_type" in one)
        for model in requests()
        for one in unions(model.__pydantic_core_schema__)
    ]
    assert ("Filters", True) in found
    assert [model for model, is_told_once in found if not is_told_once] == []


def test_types_of_the_python_client_are_those_of_the_description() -> None:
    for path, text in client_types.written(described()):
        assert path.read_text() == text, "run: make openapi"


def test_what_the_description_gains_reaches_the_python_client() -> None:
    description = described()
    schemas = description["components"]["schemas"]
    schemas["UserOut"]["properties"]["team"] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    schemas["AnswerIn"]["properties"]["remark"] = {"type": "string"}
    modules = {path.name: text for path, text in client_types.written(description)}
    assert "    team: str | None\n" in modules["resources.py"]
    assert "    remark: NotRequired[str]\n" in modules["labeling_types.py"]
    schemas["UserOut"]["properties"]["home"] = {"$ref": "#/components/schemas/PlaceOut"}
    with pytest.raises(SystemExit, match="PlaceOut has no name in the client"):
        list(client_types.written(description))


def test_no_module_of_types_is_too_long_to_be_read() -> None:
    lengths = {path.name: text.count("\n") for path, text in client_types.written(described())}
    assert {name: length for name, length in lengths.items() if length > 400} == {}


def test_nothing_that_the_description_has_is_written_by_hand() -> None:
    schemas = {
        frozenset(schema["properties"]): name
        for name, schema in described()["components"]["schemas"].items()
        if "properties" in schema
    }
    made = {path for path, _ in client_types.written(described())}
    by_hand = {
        f"{path.name}: {one.name}": schemas[fields]
        for path in (ROOT / "karat/client").glob("*.py")
        if path not in made
        for one in ast.walk(ast.parse(path.read_text()))
        if isinstance(one, ast.ClassDef) and "TypedDict" in map(ast.unparse, one.bases)
        if (
            fields := frozenset(
                ast.unparse(at.target) for at in one.body if isinstance(at, ast.AnnAssign)
            )
        )
        in schemas
    }
    assert by_hand == {}
