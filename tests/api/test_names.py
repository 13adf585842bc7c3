"""What people may call things: one line of text, in any language."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.world import World

PASSWORD = "correct horse battery"
NAMED: dict[str, dict[str, Any]] = {
    "projects": {"classes": [{"name": "cat"}]},
    "tokens": {},
    "users": {"email": "ada@example.org", "password": PASSWORD},
    "judges": {"base_url": "http://127.0.0.1:9/v1", "model": "small"},
}


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "a\nb", "a\tb", "a\x7fb", "a\u2028b", "a\x9bb"])
def test_nothing_is_called_by_what_moves_a_terminal(
    http: TestClient, world: World, name: str
) -> None:
    admin = world.caller()
    for path, rest in NAMED.items():
        refused = http.post(f"/api/{path}", json={**rest, "name": name}, headers=admin.headers)
        assert refused.status_code == 422, path
        assert [one["field"] for one in refused.json()["errors"]] == ["name"], path
    named = {"name": "Birds", "classes": [{"name": name}]}
    refused = http.post("/api/projects", json=named, headers=admin.headers)
    assert [one["field"] for one in refused.json()["errors"]] == ["classes.0.name"]


@pytest.mark.parametrize(
    "name",
    ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "👩\u200d🔬", "Ü  ü", "새"],
)
def test_names_of_all_languages_are_kept(http: TestClient, world: World, name: str) -> None:
    admin = world.caller()
    # Where a judge is, is looked up, which is nothing of its name.
    for path, rest in list(NAMED.items())[:-1]:
        made = http.post(f"/api/{path}", json={**rest, "name": name}, headers=admin.headers)
        assert made.status_code == 201, (path, made.text)
        assert (made.json().get("token") or made.json())["name"] == name
