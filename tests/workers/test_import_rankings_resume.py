"""Imports of rankings that are killed or cancelled half-way, and what holds others up meanwhile."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from core import settings
from core.database.engines import sync_engine
from core.jobs.messages import RunJob
from core.states import JobState, RoundState
from core.tables import Annotation, Job, Query, Round, WebhookEvent
from models.errors import Cancelled
from tests.instructions import instructions, row
from tests.workers.import_files import Pool, jsonl
from tests.workers.killing import ended_by_kill, victim
from tests.workers.test_exported_rankings import line_of, vote
from tests.workers.test_import_instructions import done
from tests.workers.test_import_rankings import rankings, rows
from tests.workers.test_import_resume import run_until_done
from tests.world import World
from workers.imports import handler, question_index
from workers.imports.instructions.source import ComparisonSource
from workers.imports.ranked import Ranked
from workers.imports.rankings import write_rankings

__all__ = ["rows"]

QUESTIONS = 7
_BLOCK = "workers.imports.question_index:_QUESTIONS"
_WRITE = "workers.imports.handler:write_rankings"
_TELL = "workers.imports.handler:tell_round_of"


def compared() -> bytes:
    """Each question is ranked by two, who agree about every other."""
    answers = {"response_1": "A", "response_2": "B", "response_3": "C"}
    lines = []
    for n in range(QUESTIONS):
        values = [{"value": f"response-{m}", "rank": m} for m in (1, 2, 3)]
        other = values if n % 2 else [{**one, "rank": 4 - m} for m, one in enumerate(values, 1)]
        fields = {"prompt": f"q{n}", **{name.replace("_", "-"): a for name, a in answers.items()}}
        responses = [
            {"user_id": who, "status": "submitted", "values": {"order": {"value": said}}}
            for who, said in (("ada", values), ("ben", other))
        ]
        lines.append({"fields": fields, "responses": responses})
    return jsonl(*lines)


def told(pool: Pool) -> list[tuple[str, int, int]]:
    """Which webhooks of rounds there are, of which round and how many groups it holds."""
    events = select(WebhookEvent.kind, WebhookEvent.data).order_by(WebhookEvent.id)
    mine = events.where(WebhookEvent.project_id == pool.project_id)
    return [
        (kind, data["round"]["number"], data["round"]["queries"])
        for kind, data in pool.session.execute(mine)
        if "round" in data
    ]


def outcome(pool: Pool, job: Job) -> dict[str, Any]:
    """What an import leaves, by nothing that differs between two of the same file."""
    pool.session.expire_all()
    (round_,) = pool.session.scalars(select(Round).where(Round.project_id == pool.project_id))
    queries = select(Query).where(Query.project_id == pool.project_id)
    labels = select(func.count()).select_from(Annotation)
    agreement = {name: round(one, 9) for name, one in round_.metrics["agreement"].items()}
    return {
        "result": job.result,
        "round": (round_.number, round_.state, round_.strategy, round_.queries, round_.budget),
        "metrics": {**round_.metrics, "agreement": agreement},
        "ranks": sorted(one.rank for one in pool.session.scalars(queries)),
        "labels": pool.session.scalar(labels.where(Annotation.project_id == pool.project_id)),
        "rankings": rankings(pool),
        "states": [one.state for one in pool.examples()],
        "told": told(pool),
        "left": pool.storage.work(job.id).exists(),
    }


@pytest.fixture
def expected(world: World, rows: Pool) -> dict[str, Any]:
    """What an import leaves that nobody kills."""
    other = Pool(rows.session, rows.storage, instructions(world, []))
    found = outcome(other, other.add(compared(), "a.jsonl"))
    assert found["result"]["annotations"] == 2 * QUESTIONS
    assert found["round"] == (0, RoundState.CLOSED, "import", QUESTIONS, QUESTIONS)
    assert found["told"] == [("round.closed", 0, QUESTIONS)]
    assert found["metrics"] == {
        **dict.fromkeys(("groups", "answered"), QUESTIONS),
        **dict.fromkeys(("audit", "ood", "unsure", "wrong"), 0),
        "rankings": 2 * QUESTIONS,
        "agreement": {"pairs": QUESTIONS, "tau": round(-1 / 7, 9), "same": round(3 / 7, 9)},
    }
    return found


@pytest.mark.parametrize(
    ("moment", "count"), [("before", 1), ("before", 3), ("after", 3), ("before", 4)]
)
def test_killed_between_rankings_it_resumes_to_the_same(
    rows: Pool, expected: dict[str, Any], moment: str, count: int
) -> None:
    job = rows.queue(compared(), "a.jsonl")
    child = victim(RunJob.of(job), _WRITE, moment, count, {_BLOCK: 2})
    assert ended_by_kill(child)
    rows.session.expire_all()
    assert job.state is JobState.RUNNING
    states = rows.session.scalars(select(Round.state).where(Round.project_id == rows.project_id))
    # Nobody has to wait for what is half done.
    assert {*states.all()} <= {RoundState.CLOSED}
    assert len(rankings(rows)) == 4 * (count - 1)
    assert outcome(rows, run_until_done(rows, job)) == expected


@pytest.mark.parametrize("moment", ["before", "after"])
def test_killed_as_webhooks_are_told_it_tells_them_once(
    rows: Pool, expected: dict[str, Any], moment: str
) -> None:
    job = rows.queue(compared(), "a.jsonl")
    assert ended_by_kill(victim(RunJob.of(job), _TELL, moment, 1, {_BLOCK: 2}))
    assert told(rows) == []
    assert outcome(rows, run_until_done(rows, job)) == expected


def test_each_round_of_a_file_is_told_once_it_holds_all(
    rows: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_index, "_QUESTIONS", 2)
    lines = [
        {**line_of([vote(1, 2, 3)]), "round": number, "rows": exported_rows(3 * at)}
        for at, number in enumerate([0, 0, 0, 4, 7, 7])
    ]
    assert done(rows.add(jsonl(*lines), "rankings.jsonl"))["annotations"] == 6
    assert told(rows) == [
        ("round.closed", 0, 3), ("round.closed", 1, 1), ("round.closed", 2, 2)
    ]  # fmt: skip


def exported_rows(first: int) -> list[dict[str, Any]]:
    """Three rows of a line of an export, by what they ask."""
    return [{"example_id": n, **row(first + n).model_dump(mode="json")} for n in range(1, 4)]


def test_a_file_that_came_half_way_goes_on_in_a_round_of_its_own(
    rows: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_index, "_QUESTIONS", 2)
    calls = iter(range(QUESTIONS))

    def stopped(*given: Any) -> Any:
        if next(calls) == 2:
            raise Cancelled
        return write_rankings(*given)

    with monkeypatch.context() as patched:
        patched.setattr(handler, "write_rankings", stopped)
        assert rows.add(compared(), "a.jsonl").state is JobState.CANCELLED
    assert len(rankings(rows)) == 8
    again = done(rows.add(compared(), "a.jsonl"))
    assert again["annotations"] == 2 * (QUESTIONS - 4)
    assert len(rankings(rows)) == 2 * QUESTIONS
    rounds = select(Round).where(Round.project_id == rows.project_id).order_by(Round.number)
    found = [(one.state, one.queries) for one in rows.session.scalars(rounds)]
    assert found == [(RoundState.CLOSED, 4), (RoundState.CLOSED, QUESTIONS - 4)]


def test_nothing_is_locked_while_the_file_is_read_again(
    rows: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that waits in a transaction for longer than a minute is cut off."""
    read, free = ComparisonSource.rankings, []
    engine = sync_engine(settings.settings())

    def slowly(self: ComparisonSource) -> Iterator[Ranked]:
        for one in read(self):
            with Session(engine) as session, session.begin():
                session.execute(text("SET LOCAL lock_timeout = 5000"))
                statement = text("SELECT id FROM jobs WHERE project_id = :project FOR UPDATE")
                free.append(session.execute(statement, {"project": rows.project_id}).all())
            yield one

    monkeypatch.setattr(ComparisonSource, "rankings", slowly)
    result = done(rows.add(compared(), "a.jsonl"))
    engine.dispose()
    assert len(free) == result["annotations"] == 2 * QUESTIONS
