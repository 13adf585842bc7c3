"""Whether the process lives, whether it can serve, and how it is doing."""

import ipaddress
import secrets
import tempfile
from pathlib import Path
from typing import Final

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from kombu.exceptions import OperationalError as BrokerError
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from api.database.waiting import within
from api.deps import SettingsDep
from core.errors import Forbidden, OutOfOrder, Unavailable
from core.files import disk
from core.jobs import queue
from core.process.version import build
from migrations.revisions import standing

router = APIRouter(tags=["health"])
# One that hangs is away, too, or all connections are taken by requests that wait for it.
_DATABASE_SECONDS: Final = 5.0


class Health(BaseModel):
    """`status` is `ok`.

    Of `/readyz` it is `disk_low` or `disk_full` while there is little room, and `schema_newer`
    beside the schema of a later version.
    """

    status: str


class Version(BaseModel):
    """`version` is that of Karat and of the newest schema that it knows: `0.1.0+0045`."""

    version: str


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz")
async def healthz() -> Health:
    return Health(status="ok")


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz")
async def readyz(request: Request, settings: SettingsDep) -> Health:
    """Ready when the database has our schema, the broker answers and storage can be written.

    The schema of a later version is ours, too: while that is rolled out, this one goes on.
    """
    try:
        schema = standing(await within(_DATABASE_SECONDS, _revision(request.app.state.engine)))
    except (DBAPIError, OSError) as error:
        raise Unavailable("database_unavailable", "The database cannot be reached.") from error
    if schema == "outdated":
        raise Unavailable(
            "schema_outdated", "The database does not have the schema of this version yet."
        )
    try:
        await to_thread.run_sync(queue.ping)
    except (BrokerError, OSError) as error:
        raise Unavailable("broker_unavailable", "The broker (Redis) cannot be reached.") from error
    try:
        await to_thread.run_sync(_try_to_write, settings.data_dir)
    except OSError as error:
        if disk.is_full(error):
            raise disk.disk_full() from error
        raise OutOfOrder(
            "storage_unavailable", "The data directory cannot be written to."
        ) from error
    state = disk.room(settings).state
    if state != "ok":
        return Health(status=f"disk_{state}")
    return Health(status="ok" if schema == "current" else "schema_newer")


async def _revision(engine: AsyncEngine) -> str | None:
    """The revision of the database's schema; None where there is none."""
    async with engine.connect() as connection:
        if await connection.scalar(text("SELECT to_regclass('alembic_version')")) is None:
            return None
        found: str | None = await connection.scalar(text("SELECT version_num FROM alembic_version"))
        return found


def _try_to_write(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=directory) as file:
        file.write(b"ready")


@router.get("/api/version")
async def show_version() -> Version:
    return Version(version=build())


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request, settings: SettingsDep) -> Response:
    """Metrics for Prometheus: for this machine, and for whoever has the token."""
    token = settings.metrics_token
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    known = (
        token is not None
        and scheme.lower() == "bearer"
        and secrets.compare_digest(given.encode(), token.get_secret_value().encode())
    )
    if not known and not _is_from_here(request):
        raise Forbidden(
            "metrics_closed", "Metrics are for this machine, or for KARAT_METRICS_TOKEN."
        )
    state = request.app.state
    content = await state.metrics.scrape(state.engine, state.reader, settings)
    return Response(content, media_type=CONTENT_TYPE_LATEST)


def _is_from_here(request: Request) -> bool:
    """Whether the request was made on this machine, and not passed on by a proxy on it."""
    if any(name in request.headers for name in ("forwarded", "x-forwarded-for", "via")):
        return False
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
