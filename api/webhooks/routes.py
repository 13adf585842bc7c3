from typing import Annotated

from fastapi import APIRouter, Depends

from api.callers.access import LockedProject, ManagedProject
from api.callers.principal import Admin, CurrentUser
from api.deps import SessionDep, SettingsDep
from api.schemas.pagination import Cursor, Items, Limit, Page
from api.schemas.parameters import PathId
from api.webhooks import service
from api.webhooks.schemas import (
    DeliveryOut,
    WebhookCreate,
    WebhookOut,
    WebhookSecret,
    WebhookUpdate,
)
from core.tables import Webhook

router = APIRouter(tags=["webhooks"])
admin_router = APIRouter(prefix="/admin", tags=["admin"])

Id = PathId


async def _found(session: SessionDep, user: CurrentUser, webhook_id: Id) -> Webhook:
    return await service.find(session, user, webhook_id)


async def _locked(session: SessionDep, user: CurrentUser, webhook_id: Id) -> Webhook:
    return await service.find(session, user, webhook_id, lock=True)


Hook = Annotated[Webhook, Depends(_found, scope="function")]
LockedHook = Annotated[Webhook, Depends(_locked, scope="function")]


@router.get("/projects/{project_id}/webhooks")
async def list_webhooks(
    session: SessionDep, user: CurrentUser, settings: SettingsDep, project: ManagedProject
) -> Items[WebhookOut]:
    """Addresses that are told what happens in the project."""
    return Items(items=await service.list_webhooks(session, user, settings, project.id))


@router.post("/projects/{project_id}/webhooks", status_code=201)
async def create_webhook(
    session: SessionDep,
    settings: SettingsDep,
    user: CurrentUser,
    project: LockedProject,
    body: WebhookCreate,
) -> WebhookSecret:
    """Tell an address what happens in the project; its secret is shown this once."""
    hook, secret = await service.create(session, user, settings, project.id, body)
    return WebhookSecret(
        webhook=await service.describe(session, user, settings, hook), secret=secret
    )


@admin_router.get("/webhooks")
async def list_all_webhooks(
    session: SessionDep, settings: SettingsDep, admin: Admin
) -> Items[WebhookOut]:
    """Addresses that are told what happens in all projects."""
    return Items(items=await service.list_webhooks(session, admin, settings, None))


@admin_router.post("/webhooks", status_code=201)
async def create_webhook_for_all(
    session: SessionDep, settings: SettingsDep, admin: Admin, body: WebhookCreate
) -> WebhookSecret:
    """Tell an address what happens in all projects; its secret is shown this once."""
    hook, secret = await service.create(session, admin, settings, None, body)
    return WebhookSecret(
        webhook=await service.describe(session, admin, settings, hook), secret=secret
    )


@router.get("/webhooks/{webhook_id}")
async def show_webhook(
    session: SessionDep, user: CurrentUser, settings: SettingsDep, hook: Hook
) -> WebhookOut:
    return await service.describe(session, user, settings, hook)


@router.patch("/webhooks/{webhook_id}")
async def update_webhook(
    session: SessionDep,
    settings: SettingsDep,
    user: CurrentUser,
    hook: LockedHook,
    body: WebhookUpdate,
) -> WebhookOut:
    await service.update(session, user, settings, hook, body)
    return await service.describe(session, user, settings, hook)


@router.delete("/webhooks/{webhook_id}", status_code=204)
async def delete_webhook(session: SessionDep, user: CurrentUser, hook: LockedHook) -> None:
    """Remove it, with the list of what it was told and all that it is still to be told."""
    await service.remove(session, user, hook)


@router.post("/webhooks/{webhook_id}/secret")
async def rotate_webhook_secret(
    session: SessionDep, settings: SettingsDep, user: CurrentUser, hook: LockedHook
) -> WebhookSecret:
    """A new secret, shown this once; for a day from now up to ten before it sign as well."""
    secret = await service.rotate(session, user, hook)
    return WebhookSecret(
        webhook=await service.describe(session, user, settings, hook), secret=secret
    )


@router.post("/webhooks/{webhook_id}/test", status_code=202)
async def test_webhook(session: SessionDep, settings: SettingsDep, hook: LockedHook) -> DeliveryOut:
    """Send a `webhook.test`; the list of deliveries tells what came of it."""
    return await service.ping(session, settings, hook)


@router.get("/webhooks/{webhook_id}/deliveries")
async def list_deliveries(
    session: SessionDep, settings: SettingsDep, hook: Hook, cursor: Cursor = None, limit: Limit = 20
) -> Page[DeliveryOut]:
    """What it was told in the last 30 days and is still to be told, the latest first."""
    found = await service.deliveries(session, settings, hook, cursor=cursor, limit=limit)
    return Page(items=found, next_cursor=found[-1].id if len(found) == limit else None)


@router.post("/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", status_code=202)
async def redeliver(
    session: SessionDep, settings: SettingsDep, user: CurrentUser, hook: LockedHook, delivery_id: Id
) -> DeliveryOut:
    """Tell an event once more, under the id that it had."""
    return await service.redeliver(session, user, settings, hook, delivery_id)
