from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, field_validator
from sqlalchemy import select

from api.audit import record
from api.callers.access import ReviewedProject, visible_project
from api.callers.principal import CurrentUser
from api.deps import SessionDep, StorageDep, transaction
from api.schemas.contents import sends
from api.schemas.pagination import Items
from api.schemas.parameters import PathId, QueryId
from api.transfers.files import present_file
from core.artifacts.selections import SUPERSEDED
from core.errors import NotFound
from core.states import ArtifactKind, ProjectRole
from core.tables import Artifact

router = APIRouter(tags=["artifacts"])


class ArtifactOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    job_id: int | None
    round_id: int | None
    kind: ArtifactKind
    bytes: int
    sha256: str
    created_at: datetime
    meta: dict[str, Any]

    @field_validator("meta")
    @classmethod
    def _of_readers(cls, meta: dict[str, Any]) -> dict[str, Any]:
        """What the file holds; which files are still to be removed is nobody's here."""
        return {name: value for name, value in meta.items() if name != SUPERSEDED}


@router.get("/projects/{project_id}/artifacts")
async def list_artifacts(
    session: SessionDep, project: ReviewedProject, job_id: QueryId | None = None
) -> Items[ArtifactOut]:
    """Files that rounds and jobs have left; with ``job_id``, those of one job."""
    statement = select(Artifact).where(Artifact.project_id == project.id).order_by(Artifact.id)
    if job_id is not None:
        statement = statement.where(Artifact.job_id == job_id)
    found = await session.scalars(statement)
    return Items(items=[ArtifactOut.model_validate(artifact) for artifact in found])


@router.head("/artifacts/{artifact_id}/content", include_in_schema=False)
@router.get(
    "/artifacts/{artifact_id}/content",
    response_class=FileResponse,
    responses=sends("application/octet-stream"),
)
async def artifact_content(
    request: Request, user: CurrentUser, storage: StorageDep, artifact_id: PathId
) -> FileResponse:
    # Two short transactions: none stays open while the file is brought from a bucket.
    async with transaction(request) as session:
        artifact = await session.get(Artifact, artifact_id)
        if artifact is None:
            raise NotFound("artifact")
        # Pages draw the map of a comparison from its file: to look is no export.
        looks = artifact.kind is ArtifactKind.COMPARISON
        least = ProjectRole.REVIEWER if looks else ProjectRole.MANAGER
        await visible_project(session, user, artifact.project_id, least=least, what="artifact")
    path = await present_file(storage, artifact.storage_key)
    if not looks and request.method == "GET":
        async with transaction(request) as session:
            record(
                session,
                user,
                "download",
                "artifact",
                artifact.id,
                project_id=artifact.project_id,
                kind=artifact.kind,
            )
    return FileResponse(path, filename=path.name, headers={"ETag": f'"{artifact.sha256}"'})
