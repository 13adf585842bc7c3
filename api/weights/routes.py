from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request

from api.callers.access import Staff
from api.callers.principal import Admin
from api.deps import SessionDep, SettingsDep, StorageDep, transaction
from api.schemas.contents import takes
from api.schemas.pagination import Items
from api.schemas.parameters import PathId
from api.weights import service
from api.weights.receiving import discard, keep, lost_key
from api.weights.schemas import WeightsOut
from core.settings.weights import Library

router = APIRouter(tags=["weights"])

Architecture = Annotated[
    str, Query(pattern=r"^[A-Za-z0-9_.-]+$", max_length=120, description="Name in the library.")
]
Name = Annotated[
    str | None, Query(max_length=100, description="Else that of the file, without its ending.")
]


@router.get("/weights")
async def list_weights(session: SessionDep, user: Staff, storage: StorageDep) -> Items[WeightsOut]:
    """Weights that admins have uploaded, by name; the parameter `weights` of models names one."""
    return Items(items=await service.listed(session, user, storage))


@router.get("/weights/{weights_id}")
async def show_weights(
    session: SessionDep, user: Staff, storage: StorageDep, weights_id: PathId
) -> WeightsOut:
    return await service.described(session, user, storage, weights_id)


@router.post(
    "/weights",
    status_code=201,
    openapi_extra=takes("application/octet-stream"),
)
async def add_weights(
    request: Request,
    user: Admin,
    settings: SettingsDep,
    storage: StorageDep,
    filename: Annotated[str, Query(max_length=1000)],
    architecture: Architecture,
    library: Library = "timm",
    name: Name = None,
) -> WeightsOut:
    """Upload a safetensors file as the request body: weights of an architecture of a library.

    Whether they are is for a worker to find out, once: read `state` until it is not `checking`.
    A file that the server has lost is put back by uploading it once more, under whatever name.
    """
    asked = service.asked(filename, name)
    # In transactions of their own: none stays open while the body arrives, or a file is read.
    async with transaction(request) as session:
        await service.require_free(session, asked, storage)
    kept = await keep(request.stream(), asked, storage, settings)
    async with transaction(request) as session:
        same = await service.of_file(session, kept)
    lost = await lost_key(same, kept, storage)
    async with transaction(request) as session:
        try:
            added = await service.add(
                session, user, asked, kept, library, architecture, storage, lost
            )
        except Exception:
            # Nothing will ever read it. A failed commit may have happened: it is not in here.
            await to_thread.run_sync(discard, kept.key, storage)
            raise
    if lost is not None:
        await to_thread.run_sync(discard, lost, storage)
    return added


@router.delete("/weights/{weights_id}", status_code=204)
async def delete_weights(
    request: Request, user: Admin, storage: StorageDep, weights_id: PathId
) -> None:
    """Delete weights that no project starts from; what was computed with them stays."""
    async with transaction(request) as session:
        key = await service.remove(session, user, weights_id)
    await to_thread.run_sync(discard, key, storage)
