"""Judges that answer what nobody foresaw: what was paid for stays, and what went wrong is told."""

import asyncio
import contextlib
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from core import settings
from core.lifecycle import new_job
from core.settings.addresses import Allowed
from core.states import JobKind
from core.tables import Judge as JudgeRow
from core.tables import JudgeAnswer
from karat.demo.stand_in_judge import Behaviour, stand_in
from tests.processes import free_port
from tests.receiver import Answer, receiver, status
from tests.security.targets import add_judge
from tests.workers.test_judges import HERE, SOON, asked, quality
from tests.world import World
from workers.jobs.context import sessions
from workers.judges import judging, ledger, trial
from workers.judges.budget import Price
from workers.judges.client import Judge
from workers.judges.embeddings import embed_block
from workers.judges.errors import JudgeDown, OverBudget
from workers.judges.settings import JudgeSettings, Patience
from workers.judges.trial import try_all

DEEP = b"[" * 100_000
ORDER = "[3]>[2]>[1]"


def completion(text: str, **usage: int) -> bytes:
    choice = {"message": {"content": text}, "finish_reason": "st\0op\udc00"}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def test_what_no_database_takes_loses_no_answer(world: World) -> None:
    judge = add_judge(world)
    with receiver() as there:
        bad = partial(status, 200)
        # Three questions together, one with all that is bad; it is asked for once more.
        there.answers = [
            bad(completion("[3]\0 \ud83d", prompt_tokens=1 << 35)),
            *[bad(completion(ORDER))] * 3,
        ]
        found, tally = asked(there.url, 3, world=world, judge_id=judge.id)
    assert not any(one.unranked for one in found.values())
    assert (tally.answered, tally.malformed) == (4, 1)
    with sessions()() as session:
        kept = session.scalars(select(JudgeAnswer.content)).all()
    assert sorted(kept) == ["[3] \ufffd", *[ORDER] * 3]


def test_a_trial_of_what_no_database_takes_ends(
    world: World, monkeypatch: pytest.MonkeyPatch, installation: settings.Settings
) -> None:
    del installation
    monkeypatch.setenv("KARAT_JUDGE_ALLOW", "127.0.0.1")
    with receiver() as there, stand_in(quality, Behaviour(always="[1]>[2]")) as (url, _):
        for one in (there.url, url):
            judge = add_judge(world, base_url=one)
            judge.trial_asked_at = judge.created_at
        world.session.commit()
        there.answers = [status(200, completion("\0\ud83d"))]
        try_all(sessions(), settings.Settings())
    world.session.expire_all()
    trials = [one.trial for one in world.session.scalars(select(JudgeRow).order_by(JudgeRow.id))]
    assert [one and one["text"] for one in trials] == ["\ufffd", "[1]>[2]"]


@pytest.mark.parametrize("place", [50, 290, 1990])
def test_no_part_of_a_key_is_told_wherever_it_is_cut(place: int) -> None:
    key = 'sk-"canary"-0123456789'
    for body in (
        json.dumps({"error": {"message": "x" * place + key}}).encode(),
        b" " * place + key.encode(),
        json.dumps(["x" * place, key]).encode(),
    ):
        with receiver() as there:
            there.answers = [status(401, body)]
            with pytest.raises(JudgeDown) as stopped:
                asked(there.url, 1, key=key)
        assert "sk-" not in stopped.value.detail, body


@pytest.mark.parametrize("code", [200, 400])
def test_a_body_that_is_nested_without_end_is_one_that_is_broken(code: int) -> None:
    with receiver() as there:
        there.answers = [status(code, DEEP)] * 40
        with pytest.raises(JudgeDown) as stopped:
            asked(there.url, 8)
    assert stopped.value.code == "judge_failing"


def test_embeddings_that_are_none_are_told() -> None:
    async def work(url: str) -> Any:
        given = JudgeSettings(1, url, "tiny", embedding_model="small")
        async with Judge.opened(given, HERE) as judge:
            return await embed_block(judge, ["one"])

    row = b'{"data": [{"index": Infinity, "embedding": [1]}]}'
    with receiver() as there:
        there.answers = [status(200, row)]
        with pytest.raises(JudgeDown, match="not in the form"):
            asyncio.run(work(there.url))


def test_what_is_on_its_way_at_an_end_is_awaited_as_long_as_it_may_take(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # For those that are shut down.
    monkeypatch.setattr(judging, "_GRACE_SECONDS", 0.01)
    judge = add_judge(world)

    def late(seconds: float, answer: Answer) -> Answer:
        def wait(request: Any) -> None:
            time.sleep(seconds)
            answer(request)

        return wait

    with receiver() as there:
        there.answers = [late(0.2, status(401)), late(1.5, status(200, completion(ORDER)))]
        with pytest.raises(JudgeDown):
            asked(there.url, 20, world=world, judge_id=judge.id, concurrency=8)
        # Nothing more was sent after the end.
        assert len(there.received) == 2
    with sessions()() as session:
        assert session.scalars(select(JudgeAnswer.content)).all() == [ORDER]


def test_a_retry_asks_anew_what_had_not_the_form_once(world: World) -> None:
    judge = add_judge(world)
    with stand_in(quality, Behaviour(faults={"malformed": 1.0})) as (url, server):
        runs = []
        for faults in ({"malformed": 1.0}, {"malformed": 1.0}, {}, {"malformed": 1.0}):
            server.behaviour.faults = faults  # type: ignore[assignment]
            found, tally = asked(url, 3, world=world, judge_id=judge.id)
            runs.append(({one.unranked for one in found.values()}, tally.answered))
    assert runs == [({"malformed"}, 6), ({"malformed"}, 3), ({None}, 3), ({None}, 0)]


def test_an_address_that_swallows_everything_does_not_hide_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port = free_port()
    system = socket.getaddrinfo

    def resolved(host: str, *rest: Any, **how: Any) -> Any:
        if host != "judge.example.org":
            return system(host, *rest, **how)
        return [one for at in ("127.0.0.2", "127.0.0.1") for one in system(at, *rest, **how)]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    with socket.socket() as full, contextlib.ExitStack() as waiting:
        full.bind(("127.0.0.2", port))
        full.listen(0)
        # Its queue is full, so it says nothing to whoever else connects.
        for _ in range(4):
            one = waiting.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(("127.0.0.2", port))
        with stand_in(quality, port=port) as (_, server):
            found, tally = asked(
                f"http://judge.example.org:{port}/v1", timeout=3.0,
                allowed=Allowed.parse("127.0.0.0/8"),
            )  # fmt: skip
    assert not any(one.unranked for one in found.values())
    assert (tally.repeated, server.requests) == (0, 6)


def test_what_is_paid_for_in_vain_counts_towards_the_cap(world: World) -> None:
    project = world.project()
    job = new_job(JobKind.PRUNE, project_id=project.id, params={})
    world.session.add(job)
    world.session.commit()
    given: dict[str, Any] = {
        "world": world, "judge_id": add_judge(world).id, "job_id": job.id,
        "price": Price(0.0, 1e6), "max_tokens": 20, "timeout": 0.8, "concurrency": 1,
    }  # fmt: skip
    # Nobody knows what of it was made: as much as it can be, 20 for each.
    with stand_in(quality, Behaviour(first=["silent", "half"])) as (url, _):
        found, _ = asked(url, 1, most=1000.0, patience=Patience(), **given)
        assert found[0].orders
    with sessions()() as session:
        spent = ledger.spent(session, job.id)
    assert 40 < spent <= 60
    with (
        stand_in(quality, Behaviour(faults={"silent": 1.0})) as (url, server),
        pytest.raises(OverBudget) as stopped,
    ):
        asked(url, 3, most=spent + 50.0, patience=Patience(), **given)
    assert (server.requests, stopped.value.spent) == (2, spent + 40)
    # Whoever raises the cap counts them too, though no answer came in the end.
    with sessions()() as session:
        assert ledger.spent(session, job.id) == stopped.value.spent
    few = Patience(retries=1, alone=2)
    with stand_in(quality, Behaviour(first=["silent"] * 2)) as (url, _):
        found, _ = asked(url, 1, patience=few, **given)
        assert found[0].unranked == "timeout"
    with sessions()() as session:
        assert ledger.spent(session, job.id) == spent + 80


def test_one_row_that_may_not_be_asked_about_stops_nothing() -> None:
    answers = [status(200, completion(ORDER)) for _ in range(8)]
    flagged = status(403, b'{"error": {"message": "Your input was flagged"}}')
    plain = status(403, b"Forbidden")
    with receiver() as there:
        there.answers = [flagged, answers[0], plain, *answers[1:4], flagged, *answers]
        found, tally = asked(there.url, 12, concurrency=1)
        assert (tally.without, len(found)) == ({"refused": 3}, 12)
        for before in (0, 4):
            there.answers = [*answers[:before], *[plain] * 10]
            with pytest.raises(JudgeDown, match="Enter the key anew"):
                asked(there.url, 12, concurrency=1)
        assert len(there.received) == 12 + 1 + 4 + SOON.alone


def test_trials_of_silent_judges_hold_one_thread_and_end(
    world: World, monkeypatch: pytest.MonkeyPatch, installation: settings.Settings
) -> None:
    del installation
    monkeypatch.setenv("KARAT_JUDGE_ALLOW", "127.0.0.1")
    monkeypatch.setattr(trial, "_LONGEST_SECONDS", 2.0)
    here = settings.Settings()
    slow = Behaviour(faults={"silent": 0.5, "rate_limit": 0.5})

    def ask_for(url: str) -> None:
        judge = add_judge(world, base_url=url, timeout=3600.0)
        judge.trial_asked_at = judge.created_at
        world.session.commit()

    with stand_in(quality, slow) as (url, server), ThreadPoolExecutor(1) as other:
        for _ in range(3):
            ask_for(url)
        first = other.submit(try_all, sessions(), here)
        while server.requests < 3:
            time.sleep(0.01)
        ask_for(url)
        # Who comes meanwhile does not wait, and leaves its judge to the first.
        try_all(sessions(), here)
        assert not first.done()
        first.result()
    world.session.expire_all()
    rows = world.session.scalars(select(JudgeRow)).all()
    assert [one.trial is not None and one.trial["ok"] for one in rows] == [False] * 4
