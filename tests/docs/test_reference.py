"""The reference made from the code holds all of it, and its examples are right."""

import json
import re
from typing import Any, Final

import jsonschema_rs
import pytest

from scripts.docs import commands, routes
from scripts.docs.schemas import Schemas
from tests.processes import ROOT

DOCUMENT: Final[dict[str, Any]] = json.loads((ROOT / "frontend/openapi.json").read_text())
SCHEMAS: Final = Schemas(DOCUMENT)
GROUPS: Final = routes.groups(DOCUMENT)
ROUTES: Final = [route for found in GROUPS.values() for route in found]


def _faults(schema: Any, value: Any) -> list[str]:
    whole = {"components": DOCUMENT["components"], "allOf": [schema]}
    validator = jsonschema_rs.Draft202012Validator(whole)
    return [one.message for one in validator.iter_errors(value)]


def test_every_route_is_on_a_page_and_in_the_index() -> None:
    known = {
        (method.upper(), path, operation["operationId"])
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }
    assert {(one.method, one.path, one.id) for one in ROUTES} == known
    index = routes.index(DOCUMENT)
    for tag, found in GROUPS.items():
        page = routes.page(tag, found, SCHEMAS)
        for route in found:
            assert f"{{#{route.id}}}" in page
            assert f"[`{route.method} {route.path}`]({tag}.md#{route.id})" in index


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.id)
def test_examples_of_a_route_fit_its_schema(route: routes.Route) -> None:
    body = routes.body_example(route, SCHEMAS)
    if body is not None:
        assert route.body is not None
        assert _faults(route.body[1], body) == []
    for answer in route.operation["responses"].values():
        schema = answer.get("content", {}).get("application/json", {}).get("schema")
        if schema:
            assert _faults(schema, SCHEMAS.example(schema)) == []


def test_a_page_says_where_an_answer_is_a_file_and_where_there_is_none() -> None:
    page = routes.page("pools", GROUPS["pools"], SCHEMAS)
    picture = page[page.index("{#example_image}") :]
    assert "**Answer** 200: a file or a stream" in picture
    assert "**Answer** 304, without a body" in picture
    (export,) = (route for route in GROUPS["exports"] if route.operation["operationId"] == "export")
    # It may be a JSON document, among others.
    assert "**Answer** 200: a file or a stream" in routes.page("exports", [export], SCHEMAS)


def test_links_between_pages_of_schemas_lead_somewhere() -> None:
    anchors = set(re.findall(r"\{#([\w-]+)\}", routes.schemas_page(SCHEMAS)))
    pages = [routes.page(tag, found, SCHEMAS) for tag, found in GROUPS.items()]
    linked = set(re.findall(r"\(schemas\.md#([\w-]+)\)", "\n".join(pages)))
    assert linked
    assert linked - anchors == set()


def test_every_option_is_in_the_reference_of_the_command_line() -> None:
    text = commands.reference()
    for name, command in commands.commands():
        section = text.partition(f"### {name}\n")[2].partition("\n### ")[0]
        options = {option for param in command.params for option in param.opts if "-" in option}
        missing = {one for one in options - {"--help"} if f"`{one}" not in section}
        assert missing == set(), name


def test_every_part_of_the_python_client_is_on_its_page() -> None:
    parts = {
        f"karat.client.{file.stem}.{name}"
        for file in (ROOT / "karat/client").glob("*.py")
        for name in re.findall(r"(?m)^class (\w*Client)\b", file.read_text())
    }
    page = (ROOT / "docs/reference/python.md").read_text()
    assert parts <= set(re.findall(r"(?m)^::: (\S+)$", page))
