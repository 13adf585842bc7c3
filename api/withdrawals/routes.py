from fastapi import APIRouter

from api.callers.access import ManagedProject
from api.callers.principal import CurrentUser
from api.deps import SessionDep, StorageDep
from api.examples.schemas import Selection
from api.schemas.pagination import Cursor, Limit, Page
from api.schemas.parameters import PathId
from api.withdrawals import service
from api.withdrawals.schemas import WithdrawalIn, WithdrawalOut, WithdrawalPreview

router = APIRouter(prefix="/projects/{project_id}/withdrawals", tags=["examples"])


@router.post("/preview")
async def preview_withdrawal(
    session: SessionDep, storage: StorageDep, project: ManagedProject, body: Selection
) -> WithdrawalPreview:
    """How many images would be withdrawn, and of how many somebody has said something."""
    return await service.preview(session, project, storage, body)


@router.post("", status_code=202)
async def withdraw_examples(
    session: SessionDep,
    user: CurrentUser,
    storage: StorageDep,
    project: ManagedProject,
    body: WithdrawalIn,
) -> WithdrawalOut:
    """Take images out of the project for good, from wherever they are: it cannot be taken back.

    Workers do it, while `state` is `withdrawing`, and then erase what files hold of them. Of each a
    number and its answers are left, which count for nothing any more. The filters `import_id` and
    `split=all` take back an import.
    """
    return await service.begin(session, user, project, storage, body)


@router.get("")
async def list_withdrawals(
    session: SessionDep, project: ManagedProject, cursor: Cursor = None, limit: Limit = 100
) -> Page[WithdrawalOut]:
    """What was withdrawn from a project, the newest first."""
    found = await service.listed(session, project.id, cursor, limit)
    return Page(items=found, next_cursor=found[-1].id if len(found) == limit else None)


@router.get("/{withdrawal_id}")
async def show_withdrawal(
    session: SessionDep, project: ManagedProject, withdrawal_id: PathId
) -> WithdrawalOut:
    """One withdrawal, and how far it is."""
    return await service.show(session, project.id, withdrawal_id)
