"""Classes that an import brings with it: names in its plan that no class of the project has."""

import re
from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from core.tasks.class_lookup import folded
from karat.terminal import echo, job_bar

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

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
        now = project.get()
        names = new_classes(plan, [one["name"] for one in now["classes"]])
        if names:
            kept = [{"id": one["id"], "name": one["name"]} for one in now["classes"]]
            project.update(
                classes=[*kept, *({"name": name} for name in names)],
                classes_version=now["classes_version"],
            )
        started = project.start_import(job["id"])
    except BaseException:
        # What cannot be removed now goes by itself, a day later.
        with suppress(KaratError):
            project.discard_import(job["id"])
        raise
    made = f"Classes made: {', '.join(names)}." if names else "It names no class that is not there."
    echo(made, err=as_json)
    return started


def new_classes(plan: "ImportPlan", known: "Collection[str]") -> list[str]:
    """Names of labels of what comes in that are no classes yet, in the order of the plan's list.

    Where there are no classes, names that are only listed are among them: without these, others
    get other numbers.

    Args:
        plan: Of the import.
        known: Names of the classes of the project.
    """
    ways: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group in plan["groups"]:
        if group["proposal"] == "leave_out":
            continue
        for label in group["labels"]:
            if not label["known"]:
                ways[folded(label["name"])][label["name"]] += label["count"]
    listed = {folded(name): name for name in plan.get("class_names", ())}
    places = {name: place for place, name in enumerate(listed)}
    if not known:
        for name, written in listed.items():
            ways.setdefault(name, Counter([written]))
    taken = NO_CLASS | {folded(name) for name in known}
    found = {name: ways[name].most_common(1)[0][0] for name in ways.keys() - taken}
    return [found[name] for name in sorted(found, key=lambda n: (places.get(n, len(places)), n))]


def lacks_classes(result: "Mapping[str, Any]") -> bool:
    """Whether ``new_classes`` of the same import would have given what labels were refused for.

    Args:
        result: Of the import.
    """
    # A plan tells no labels of rows about images that are there.
    noted = result.get("noted", ()) if result["added"] or result["duplicates"] else ()
    # Imports of an earlier version kept no counts.
    return any(_OF_NO_CLASS.match(one) for one in (*noted, *result.get("refused_by_reason", ())))
