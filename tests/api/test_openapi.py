"""The committed API description, from which the browser's types are made."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts import client_types

ROOT = Path(__file__).resolve().parent.parent.parent


def test_committed_description_is_that_of_the_api() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "api.openapi"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    committed = (ROOT / "frontend" / "openapi.json").read_text()
    assert committed == printed, "run: make openapi"
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


def test_types_of_the_python_client_are_those_of_the_description() -> None:
    for path, text in client_types.written(described()):
        assert path.read_text() == text, "run: make openapi"


def test_what_the_description_gains_reaches_the_python_client() -> None:
    description = described()
    schemas = description["components"]["schemas"]
    schemas["UserOut"]["properties"]["team"] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    schemas["AnswerIn"]["properties"]["remark"] = {"type": "string"}
    resources, *_ = client_types.written(description)
    assert "    team: str | None\n" in resources[1]
    assert "    remark: NotRequired[str]\n" in resources[1]
    schemas["UserOut"]["properties"]["home"] = {"$ref": "#/components/schemas/PlaceOut"}
    with pytest.raises(SystemExit, match="PlaceOut has no name in the client"):
        list(client_types.written(description))
