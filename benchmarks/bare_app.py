"""The reference: FastAPI, SQLAlchemy and psycopg, one transaction a request, nothing else.

Each request takes the next free row of a queue, marks it done and writes an answer. No users, no
rounds, no retries: what any labeling server on this stack pays at least.
"""

import argparse
import contextlib
import os
from collections.abc import AsyncIterator
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, Request
from pydantic import BaseModel
from sqlalchemy import bindparam, text
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

_TAKE = text("SELECT id FROM bare_queue WHERE NOT done ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED")
_DONE = text("UPDATE bare_queue SET done = true WHERE id = :id")
_ANSWER = text("INSERT INTO bare_answers (queue_id, verdict) VALUES (:id, :verdict)").bindparams(
    bindparam("id"), bindparam("verdict")
)
SCHEMA = (
    "CREATE TABLE bare_queue (id bigint PRIMARY KEY, done boolean NOT NULL DEFAULT false)",
    "CREATE INDEX bare_open ON bare_queue (id) WHERE NOT done",
    "CREATE TABLE bare_answers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
    "queue_id bigint NOT NULL REFERENCES bare_queue, verdict text NOT NULL)",
)


class Answer(BaseModel):
    verdict: str


class Answered(BaseModel):
    id: int | None


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    engine = create_async_engine(os.environ["DATABASE_URL"], pool_size=10, max_overflow=0)
    app.state.sessions = async_sessionmaker(engine, expire_on_commit=False)
    yield
    await engine.dispose()


app = FastAPI(lifespan=_lifespan)


async def _session(request: Request) -> AsyncIterator[AsyncSession]:
    async with request.app.state.sessions() as session, session.begin():
        yield session


@app.post("/answer")
async def answer(
    session: Annotated[AsyncSession, Depends(_session, scope="function")], body: Answer
) -> Answered:
    found = await session.scalar(_TAKE)
    if found is not None:
        await session.execute(_DONE, {"id": found})
        await session.execute(_ANSWER, {"id": found, "verdict": body.verdict})
    return Answered(id=found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    uvicorn.run(app, host="127.0.0.1", port=arguments.port, access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
