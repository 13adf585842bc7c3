"""The reference of the HTTP API as Markdown, a page for each group of routes."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.states import Scope
from scripts.docs.schemas import Schemas, anchor, title
from tests.security.policy import POLICY, Policy

TITLES: Final = {
    "auth": "Logging in and tokens",
    "users": "Users",
    "projects": "Projects and members",
    "pools": "Images: import and read",
    "examples": "Images: find and act",
    "labeling": "Labeling",
    "guides": "Guides",
    "rounds": "Rounds",
    "maps": "Maps of rounds",
    "jobs": "Jobs",
    "subsets": "Subsets",
    "reviews": "Reviews",
    "agreement": "Agreement",
    "exports": "Exports",
    "artifacts": "Artifacts",
    "events": "Events",
    "home": "Home",
    "webhooks": "Webhooks",
    "weights": "Weights",
    "judges": "Judges",
    "algorithms": "Algorithms",
    "admin": "Administration",
    "health": "Health and version",
}
_WHO: Final = {
    "anybody": "anybody, also without logging in",
    "user": "everybody who is logged in",
    "engineer": "engineers and admins",
    "admin": "admins",
    "member": "members of the project, and admins",
    "staff": "engineers, whoever manages a project, and admins",
    "reviewer": "reviewers and managers of the project, and admins",
    "manager": "managers of the project, and admins",
}
_HEADER: Final = "| name | kind | default | meaning |\n|---|---|---|---|\n"
_JSON: Final = "application/json"
# As much of a body stands well in one line.
_WIDE: Final = 60
_IN_PATH: Final = re.compile(r"\{(\w+)\}")
# What stands for a part of a path in an example.
_PARTS: Final = {"project_id": "3", "example_id": "4267", "job_id": "14", "class_id": "9"}


@dataclass(frozen=True)
class Route:
    """One verb of one path."""

    method: str
    path: str
    operation: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.operation["operationId"])

    @property
    def policy(self) -> Policy:
        return POLICY[self.id]

    @property
    def parameters(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self.operation.get("parameters", ())
        return found

    @property
    def body(self) -> tuple[str, Mapping[str, Any]] | None:
        """Media type and schema of what is sent."""
        content = self.operation.get("requestBody", {}).get("content")
        if not content:
            return None
        media, described = next(iter(content.items()))
        return media, described["schema"]


def groups(document: Mapping[str, Any]) -> dict[str, list[Route]]:
    """All routes by their first tag, in the order of ``TITLES``; new tags come last."""
    found: dict[str, list[Route]] = defaultdict(list)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found[operation["tags"][0]].append(Route(method.upper(), path, operation))
    order = [tag for tag in TITLES if tag in found] + sorted(found.keys() - TITLES.keys())
    return {tag: found[tag] for tag in order}


def heading(tag: str) -> str:
    return TITLES.get(tag, tag.replace("_", " ").capitalize())


def index(document: Mapping[str, Any]) -> str:
    """The table of all routes, with a link to each."""
    lines = []
    for tag, routes in groups(document).items():
        lines += ["", f"## [{heading(tag)}]({tag}.md)", "", "| route | does |", "|---|---|"]
        for route in routes:
            said = sentence(route.operation)
            lines.append(f"| [`{route.method} {route.path}`]({tag}.md#{route.id}) | {said} |")
    return "\n".join(lines) + "\n"


def sentence(operation: Mapping[str, Any]) -> str:
    """What an operation does, in a sentence."""
    text = " ".join(operation.get("description", "").split())
    first = re.split(r"(?<=[.])\s", text, maxsplit=1)[0]
    return first or f"{operation['summary'].capitalize()}."


def page(tag: str, routes: Sequence[Route], schemas: Schemas) -> str:
    """The page of one group of routes."""
    parts = [f"# {heading(tag)}\n"]
    parts += ["\n".join(_route(route, schemas)) for route in routes]
    return "\n".join(parts)


def schemas_page(schemas: Schemas) -> str:
    """The page of all named schemas."""
    lines = ["# Schemas", "", "What requests and answers are made of."]
    for name in schemas.names():
        schema = schemas.resolve({"$ref": f"#/components/schemas/{name}"})
        lines += ["", f"## {title(name)} {{#{anchor(name)}}}", ""]
        if said := schema.get("description"):
            lines += [said, ""]
        if rows := list(schemas.rows(schema)):
            lines += [_HEADER + "\n".join(rows)]
        else:
            lines += [schemas.label(schema)]
    return "\n".join(lines) + "\n"


def _route(route: Route, schemas: Schemas) -> Iterator[str]:
    yield f"## {sentence(route.operation).rstrip('.')} {{#{route.id}}}"
    yield f'\n<span class="verb">{route.method}</span> `{route.path}`\n'
    text = route.operation.get("description", "").strip()
    if len(" ".join(text.split())) > len(sentence(route.operation)):
        yield text + "\n"
    scope = "" if route.policy.who == "anybody" else f" Token scope: `{route.policy.scope}`."
    yield f"**For** {_WHO[route.policy.who]}.{scope}\n"
    if route.parameters:
        rows = (
            schemas.row(
                one["name"],
                one["schema"],
                one["required"],
                one.get("description") or ("In the path." if one["in"] == "path" else ""),
            )
            for one in route.parameters
        )
        yield "**Parameters**\n\n" + _HEADER + "\n".join(rows) + "\n"
    yield from _body(route, schemas)
    yield from _answers(route, schemas)
    yield f"**Errors**: {', '.join(_errors(route))}; [what they mean](../../api.md#errors).\n"
    yield "```sh\n" + curl(route, schemas) + "\n```\n"
    shown = _answer_example(route, schemas)
    if shown:
        yield shown


def _body(route: Route, schemas: Schemas) -> Iterator[str]:
    if route.body is None:
        return
    media, schema = route.body
    rows = list(schemas.rows(schema))
    what = "a file" if media != _JSON else schemas.label(schema)
    yield f"**Body**, `{media}`: {what}\n"
    if rows:
        yield _HEADER + "\n".join(rows) + "\n"


def _answers(route: Route, schemas: Schemas) -> Iterator[str]:
    for status, answer in route.operation["responses"].items():
        if status.isdigit():
            found = _schema_of(answer)
            what = f": {schemas.label(found)}" if found else _without_schema(answer)
            yield f"**Answer** {status}{what}\n"


def _schema_of(answer: dict[str, Any]) -> dict[str, Any] | None:
    """Of an answer in JSON; one that may be a file of another kind, too, is a file."""
    content = answer.get("content", {})
    found: dict[str, Any] | None = content[_JSON].get("schema") if [*content] == [_JSON] else None
    return found


def _without_schema(answer: dict[str, Any]) -> str:
    return ": a file or a stream" if answer.get("content") else ", without a body"


def _errors(route: Route) -> Iterator[str]:
    who, scope = route.policy.who, route.policy.scope
    if route.method in {"POST", "PUT", "PATCH", "DELETE"}:
        yield "400 and 409 by state and value"
    if who != "anybody":
        yield "401 `unauthenticated`"
    if who in {"admin", "engineer", "manager"} or scope is not Scope.READ:
        yield "403"
    if "{" in route.path:
        yield "404 `not_found`"
    if route.body and route.body[0] != _JSON:
        yield "413 `too_large`"
    if route.parameters or route.body:
        yield "422 `malformed`"
    yield "503 `unavailable`"


def body_example(route: Route, schemas: Schemas) -> Any:
    """A body that the route takes; None where it takes none or a file."""
    if route.body is None or route.body[0] != _JSON:
        return None
    schema = schemas.resolve(route.body[1])
    required = set(schema.get("required", ()))
    everything = schemas.example(schema)
    if not isinstance(everything, dict):
        return everything
    # What has a default, and may be null, would only hide what one has to send.
    return {key: value for key, value in everything.items() if key in required} or everything


def curl(route: Route, schemas: Schemas) -> str:
    """A command that calls the route."""
    path = _IN_PATH.sub(lambda part: _PARTS.get(part[1], "1"), route.path)
    needed = [one for one in route.parameters if one["in"] == "query" and one["required"]]
    query = "&".join(
        f"{one['name']}={schemas.example(one['schema'], one['name'])}" for one in needed
    )
    address = f'"$KARAT{path}?{query}"' if query else f"$KARAT{path}"
    words = ["curl"] + ([] if route.method == "GET" else ["-X", route.method])
    if route.policy.who != "anybody":
        words += ["-H", '"Authorization: Bearer $TOKEN"']
    if route.body is None:
        return " ".join([*words, address])
    media = route.body[0]
    words += ["\\\n   ", "-H", f"'Content-Type: {media}'"]
    if media != _JSON:
        return " ".join([*words, "-T", "FILE", "\\\n   ", address])
    body = body_example(route, schemas)
    sent = json.dumps(body, ensure_ascii=False)
    if len(sent) > _WIDE:
        sent = json.dumps(body, ensure_ascii=False, indent=2)
    return " ".join([*words, "\\\n   ", address, "\\\n   ", "-d", f"'{sent}'"])


def _answer_example(route: Route, schemas: Schemas) -> str:
    for status, answer in route.operation["responses"].items():
        schema = _schema_of(answer)
        if status.isdigit() and schema:
            value = json.dumps(schemas.example(schema), indent=2, ensure_ascii=False)
            lines = ['??? example "Answer"', "", "```json", *value.splitlines(), "```"]
            return "\n".join(f"    {line}" if number else line for number, line in enumerate(lines))
    return ""
