from typing import Any, get_args

from fastapi import APIRouter
from pydantic import BaseModel

from api.deps import SessionDep
from api.devices import without_gpu
from api.pagination import Items
from api.principal import CurrentUser
from core.media.nouns import in_words_of
from core.states import Medium
from core.tasks.registry import task_types
from models.catalog import Group, Kind, Spec, networks_of, specs, suited

router = APIRouter(tags=["algorithms"])


class AlgorithmOut(BaseModel):
    """`defaults` are what the parameters begin with: of jobs they suit the workers' devices.

    `media` and `tasks` are what projects have to be of, for it to be chosen in them.
    """

    name: str
    kind: Kind
    title: str
    summary: str
    paper: str
    needs: list[str]
    fallback: str
    group: Group
    media: list[Medium]
    tasks: list[str]
    params_schema: dict[str, Any]
    defaults: dict[str, Any]


@router.get("/algorithms")
async def list_algorithms(
    session: SessionDep, _: CurrentUser, medium: Medium | None = None
) -> Items[AlgorithmOut]:
    """The catalog, from which settings are chosen and checked, in the order to offer it in.

    With a `medium` only what serves it, with what it is begun with there, and in its words.
    """
    on_cpu = await without_gpu(session)
    of = medium or Medium.IMAGE
    return Items(
        items=[
            AlgorithmOut(
                name=spec.name,
                kind=spec.kind,
                title=in_words_of(of, spec.title),
                summary=in_words_of(of, spec.summary),
                paper=spec.paper,
                needs=sorted(spec.needs),
                fallback=spec.fallback,
                group=spec.group,
                media=[medium for medium in Medium if spec.serves(medium)],
                tasks=[task.name for task in task_types() if spec.serves_task(task.name)],
                params_schema=_schema(spec, of) if medium else spec.params.model_json_schema(),
                defaults=spec.params.model_validate(
                    suited(spec, {}, without_gpu=on_cpu, medium=of)
                ).model_dump(mode="json"),
            )
            for spec in sorted(specs(), key=_place)
            if medium is None or spec.serves(medium)
        ]
    )


def _schema(spec: Spec, medium: Medium) -> dict[str, Any]:
    """The schema of the parameters in the words of a medium, with only the networks that serve."""
    schema = spec.params.model_json_schema()
    for name, field in schema["properties"].items():
        if "description" in field:
            field["description"] = in_words_of(medium, field["description"])
        if name == "network" and "enum" in field:
            field["enum"] = networks_of(spec, medium)
    return schema


def _place(spec: Spec) -> tuple[int, int]:
    return get_args(Kind).index(spec.kind), get_args(Group).index(spec.group)
