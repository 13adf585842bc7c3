"""What the Python client has of the HTTP API: all that is not said to be left to others."""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from karat import Client, KaratError
from karat.client.project import ProjectClient
from tests.receiver import Received, receiver, status
from tests.security.policy import operations

ROOT: Final = Path(__file__).resolve().parents[2]
NOT_IN_CLIENT: Final = {
    "people sign in with a browser, programs have a token": {
        "sign_in_methods", "log_out", "list_sessions", "end_session", "end_other_sessions",
        "start_single_sign_on", "finish_single_sign_on", "end_single_sign_on", "change_password",
        "show_second_factor", "begin_second_factor", "confirm_second_factor",
        "remove_second_factor", "renew_recovery_codes",
    },
    "pages are looked at": {
        "show_home", "between_rounds", "list_activity", "list_comparable", "show_words",
        "list_maps", "map_surface", "map_tile", "map_queries", "map_images", "map_image",
        "show_embedding_map", "embedding_map_tile", "embedding_map_colours", "embedding_map_image",
        "show_guides", "pin_examples",
    },
    "the pages of admins, beside users, webhooks, retention and the whole audit log": {
        "list_audit", "export_audit", "list_all_tokens", "show_storage", "show_disk",
        "list_workers", "forget_worker",
    },
    "webhooks tell programs": {"list_events", "project_events"},
    "whoever calls it has no account": {"linked_image", "healthz", "readyz"},
    "`rounds` has it": {"show_round"},
    "a refused import says it": {"import_locations"},
}  # fmt: skip


def _arguments(method: Callable[..., Any], file: Path) -> dict[str, Any]:
    """Something for each argument that a method needs."""
    given: dict[str, Any] = {}
    for name, one in inspect.signature(method).parameters.items():
        kind = str(one.annotation)
        if name in {"path", "file"}:
            given[name] = file
        elif one.default is one.empty and one.kind is not one.VAR_KEYWORD:
            given[name] = [] if "Sequence" in kind else 1 if re.search(r"\bint\b", kind) else "x"
    return given


def _ask(part: Any, file: Path) -> None:
    """Call every method of a part of the client, and of the parts that it leads to."""
    for name in dir(type(part)):
        if name.startswith("_") or name == "close":
            continue
        found = getattr(part, name)
        if callable(found):
            with suppress(KaratError):
                found = found(**_arguments(found, file))
                if isinstance(found, Iterator):
                    next(found)
        if hasattr(found, "_transport"):
            _ask(found, file)


def _operation(one: Received, described: dict[str, tuple[str, str]]) -> str:
    """Which of the API's operations a request is."""
    path = one.path.removeprefix("/karat").partition("?")[0]
    fitting = {
        template.count("{"): name
        for name, (method, template) in described.items()
        if method == one.method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
    }
    assert fitting, f"The API has no {one.method} {path}."
    return fitting[min(fitting)]


def test_every_operation_is_in_the_client_or_left_out_for_a_reason(tmp_path: Path) -> None:
    described = operations(json.loads((ROOT / "frontend/openapi.json").read_text()))
    file = tmp_path / "images.parquet"
    file.write_bytes(b"PAR1")
    with receiver() as there, Client(there.url, "karat_token", retry_seconds=0) as client:
        there.answers = [status(404, b'{"code": "not_found", "detail": "It is not here."}')] * 1000
        _ask(client, file)
        _ask(ProjectClient(client._transport, 1), file)
    asked = {_operation(one, described) for one in there.received}
    left_out = [name for names in NOT_IN_CLIENT.values() for name in names]
    assert sorted(described.keys() - asked) == sorted(left_out)
