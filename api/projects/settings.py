"""Settings of a project, checked against the catalog of algorithms."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic import ValidationError

from api.schemas.field_errors import InvalidFields, field_errors
from core.errors import Invalid
from core.settings.project import STRATEGY_OF, Choice, Goal, ProjectSettings
from core.states import Medium
from core.tasks.classification import CLASSIFICATION
from core.tasks.registry import task_type
from models.catalog import (
    DEFAULT_MODEL,
    DEFAULTS_OF_TASK,
    Choosable,
    Spec,
    find,
    require_served,
    specs,
    validate,
)
from models.catalog.faults import InvalidParams, fault_of
from models.errors import ModelError

KINDS: Final[tuple[Choosable, ...]] = get_args(Choosable)

# What a score needs of the model, and the parameter of a model that provides it.
_PROVIDED_BY: Final = {"predicted_losses": "loss_prediction", "ood_class": "ood_class"}


def defaults(
    goal: Goal = "best_model", medium: Medium = Medium.IMAGE, task: str = CLASSIFICATION.name
) -> ProjectSettings:
    """Settings of a new project with this goal, of examples of this medium, and of this task."""
    return checked({"goal": goal}, medium=medium, task=task_type(task).name)


def checked(
    changes: Mapping[str, Any],
    base: ProjectSettings | None = None,
    medium: Medium = Medium.IMAGE,
    task: str = CLASSIFICATION.name,
) -> ProjectSettings:
    """``base`` (the defaults) with ``changes``; algorithm parameters get their defaults filled in.

    An algorithm is given as its name and parameters, by its name alone, or by some parameters of
    the one that ``base`` has, whose others stay.

    What does not serve the medium of the project's examples, or its labels, is refused.

    Another goal brings its strategy with it, unless one is among the changes, or ``base`` has one
    that its goal has not brought.

    Raises:
        Invalid: A name or value is not acceptable; ``field`` is its path.
    """
    values = {**(base.model_dump() if base else {}), **changes}
    if base is None:
        for kind, name in _usual(medium, task).items():
            values.setdefault(kind, {"name": name})
        if medium is Medium.IMAGE:
            values.setdefault("fit", task_type(task).fit)
    if base is not None and isinstance(cost := changes.get("cost"), Mapping):
        values["cost"] = {**base.cost.model_dump(), **cost}
    goal = next((one for one in get_args(Goal) if one == values.get("goal")), None)
    if goal is not None and "strategy" not in changes and _by_goal(base):
        values["strategy"] = {"name": STRATEGY_OF[goal]}
    for kind in KINDS:
        if kind in changes:
            before = _before(kind, base, goal, medium, task)
            values[kind] = _whole(changes[kind], before)
    try:
        settings = ProjectSettings.model_validate(values, extra="forbid")
    except ValidationError as error:
        fault = fault_of(error.errors()[0], ProjectSettings)
        errors = field_errors([fault], "settings")
        path = errors[0].field
        raise InvalidFields(
            "invalid_settings", f"{path}: {fault.message}", errors, field=path
        ) from error
    for kind in KINDS:
        choice = getattr(settings, kind)
        path = f"settings.{kind}.name"
        try:
            require_served(find(kind, choice.name), medium)
            _require_task(find(kind, choice.name), task, medium)
            path = f"settings.{kind}.params"
            choice.params = validate(kind, choice.name, choice.params)
        except InvalidParams as error:
            errors = field_errors(error.faults, path)
            raise InvalidFields(
                "invalid_settings", f"{path}: {error}", errors, field=path
            ) from error
        except ModelError as error:
            raise Invalid("invalid_settings", f"{path}: {error}", field=path) from error
    if medium is Medium.TEXT and settings.input_size is not None:
        path = "settings.input_size"
        raise Invalid(
            "invalid_settings",
            f"{path}: a text has no size in pixels; leave it out.",
            field=path,
        )
    if medium is Medium.TEXT and settings.fit != "crop":
        path = "settings.fit"
        raise Invalid(
            "invalid_settings",
            f"{path}: a text is always seen whole; leave it out.",
            field=path,
        )
    _check_together(settings)
    return settings


def _usual(medium: Medium, task: str) -> dict[str, str]:
    return {"model": DEFAULT_MODEL[medium], **DEFAULTS_OF_TASK.get(task, {})}


def _before(
    kind: Choosable, base: ProjectSettings | None, goal: Goal | None, medium: Medium, task: str
) -> Choice:
    """What is chosen without the change."""
    usual = _usual(medium, task)
    if goal is not None:
        usual["strategy"] = STRATEGY_OF[goal]
    if base is None and kind in usual:
        return Choice(name=usual[kind])
    chosen: Choice = getattr(base or ProjectSettings(), kind)
    return chosen


def _whole(change: Any, before: Choice) -> Any:
    """A choice that may be given by its name, or by parameters of what was chosen ``before``."""
    if isinstance(change, str):
        return {"name": change}
    if isinstance(change, Mapping) and "name" not in change:
        params = change.get("params", {})
        kept = {**before.params, **params} if isinstance(params, Mapping) else params
        return {**change, "name": before.name, "params": kept}
    return change


def _require_task(spec: Spec, task: str, medium: Medium) -> None:
    """Refuse what knows nothing of such labels.

    Raises:
        ModelError: The message names what does.
    """
    if spec.serves_task(task):
        return
    others = ", ".join(
        one.name
        for one in specs()
        if one.kind == spec.kind and one.serves(medium) and one.serves_task(task)
    )
    raise ModelError(
        f"{spec.kind} {spec.name} is not for labels of the type {task}; choose one of {others}."
    )


def _by_goal(base: ProjectSettings | None) -> bool:
    """Whether the strategy is the one that the goal has brought, with its usual parameters."""
    if base is None:
        return True
    name = STRATEGY_OF[base.goal]
    chosen = base.strategy
    return chosen.name == name and validate("strategy", name, chosen.params) == validate(
        "strategy", name, {}
    )


def used(settings: ProjectSettings) -> list[Spec]:
    """The strategy of ``settings``, and the chosen scores that it looks at."""
    strategy = find("strategy", settings.strategy.name)
    scores: tuple[Choosable, ...] = ("purity", "informativeness")
    return [
        strategy,
        *(find(kind, getattr(settings, kind).name) for kind in scores if kind in strategy.needs),
    ]


def _check_together(settings: ProjectSettings) -> None:
    """Refuse scores that the strategy uses and the model can never give, and too large patches.

    What only is not there yet, such as OOD answers, is no fault: a fallback stands in meanwhile.
    """
    if settings.input_size is not None and settings.patch_size >= settings.input_size:
        path = "settings.model.params.patch_size"
        raise Invalid(
            "invalid_settings",
            f"{path}: a patch has to be smaller than what the model sees of an image, which is "
            f"{settings.input_size} px wide; set it to at most {settings.input_size - 1}, or have "
            "images larger: settings.input_size while there are none, else the job resize.",
            field=path,
        )
    for spec in used(settings):
        kind = spec.kind
        for need, switch in _PROVIDED_BY.items():
            if need not in spec.needs or settings.model.params.get(switch):
                continue
            path = f"settings.{kind}.name"
            remedy = (
                f"set settings.model.params.{switch} to true"
                if switch in settings.model.params
                else f"choose a model with the parameter {switch} and set it to true"
            )
            raise Invalid(
                "invalid_settings",
                f"{path}: {kind} {spec.name} needs a model that is trained with {switch}; "
                f"{remedy}, or choose another {kind}.",
                field=path,
            )
