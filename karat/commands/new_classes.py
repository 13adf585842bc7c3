"""Classes that an import brings with it: names in its plan that no class of the project has."""

import re
from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

from core.tasks.class_lookup import folded
from karat.progress import job_bar
from karat.terminal import echo

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from karat.client.client import Client
    from karat.client.project import ProjectClient
    from karat.client.resources import Job
    from karat.client.results import ImportPlan

NO_CLASS = frozenset({"ood", "unsure", "skip"})
"""What labels, folders and people say where an image has no class."""
# What is said of a label that no class has: of a folder, the column of labels, a document.
_OF_NO_CLASS = re.compile(
    r"""(?!.*it may be any of )(?:label ['"].* is not|a label is not taken: """
    r"(?:(?:label|class_name) says .*: neither|.*, which is not)) a class of the project"
)
# What a project may have.
_MOST_CLASSES: Final = 1000
_DIGITS: Final = re.compile(r"(\d+)")


def start_with_classes(
    client: "Client", project: "ProjectClient", job: "Job", as_json: bool
) -> "Job":
    """Wait for the plan of an import, make classes of the names in it, and start the import.

    Args:
        client: The connection.
        project: The project.
        job: The dry run.
        as_json: Whether the output is for programs, so that what was made is told on stderr.

    Returns:
        The job of the import.
    """
    from karat.client.transport import KaratError

    try:
        with job_bar() as on_progress:
            plan = cast("ImportPlan", client.wait(job["id"], on_progress)["result"])
    except BaseException:
        # What cannot be removed now goes by itself, a day later.
        with suppress(KaratError):
            project.discard_import(job["id"])
        raise
    try:
        now = project.get()
        names = new_classes(plan, [one["name"] for one in now["classes"]])
        if names:
            kept = [{"id": one["id"], "name": one["name"]} for one in now["classes"]]
            project.update(
                classes=[*kept, *({"name": name} for name in names)],
                classes_version=now["classes_version"],
            )
        started = project.start_import(job["id"])
    except KaratError:
        echo(
            f"What was sent waits in the list of imports as job {job['id']}, for a day at most: "
            "start or discard it there.",
            err=True,
        )
        raise
    made = f"Classes made: {', '.join(names)}." if names else "It names no class that is not there."
    echo(made, err=as_json)
    return started


def label_hints(plan: "ImportPlan", classes: "Collection[str]") -> "Iterator[str]":
    """What would let more labels in than a plan has.

    Args:
        plan: What an import would do.
        classes: Names of the project's classes.

    Yields:
        Sentences that name an option each.
    """
    if new_classes(plan, classes):
        yield "Names that are no class become classes with --add-classes."
    roles = plan.get("columns") or {}
    lacks = any(one["proposal"] == "evaluation" and not one["labels"] for one in plan["groups"])
    columns = [one["column"] for one in plan["labels"] if not one["stated"]]
    if roles and "label" not in roles and lacks and columns:
        yield (
            "Evaluation images need labels; say which column holds them with --label-column: "
            f"{', '.join(columns)}."
        )


def new_classes(plan: "ImportPlan", known: "Collection[str]") -> list[str]:
    """Names of labels of pool and evaluation that are no classes yet: those listed, then others.

    Where there are no classes, names that are only listed are among them: without these, others
    get other numbers.

    Args:
        plan: Of the import.
        known: Names of the classes of the project.
    """
    ways: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group in plan["groups"]:
        # A folder that is a class says no split.
        place = plan["split"] if group["proposal"] == "class" else group["proposal"]
        if place not in {"pool", "evaluation"}:
            continue
        for label in group["labels"]:
            if not label["known"]:
                ways[folded(label["name"])][label["name"]] += label["count"]
    listed = {folded(name): name for name in plan.get("class_names", ())}
    places = {name: place for place, name in enumerate(listed)}
    if not known and len(listed.keys() | ways.keys()) <= _MOST_CLASSES:
        for name, written in listed.items():
            ways.setdefault(name, Counter([written]))
    taken = NO_CLASS | {folded(name) for name in known}
    found = {name: ways[name].most_common(1)[0][0] for name in ways.keys() - taken}
    order = {name: (places.get(name, len(places)), _by_numbers(name), name) for name in found}
    return [found[name] for name in sorted(found, key=order.__getitem__)]


def _by_numbers(name: str) -> list[str | int]:
    """For an order in which 2 is before 10."""
    parts = enumerate(_DIGITS.split(name))
    return [int(part) if place % 2 else part for place, part in parts]


def lacks_classes(result: "Mapping[str, Any]") -> bool:
    """Whether ``new_classes`` of the same import would have given what labels were refused for.

    Args:
        result: Of the import.
    """
    # A plan tells no labels of rows about images that are there.
    noted = result.get("noted", ()) if result["added"] or result["duplicates"] else ()
    # Imports of an earlier version kept no counts.
    return any(_OF_NO_CLASS.match(one) for one in (*noted, *result.get("refused_by_reason", ())))
