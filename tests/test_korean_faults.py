"""The app has Korean for whatever pydantic may find wrong with what our models take."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic_core import core_schema
from pydantic_core._pydantic_core import list_all_errors

from api.main import create_app
from models.catalog import specs

ROOT: Final = Path(__file__).resolve().parent.parent
STRINGS: Final = ROOT / "frontend/src/strings/ko"

_BOUNDS: Final = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")
_LENGTHS: Final = ("too_short", "too_long")
_OURS: Final = ("value_error", "assertion_error")
# By kinds of schemas, what pydantic calls the faults of values that JSON and addresses can bring.
FAULTS: Final[dict[str, tuple[str, ...]]] = {
    "bool": ("bool_type", "bool_parsing"),
    "date": (
        "date_type", "date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact",
    ),
    "datetime": (
        "datetime_type", "datetime_parsing", "datetime_object_invalid",
        "datetime_from_date_parsing",
    ),
    "dict": ("dict_type", *_LENGTHS),
    "enum": ("enum",),
    "float": ("float_type", "float_parsing", "finite_number", *_BOUNDS),
    "function-after": _OURS,
    "function-before": _OURS,
    "function-plain": _OURS,
    "int": (
        "int_type", "int_parsing", "int_parsing_size", "int_from_float", "multiple_of", *_BOUNDS,
    ),
    "is-instance": ("is_instance_of",),
    "list": ("list_type", *_LENGTHS),
    "literal": ("literal_error",),
    "model": ("model_type", "model_attributes_type"),
    "model-fields": ("missing", "extra_forbidden"),
    "str": (
        "string_type", "string_unicode", "string_too_short", "string_too_long",
        "string_pattern_mismatch",
    ),
    "tuple": ("tuple_type", *_LENGTHS),
    "uuid": ("uuid_type", "uuid_parsing", "uuid_version"),
}  # fmt: skip
# Schemas that only hold others, or take whatever comes.
HOLDERS: Final = frozenset({
    "any", "computed-field", "default", "definition-ref", "definitions", "json-or-python",
    "lax-or-strict", "model-field", "no-info", "nullable", "union", "with-info",
})  # fmt: skip
# Of a body, before any model sees it.
OF_BODIES: Final = frozenset({"json_invalid"})


def _models(base: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    for one in base.__subclasses__():
        if one.__module__.partition(".")[0] in {"api", "core", "models"}:
            yield one
        yield from _models(one)


def _kinds(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(kind := schema.get("type"), str):
            yield kind
        for name, value in schema.items():
            if name != "metadata":
                yield from _kinds(value)
    elif isinstance(schema, list | tuple):
        for value in schema:
            yield from _kinds(value)


def test_every_fault_that_our_models_can_find_has_korean() -> None:
    # Loads what there is of models.
    assert create_app().routes
    assert all(spec.params for spec in specs())
    kinds = {kind for model in _models() for kind in _kinds(model.__pydantic_core_schema__)}
    assert kinds - FAULTS.keys() - HOLDERS == set()
    possible = {fault for kind in kinds & FAULTS.keys() for fault in FAULTS[kind]} | OF_BODIES
    assert possible <= set(get_args(core_schema.ErrorType))
    korean = json.loads((STRINGS / "faults.json").read_text())
    assert possible - set(_OURS) - korean.keys() == set()
    assert korean.keys() - possible == set()


# What only programs can send: no page does.
OF_PROGRAMS: Final = frozenset({
    "Give class_id or label with the verdict label, and with no other.",
    "Give ids or filters, and not both.",
    "Give spend_at_most, or finish, and not both.",
    "Give undoes with the verdict skip, and with no other.",
    "a box is an object that names its class, and knows no queries",
    "a label is an object with a type",
    "a ranking ranks at least one row",
    "class_id and label name different classes; send one of them",
    "class_id goes with the decision 'other', and with no other one",
    "class_id or label goes with verdict 'label', and only with it",
    "each row stands once in order or in wrong",
    "there is no task type {}",
})  # fmt: skip
# Read where a process starts, or where packages are found.
OF_OPERATORS: Final = frozenset({
    "api/oidc/client.py", "core/settings/addresses.py", "core/settings/installation.py",
    "core/settings/sign_in.py",
})  # fmt: skip


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return str(node.value) if isinstance(node, ast.Constant) else ""


def test_every_check_of_our_models_has_korean() -> None:
    assert all((ROOT / one).is_file() for one in OF_OPERATORS)
    said = {
        _text(node.exc.args[0])
        for folder in ("api", "core", "models/catalog")
        for path in (ROOT / folder).rglob("*.py")
        if str(path.relative_to(ROOT)) not in OF_OPERATORS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and ast.unparse(node.exc.func) == "ValueError"
    }
    said = {one for one in said if not one.startswith("The task type ")}
    assert said > OF_PROGRAMS
    korean = json.loads((STRINGS / "refusals.json").read_text())
    assert said - OF_PROGRAMS - korean.keys() == set()


def test_what_varies_in_a_fault_is_filled_in() -> None:
    known = {one["type"]: one["example_context"] or {} for one in list_all_errors()}
    for kind, sentence in json.loads((STRINGS / "faults.json").read_text()).items():
        assert set(re.findall(r"\{(\w+)\}", sentence)) <= set(known[kind]), kind
