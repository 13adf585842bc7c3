"""Engines and sessions. The API is asynchronous, the workers are not; both use psycopg."""

from datetime import datetime

from sqlalchemy import Engine, create_engine, func, select
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.orm import Session, sessionmaker

from core.settings import Settings
from core.settings.database import noticing, sqlalchemy_url

# A transaction that was forgotten open holds back vacuum on the queue table, which then slows.
_OPTIONS = "-c idle_in_transaction_session_timeout=60000 -c timezone=UTC"


def async_engine(settings: Settings) -> AsyncEngine:
    """Engine of the API process, with ``settings.database_pool`` connections.

    No ping before use: it would double the round trips of the hot path. After a restart of the
    database one request is answered 503, which empties the pool, and the client's retry succeeds.
    """
    return create_async_engine(
        settings.sqlalchemy_url,
        pool_size=settings.database_pool,
        max_overflow=0,
        connect_args={
            **noticing(settings.sqlalchemy_url),
            "options": _OPTIONS,
            "application_name": "karat-api",
        },
        # Errors are logged, and parameters are people's data: addresses, hashes of passwords.
        hide_parameters=True,
    )


def read_engine(settings: Settings) -> AsyncEngine | None:
    """Engine of the API process for a replica that is only read; None where there is none."""
    if settings.database_read_url is None:
        return None
    url = sqlalchemy_url(settings.database_read_url.get_secret_value())
    return create_async_engine(
        url,
        pool_size=2,
        max_overflow=8,
        # It may go and come without anybody's waiting for it.
        pool_pre_ping=True,
        connect_args={
            **noticing(url),
            "options": f"{_OPTIONS} -c default_transaction_read_only=on",
            "application_name": "karat-reader",
        },
        hide_parameters=True,
    )


def sync_engine(settings: Settings) -> Engine:
    """Engine of a worker process."""
    return create_engine(
        settings.sqlalchemy_url,
        pool_size=4,
        pool_pre_ping=True,
        connect_args={
            **noticing(settings.sqlalchemy_url),
            "options": _OPTIONS,
            "application_name": "karat-worker",
        },
        hide_parameters=True,
    )


def async_sessions(engine: AsyncEngine) -> async_sessionmaker[AsyncSession]:
    """Session factory whose objects stay readable after commit."""
    return async_sessionmaker(engine, expire_on_commit=False)


def sync_sessions(engine: Engine) -> sessionmaker[Session]:
    """Session factory whose objects stay readable after commit."""
    return sessionmaker(engine, expire_on_commit=False)


def database_time(session: Session) -> datetime:
    """What the clock of the database says now: the one clock that all processes share."""
    now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
    return now
