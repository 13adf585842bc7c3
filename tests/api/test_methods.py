"""What an address says to methods that it does not know, and to HEAD, which asks what GET would."""

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from api.main import create_app
from core.settings import Settings
from core.tables import Audit
from tests.security.policy import operations
from tests.security.targets import CALLS, Call, target
from tests.world import World

METHODS = ("PUT", "DELETE", "PATCH", "POST", "GET")
# Addresses that are opened in other programs, which look with HEAD before they fetch.
LOOKED_AT = {
    "example_image", "linked_image", "artifact_content", "import_report", "healthz",
    "readyz",
}  # fmt: skip


@pytest.fixture(scope="module", params=["with pages", "without pages"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """An application with a built frontend, and one without; neither gets as far as a database."""
    directory = tmp_path_factory.mktemp("dist")
    if request.param == "with pages":
        (directory / "index.html").write_text("<title>Karat</title>")
    return TestClient(create_app(Settings(data_dir=directory, frontend_dir=directory)))


def known_methods(schema: dict[str, Any], url: str) -> set[str]:
    """Methods of all operations whose path is, or has a parameter for, what ``url`` says."""
    found = {
        method
        for method, path in operations(schema).values()
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), url)
    }
    looked = {path for name, (_, path) in operations(schema).items() if name in LOOKED_AT}
    return found | {"HEAD" for path in looked if re.sub(r"\{\w+\}", "1", path) == url}


def test_a_wrong_method_is_told_which_are_right(served: TestClient) -> None:
    schema: dict[str, Any] = served.get("/api/openapi.json").json()
    wrong = []
    for path in schema["paths"]:
        url = re.sub(r"\{\w+\}", "1", path)
        known = known_methods(schema, url)
        method = next(one for one in METHODS if one not in known)
        answer = served.request(method, url)
        allowed = set(answer.headers.get("Allow", "").split(", "))
        if (answer.status_code, answer.json()["code"]) != (405, "method_not_allowed"):
            wrong.append(f"{method} {url}: {answer.status_code}")
        elif not answer.json()["detail"].startswith(f"{method} is not for this address; it takes "):
            wrong.append(f"{method} {url}: {answer.json()['detail']}")
        elif allowed != known:
            wrong.append(f"{method} {url}: Allow is {allowed}, and not {known}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/api/nothing/here", "/api/version/", "//api/version"])
def test_an_address_that_is_none_of_the_api_is_not_found(
    served: TestClient, method: str, path: str
) -> None:
    answer = served.request(method, f"http://karat.test{path}", follow_redirects=False)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_head_says_what_get_would(http: TestClient, world: World) -> None:
    own, admin = target(world), world.caller()
    world.session.commit()
    known = operations(http.get("/api/openapi.json").json())
    for name in LOOKED_AT:
        call = CALLS.get(name, Call())
        found = call.before(world, own)
        url = f"{known[name][1].format(**found.values)}?{call.query(found)}"
        head, got = (http.request(how, url, headers=admin.headers) for how in ("HEAD", "GET"))
        assert got.status_code == head.status_code == 200, (name, head.status_code, got.text)
        assert head.content == b""
        assert got.content != b""
        said = [
            {header: value for header, value in answer.headers.items() if header != "x-request-id"}
            for answer in (head, got)
        ]
        assert said[0] == said[1], name
        stranger = http.head(url.partition("?")[0])
        assert stranger.status_code == http.get(url.partition("?")[0]).status_code
    verbs = world.session.execute(select(Audit.verb, func.count()).group_by(Audit.verb)).all()
    # What was only looked at has not left.
    assert dict(verbs) == {"download": 1}
