from functools import cache
from typing import Any, get_args

from fastapi import APIRouter, Response
from pydantic import BaseModel

from api.callers.principal import CurrentUser
from api.deps import SessionDep
from api.jobs.devices import without_gpu
from api.schemas.pagination import Items
from core.media.nouns import in_words_of
from core.states import Medium
from core.tasks.registry import task_types
from models.catalog import Group, Kind, Spec, networks_of, specs, suited
from models.catalog.spec import OfTexts

router = APIRouter(tags=["algorithms"])


class OfTextsOut(BaseModel):
    """`summary` and `descriptions` are empty where those that it has speak of texts as well.

    `defaults` has the parameters that say something there, and no others.
    """

    summary: str
    descriptions: dict[str, str]
    defaults: dict[str, Any]


class AlgorithmOut(BaseModel):
    """`defaults` are what the parameters begin with: of jobs they suit the workers' devices.

    `media` and `tasks` are what projects have to be of, for it to be chosen in them. `of_texts` is
    what is otherwise in projects of texts, null where it serves none.
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
    of_texts: OfTextsOut | None


@router.get("/algorithms", response_model=Items[AlgorithmOut])
async def list_algorithms(
    session: SessionDep, _: CurrentUser, medium: Medium | None = None
) -> Response:
    """The catalog, from which settings are chosen and checked, in the order to offer it in.

    With a `medium` only what serves it, with what it is begun with there, and in its words.
    """
    tasks = tuple(task.name for task in task_types())
    content = _catalog(medium, tasks, without_gpu=await without_gpu(session))
    return Response(content, media_type="application/json")


@cache
def _catalog(medium: Medium | None, task_names: tuple[str, ...], *, without_gpu: bool) -> bytes:
    """The answer, made once in a process: pages ask for it all the time, and it is long."""
    of = medium or Medium.IMAGE
    offered = Items[AlgorithmOut](
        items=[
            AlgorithmOut(
                name=spec.name,
                kind=spec.kind,
                title=in_words_of(of, spec.title),
                summary=_summary(spec, of),
                paper=spec.paper,
                needs=sorted(spec.needs),
                fallback=spec.fallback,
                group=spec.group,
                media=[medium for medium in Medium if spec.serves(medium)],
                tasks=[name for name in task_names if spec.serves_task(name)],
                params_schema=_schema(spec, of) if medium else spec.params.model_json_schema(),
                defaults=_defaults(spec, of, without_gpu=without_gpu),
                of_texts=_of_texts(spec),
            )
            for spec in sorted(specs(), key=_place)
            if medium is None or spec.serves(medium)
        ]
    )
    return offered.model_dump_json().encode()


def _of_texts(spec: Spec) -> OfTextsOut | None:
    if not spec.serves(Medium.TEXT):
        return None
    said = spec.of_texts
    defaults = _defaults(spec, Medium.TEXT, without_gpu=False)
    return OfTextsOut(summary=said.summary, descriptions={**said.descriptions}, defaults=defaults)


def _defaults(spec: Spec, medium: Medium, *, without_gpu: bool) -> dict[str, Any]:
    """What the parameters begin with, but for those that say nothing of the medium."""
    begun = suited(spec, {}, without_gpu=without_gpu, medium=medium)
    idle = spec.of_texts.idle if medium is Medium.TEXT else frozenset()
    return spec.params.model_validate(begun).model_dump(mode="json", exclude=set(idle))


def _summary(spec: Spec, medium: Medium) -> str:
    if medium is Medium.TEXT and spec.of_texts.summary:
        return spec.of_texts.summary
    return in_words_of(medium, spec.summary)


def _schema(spec: Spec, medium: Medium) -> dict[str, Any]:
    """The schema of the parameters in the words of a medium, with only the networks that serve."""
    schema = spec.params.model_json_schema()
    said = spec.of_texts if medium is Medium.TEXT else OfTexts()
    for name in said.idle:
        del schema["properties"][name]
    for name, field in schema["properties"].items():
        if "description" in field:
            own = in_words_of(medium, field["description"])
            field["description"] = said.descriptions.get(name, own)
        if name == "network" and "enum" in field:
            field["enum"] = networks_of(spec, medium)
    return schema


def _place(spec: Spec) -> tuple[int, int]:
    return get_args(Kind).index(spec.kind), get_args(Group).index(spec.group)
