"""Every algorithm that a project can choose, and the jobs that can be started for it. Torch-free.

The API lists and validates from here.

Adding one: its file, an entry with its group in `models/catalog/entries/`, a page in
`docs/algorithms/`, a reference test, and Korean for its words in
`frontend/src/strings/ko/catalog.json`.
Packages of third parties add entries through the entry-point group `karat.algorithms`; each entry
point names a `Spec` or an iterable of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from models.catalog.entries.informativeness import INFORMATIVENESS
from models.catalog.entries.instructions import INSTRUCTION_SELECTION
from models.catalog.entries.jobs import JOBS
from models.catalog.entries.learners import LEARNERS
from models.catalog.entries.networks import MODELS
from models.catalog.entries.pruning import PRUNING
from models.catalog.entries.purity import PURITY
from models.catalog.entries.strategies import STRATEGIES
from models.catalog.faults import InvalidParams, fault_of
from models.catalog.spec import Choosable, Group, Kind, Spec
from models.errors import ModelError

__all__ = [
    "DEFAULTS_OF_TASK",
    "DEFAULT_MODEL",
    "ENTRY_POINT_GROUP",
    "Choosable",
    "Group",
    "Kind",
    "Spec",
    "find",
    "networks_of",
    "parse",
    "require_served",
    "specs",
    "suited",
    "validate",
]

ENTRY_POINT_GROUP = "karat.algorithms"

DEFAULT_MODEL: Mapping[str, str] = {"image": "auto", "text": "auto_text"}
"""The model that a new project of each medium begins with."""

DEFAULTS_OF_TASK: Mapping[str, Mapping[str, str]] = {
    "boxes": {"model": "fcos", "informativeness": "box_entropy"}
}
"""What a new project of a task begins with instead, by kind."""

# Not "job": which kinds of jobs there are is part of the database.
_OPEN_KINDS = tuple(kind for kind in get_args(Kind) if kind != "job")


@cache
def specs() -> tuple[Spec, ...]:
    """Return every algorithm, built-in first.

    Raises:
        ModelError: a third-party entry is no `Spec`, or takes a name that is in use.
    """
    built_in: tuple[Spec, ...] = MODELS + INFORMATIVENESS + PURITY + STRATEGIES + PRUNING
    built_in += LEARNERS + INSTRUCTION_SELECTION + JOBS
    known = {(spec.kind, spec.name): spec for spec in built_in}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        for spec in loaded if isinstance(loaded, Iterable) else (loaded,):
            if not isinstance(spec, Spec) or spec.kind not in _OPEN_KINDS:
                raise ModelError(f"The entry point {point.name} names no Spec: {spec!r}.")
            if (spec.kind, spec.name) in known:
                raise ModelError(
                    f"The entry point {point.name} takes the name {spec.kind} {spec.name}, which "
                    "is in use; rename it or remove its package."
                )
            known[spec.kind, spec.name] = spec
    return tuple(known.values())


def find(kind: str, name: str) -> Spec:
    """Return one algorithm.

    Raises:
        ModelError: unknown name; the message lists the known ones.
    """
    of_kind = [spec for spec in specs() if spec.kind == kind]
    for spec in of_kind:
        if spec.name == name:
            return spec
    known = ", ".join(spec.name for spec in of_kind) or "none"
    raise ModelError(f"There is no {kind} {name!r}; known: {known}.")


def require_served(spec: Spec, medium: str, params: Mapping[str, Any] | None = None) -> None:
    """Refuse what does not serve the examples of a project.

    Args:
        spec: an entry.
        medium: "image" or "text".
        params: of a job; the model `network` that it learns with has to serve them, too.

    Raises:
        ModelError: it serves another medium; the message names what serves this one.
    """
    if not spec.serves(medium):
        others = [one.name for one in specs() if one.kind == spec.kind and one.serves(medium)]
        raise _misplaced(spec, medium, others)
    if params is not None and "network" in params:
        offered = networks_of(spec, medium)
        if params["network"] not in offered:
            raise _misplaced(find("model", params["network"]), medium, offered)


def networks_of(spec: Spec, medium: str) -> list[str]:
    """Return the models that a job's parameter `network` offers for "image" or "text" examples."""
    choices = spec.params.model_json_schema()["properties"].get("network", {}).get("enum", [])
    models = {one.name: one for one in specs() if one.kind == "model"}
    # Networks that no project can choose learn from images.
    return [
        name
        for name in choices
        if (models[name].serves(medium) if name in models else medium == "image")
    ]


def _misplaced(spec: Spec, medium: str, others: Sequence[str]) -> ModelError:
    served = " and ".join(f"{name}s" for name in ("image", "text") if spec.serves(name))
    return ModelError(
        f"{spec.kind} {spec.name} serves {served}, and this project holds {medium}s; choose one "
        f"of {', '.join(others)}"
    )


def parse(kind: str, name: str, params: Mapping[str, Any]) -> Any:
    """Validate parameters into the algorithm's own schema.

    Raises:
        ModelError: unknown algorithm; or `InvalidParams`, unknown parameter or a bad value: the
            message names the parameter, unless several contradict each other.
    """
    schema = find(kind, name).params
    try:
        return schema.model_validate(dict(params))
    except ValidationError as error:
        faults = [fault_of(one, schema) for one in error.errors(include_url=False)]
        raise InvalidParams(f"{kind.capitalize()} {name}", faults) from error


def validate(kind: str, name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return validated parameters with defaults filled in; see `parse` for the errors."""
    parsed: BaseModel = parse(kind, name, params)
    return parsed.model_dump()


def suited(
    spec: Spec, given: Mapping[str, Any], *, without_gpu: bool, medium: str = "image"
) -> dict[str, Any]:
    """Return what is given, completed for the project's examples and for the workers there are.

    Whoever names the network has chosen how long it takes, and is left with the defaults.

    Args:
        spec: of a job.
        given: parameters, not yet validated.
        without_gpu: whether no worker has a GPU.
        medium: "image" or "text".
    """
    if medium == "text":
        return {**spec.of_texts.defaults, **given}
    takes = without_gpu and "network" not in given
    return {**(spec.without_gpu if takes else {}), **given}


def is_job(name: str) -> bool:
    """Say whether a kind of job is one of the catalog, which people start by hand."""
    return any(spec.kind == "job" and spec.name == name for spec in specs())
