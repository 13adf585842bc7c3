from typing import Any, get_args

from fastapi import APIRouter
from pydantic import BaseModel

from api.pagination import Items
from api.principal import CurrentUser
from models.catalog import Group, Kind, Spec, specs

router = APIRouter(tags=["algorithms"])


class AlgorithmOut(BaseModel):
    name: str
    kind: Kind
    title: str
    summary: str
    paper: str
    needs: list[str]
    fallback: str
    group: Group
    params_schema: dict[str, Any]
    defaults: dict[str, Any]


@router.get("/algorithms")
async def list_algorithms(_: CurrentUser) -> Items[AlgorithmOut]:
    """The catalog, from which settings are chosen and checked, in the order to offer it in."""
    return Items(
        items=[
            AlgorithmOut(
                name=spec.name,
                kind=spec.kind,
                title=spec.title,
                summary=spec.summary,
                paper=spec.paper,
                needs=sorted(spec.needs),
                fallback=spec.fallback,
                group=spec.group,
                params_schema=spec.params.model_json_schema(),
                defaults=spec.params().model_dump(mode="json"),
            )
            for spec in sorted(specs(), key=_place)
        ]
    )


def _place(spec: Spec) -> tuple[int, int]:
    return get_args(Kind).index(spec.kind), get_args(Group).index(spec.group)
