"""Who may call what: one row for every route, checked by calling it and printed in the docs.

A new route needs a row in ``POLICY``. After that, ``python -m tests.security.policy`` writes the
table in ``docs/security.md`` again.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.states import ProjectRole, Role, Scope

Who = Literal["anybody", "user", "engineer", "staff", "admin", "member", "reviewer", "manager"]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"
_MARKS = ("<!-- matrix begins -->\n", "<!-- matrix ends -->\n")


@dataclass(frozen=True)
class Policy:
    """Who may call a route, and what an API token needs for it.

    Attributes:
        who: ``anybody`` without logging in; every ``user``; every ``engineer`` or admin; ``staff``,
            who are these and whoever manages some project; an ``admin``; a ``member`` of the
            project in the path, one who is at least its ``reviewer``, its ``manager``; and admins.
        scope: The least scope of a token that may.
    """

    who: Who
    scope: Scope = Scope.READ


@dataclass(frozen=True)
class Column:
    """Somebody who calls: by the role of their account, and in the project that the path leads to.

    Without a role in it they are a member of another project.
    """

    title: str
    role: Role | None
    member: ProjectRole | None = None


COLUMNS = (
    Column("not logged in", None),
    Column("other project", Role.ANNOTATOR),
    Column("annotator", Role.ANNOTATOR, ProjectRole.ANNOTATOR),
    Column("reviewer", Role.ANNOTATOR, ProjectRole.REVIEWER),
    Column("manager", Role.ANNOTATOR, ProjectRole.MANAGER),
    Column("engineer, other project", Role.ENGINEER),
    Column("engineer, annotator here", Role.ENGINEER, ProjectRole.ANNOTATOR),
    Column("admin", Role.ADMIN),
)
_LEAST = {
    "member": ProjectRole.ANNOTATOR,
    "reviewer": ProjectRole.REVIEWER,
    "manager": ProjectRole.MANAGER,
}

_WRITE, _LABEL, _ADMIN = Scope.WRITE, Scope.LABEL, Scope.ADMIN

# By operation id, which is the name of the function that answers the route.
POLICY: dict[str, Policy] = {
    # Logging in, the account, people
    "log_in": Policy("anybody"),
    "log_out": Policy("anybody"),
    "me": Policy("user"),
    "change_password": Policy("user", _ADMIN),
    "sign_in_methods": Policy("anybody"),
    "start_single_sign_on": Policy("anybody"),
    "finish_single_sign_on": Policy("anybody"),
    "end_single_sign_on": Policy("anybody"),
    "list_sessions": Policy("user"),
    "end_other_sessions": Policy("user", _ADMIN),
    "end_session": Policy("user", _ADMIN),
    "show_second_factor": Policy("user"),
    "begin_second_factor": Policy("user", _ADMIN),
    "confirm_second_factor": Policy("user", _ADMIN),
    "renew_recovery_codes": Policy("user", _ADMIN),
    "remove_second_factor": Policy("user", _ADMIN),
    "list_tokens": Policy("user"),
    "create_token": Policy("user", _ADMIN),
    "revoke_token": Policy("user", _ADMIN),
    "list_users": Policy("staff"),
    "create_user": Policy("admin", _ADMIN),
    "list_activity": Policy("admin"),
    "update_user": Policy("admin", _ADMIN),
    "reset_password": Policy("admin", _ADMIN),
    "unlock_user": Policy("admin", _ADMIN),
    "reset_second_factor": Policy("admin", _ADMIN),
    "erase_user": Policy("admin", _ADMIN),
    "export_user": Policy("admin", _ADMIN),
    # The installation
    "list_audit": Policy("admin", _ADMIN),
    "export_audit": Policy("admin", _ADMIN),
    "stream_audit": Policy("admin", _ADMIN),
    "list_retention": Policy("admin", _ADMIN),
    "show_storage": Policy("admin", _ADMIN),
    "list_all_tokens": Policy("admin", _ADMIN),
    "list_workers": Policy("admin", _ADMIN),
    "forget_worker": Policy("admin", _ADMIN),
    "list_weights": Policy("staff"),
    "show_weights": Policy("staff"),
    "add_weights": Policy("admin", _WRITE),
    "delete_weights": Policy("admin", _WRITE),
    "list_judges": Policy("staff"),
    "show_judge": Policy("staff"),
    "create_judge": Policy("admin", _WRITE),
    "update_judge": Policy("admin", _WRITE),
    "delete_judge": Policy("admin", _WRITE),
    "try_judge": Policy("admin", _WRITE),
    "list_algorithms": Policy("user"),
    "default_settings": Policy("user"),
    "show_home": Policy("user"),
    "show_version": Policy("anybody"),
    "healthz": Policy("anybody"),
    "readyz": Policy("anybody"),
    # Projects
    "list_projects": Policy("user"),
    "create_project": Policy("engineer", _WRITE),
    "show_project": Policy("member"),
    "update_project": Policy("manager", _WRITE),
    "delete_project": Policy("admin", _WRITE),
    "show_retention": Policy("manager"),
    "set_retention": Policy("admin", _WRITE),
    "start_project": Policy("manager", _WRITE),
    "pause_project": Policy("manager", _WRITE),
    "resume_project": Policy("manager", _WRITE),
    "list_members": Policy("manager"),
    "add_member": Policy("manager", _WRITE),
    "remove_member": Policy("manager", _WRITE),
    "project_events": Policy("member"),
    "list_events": Policy("user"),
    "show_agreement": Policy("reviewer"),
    "export": Policy("manager"),
    "list_exported_classes": Policy("manager"),
    "list_export_formats": Policy("manager"),
    # The pool
    "import_images": Policy("manager", _WRITE),
    "import_bucket": Policy("manager", _WRITE),
    "import_locations": Policy("staff"),
    "start_import": Policy("manager", _WRITE),
    "discard_import": Policy("manager", _WRITE),
    "show_disk": Policy("staff"),
    "list_imports": Policy("manager"),
    "list_predictions": Policy("manager"),
    "remove_predictions": Policy("manager", _WRITE),
    "import_report": Policy("manager"),
    "list_examples": Policy("reviewer"),
    "count_examples": Policy("reviewer"),
    "show_example": Policy("reviewer"),
    "example_neighbours": Policy("reviewer"),
    "list_fields": Policy("reviewer"),
    "list_field_values": Policy("reviewer"),
    "list_look_alikes": Policy("reviewer"),
    "look_up": Policy("reviewer", _WRITE),
    "show_words": Policy("reviewer"),
    "find_by_words": Policy("reviewer", _WRITE),
    "look_at_example": Policy("reviewer", _WRITE),
    "send_to_queue": Policy("manager", _WRITE),
    "take_from_queue": Policy("manager", _WRITE),
    "hold_out": Policy("manager", _WRITE),
    "release_examples": Policy("manager", _WRITE),
    "promote_examples": Policy("manager", _WRITE),
    "judge_examples": Policy("reviewer", _WRITE),
    "list_duplicates": Policy("reviewer"),
    "hold_out_copies": Policy("manager", _WRITE),
    "example_image": Policy("member"),
    "example_link": Policy("manager", _WRITE),
    "linked_image": Policy("anybody"),
    # Labeling and reviewing
    "lease": Policy("member", _LABEL),
    "answer": Policy("member", _LABEL),
    "release": Policy("member", _LABEL),
    "status": Policy("member"),
    "recent": Policy("member"),
    "between_rounds": Policy("member"),
    "show_guides": Policy("member"),
    "pin_examples": Policy("manager", _WRITE),
    "list_reviews": Policy("member"),
    "show_review": Policy("member"),
    "lease_suggestions": Policy("member", _LABEL),
    "recent_decisions": Policy("member"),
    "estimate_review": Policy("member"),
    "audit_review": Policy("reviewer", _WRITE),
    "decide": Policy("member", _LABEL),
    "revert_review": Policy("manager", _WRITE),
    # Rounds, jobs and what they leave
    "list_rounds": Policy("reviewer"),
    "show_round": Policy("reviewer"),
    "close_round": Policy("manager", _WRITE),
    "retry_round": Policy("manager", _WRITE),
    "estimate_round": Policy("manager", _WRITE),
    "show_audit": Policy("reviewer"),
    "ask_audit": Policy("manager", _WRITE),
    "show_outlook": Policy("reviewer"),
    "list_comparable": Policy("reviewer"),
    "list_maps": Policy("reviewer"),
    "map_surface": Policy("reviewer"),
    "map_queries": Policy("reviewer"),
    "map_tile": Policy("reviewer"),
    "map_images": Policy("reviewer"),
    "map_image": Policy("reviewer"),
    "show_embedding_map": Policy("reviewer"),
    "embedding_map_tile": Policy("reviewer"),
    "embedding_map_colours": Policy("reviewer"),
    "embedding_map_image": Policy("reviewer"),
    "list_jobs": Policy("user"),
    "start_job": Policy("manager", _WRITE),
    "show_job": Policy("reviewer"),
    "show_log": Policy("reviewer"),
    "cancel_job": Policy("manager", _WRITE),
    "retry_job": Policy("manager", _WRITE),
    "resume_job": Policy("manager", _WRITE),
    "list_artifacts": Policy("reviewer"),
    "artifact_content": Policy("manager"),
    "list_subsets": Policy("reviewer"),
    "compare_subsets": Policy("reviewer"),
    "export_subset": Policy("manager"),
    "show_selection": Policy("reviewer"),
    "list_clusters": Policy("reviewer"),
    "list_selected": Policy("reviewer"),
    "compare_selections": Policy("reviewer"),
    "export_selection": Policy("manager"),
    # Data sets as they were
    "begin_certificate": Policy("manager", _WRITE),
    "list_certificates": Policy("reviewer"),
    "show_certificate": Policy("reviewer"),
    "apply_certificate": Policy("manager", _WRITE),
    "revoke_certificate": Policy("manager", _WRITE),
    "report_certificate": Policy("reviewer"),
    "preview_withdrawal": Policy("manager", _WRITE),
    "withdraw_examples": Policy("manager", _WRITE),
    "list_withdrawals": Policy("manager"),
    "show_withdrawal": Policy("manager"),
    "create_snapshot": Policy("manager", _WRITE),
    "list_snapshots": Policy("manager"),
    "show_snapshot": Policy("manager"),
    "delete_snapshot": Policy("manager", _WRITE),
    "compare_snapshots": Policy("manager"),
    # Telling other programs
    "list_webhooks": Policy("manager"),
    "create_webhook": Policy("manager", _WRITE),
    "show_webhook": Policy("manager"),
    "update_webhook": Policy("manager", _WRITE),
    "delete_webhook": Policy("manager", _WRITE),
    "rotate_webhook_secret": Policy("manager", _WRITE),
    "test_webhook": Policy("manager", _WRITE),
    "list_deliveries": Policy("manager"),
    "redeliver": Policy("manager", _WRITE),
    # Following places of buckets
    "list_syncs": Policy("manager"),
    "create_sync": Policy("manager", _WRITE),
    "update_sync": Policy("manager", _WRITE),
    "delete_sync": Policy("manager", _WRITE),
    "run_sync": Policy("manager", _WRITE),
    "list_sync_objects": Policy("manager"),
    "list_all_webhooks": Policy("admin", _ADMIN),
    "create_webhook_for_all": Policy("admin", _ADMIN),
}


def allowed(who: Who, column: Column) -> bool:
    """Whether the table lets ``column`` call a route of ``who``."""
    if who == "anybody" or column.role is Role.ADMIN:
        return True
    if column.role is None or who == "admin":
        return False
    if who in {"engineer", "staff"}:
        manages = column.member is ProjectRole.MANAGER
        return column.role is Role.ENGINEER or (who == "staff" and manages)
    return who == "user" or column.member in _LEAST[who].and_above


def operations(schema: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Method and path of every operation of an OpenAPI document, by its id."""
    return {
        operation["operationId"]: (method.upper(), path)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }


def table(schema: dict[str, Any]) -> str:
    """The matrix in Markdown, in the order of ``POLICY``."""
    known = operations(schema)
    lines = [
        "| route | " + " | ".join(column.title for column in COLUMNS) + " | token scope |",
        "|---|" + ":-:|" * len(COLUMNS) + "---|",
    ]
    for name, policy in POLICY.items():
        if name in known:
            method, path = known[name]
            cells = ["yes" if allowed(policy.who, column) else "–" for column in COLUMNS]
            scope = "none" if policy.who == "anybody" else f"`{policy.scope}`"
            lines.append(f"| `{method} {path}` | {' | '.join(cells)} | {scope} |")
    return "\n".join(lines) + "\n"


def with_table(page: str, schema: dict[str, Any]) -> str:
    """``page`` with the matrix between its marks."""
    begin, end = map(re.escape, _MARKS)
    return re.sub(f"(?s){begin}.*{end}", lambda _: table(schema).join(_MARKS), page, count=1)


def main() -> None:
    from api.main import create_app

    PAGE.write_text(with_table(PAGE.read_text(), create_app().openapi()))


if __name__ == "__main__":
    main()
