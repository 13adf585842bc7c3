"""Whether the process lives, and whether it can serve."""

from importlib.metadata import version

from anyio import to_thread
from fastapi import APIRouter, Request
from kombu.exceptions import OperationalError as BrokerError
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core import queue
from core.errors import DomainError, ErrorKind

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: str


class Version(BaseModel):
    version: str


@router.get("/healthz")
async def healthz() -> Health:
    return Health(status="ok")


@router.get("/readyz")
async def readyz(request: Request) -> Health:
    """Ready when the database and the broker answer."""
    try:
        async with request.app.state.engine.connect() as connection:
            await connection.execute(text("SELECT 1"))
    except (DBAPIError, OSError) as error:
        raise _away("database_unavailable", "The database cannot be reached.") from error
    try:
        await to_thread.run_sync(queue.ping)
    except (BrokerError, OSError) as error:
        raise _away("broker_unavailable", "The broker (Redis) cannot be reached.") from error
    return Health(status="ok")


def _away(code: str, detail: str) -> DomainError:
    return DomainError(code, detail, kind=ErrorKind.UNAVAILABLE)


@router.get("/api/version")
async def show_version() -> Version:
    return Version(version=version("karat"))
