"""Judges that fail in every way: nothing is guessed, nothing is paid for twice, and it is said."""

import asyncio
import socket
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core import settings
from core.lifecycle import new_job
from core.settings.addresses import Allowed
from core.states import JobKind
from core.tables import Judge as JudgeRow
from core.tables import JudgeAnswer
from karat.demo.stand_in_judge import Behaviour, StandIn, known, row_key, stand_in
from models.errors import Cancelled
from tests.processes import free_port
from tests.receiver import receiver, status
from tests.security.targets import add_judge
from tests.world import World
from workers.jobs.context import sessions
from workers.judges import ledger
from workers.judges.budget import Price
from workers.judges.client import Judge
from workers.judges.embeddings import embed_block, joined
from workers.judges.errors import JudgeDown, OverBudget
from workers.judges.judging import Ranked, Said, is_wrong, rank, run, score
from workers.judges.settings import JudgeSettings, Patience
from workers.judges.tally import Tally
from workers.judges.trial import try_all

HERE = Allowed.parse("127.0.0.1")
# As patient as a test can be.
SOON = Patience(full=1.0, silent=0.5, retries=2, alone=3, refused=5)
BEST = (2, 1, 0)


def rows(cluster: int) -> list[str]:
    """Three rows, the last of which is the best."""
    return [f"Cluster {cluster}?\n\nAnswer {place}" for place in range(3)]


def quality(text: str) -> float:
    return {"0": 0.1, "1": 0.4, "2": 0.9}.get(text[-1], 0.5)


@pytest.fixture
def served() -> Iterator[tuple[str, StandIn]]:
    with stand_in(quality) as found:
        yield found


def asked(
    url: str,
    clusters: int = 6,
    *,
    permutations: int = 1,
    world: World | None = None,
    patience: Patience = SOON,
    most: float | None = None,
    job_id: int | None = None,
    check: Any = lambda: None,
    allowed: Allowed = HERE,
    **values: Any,
) -> tuple[dict[int, Ranked], Tally]:
    """What came of asking for the orders of clusters; answers are kept if there is a world."""
    given: dict[str, Any] = {
        "judge_id": 1,
        "base_url": url,
        "model": "tiny",
        "concurrency": 4,
        "timeout": 5.0,
    }
    judge_settings = JudgeSettings(**{**given, **values})
    found: dict[int, Ranked] = {}
    tallies: list[Tally] = []

    async def work() -> None:
        kept = None if world is None else sessions()
        before = 0.0
        if kept is not None and job_id is not None:
            with kept() as session:
                before = ledger.spent(session, job_id)
        async with Judge.opened(
            judge_settings, allowed, kept,
            job_id=job_id, spend_at_most=most, spent=before, patience=patience,
        ) as judge:  # fmt: skip
            tallies.append(judge.tally)
            tasks = (
                (one, partial(rank, items=rows(one), permutations=permutations, seed=0))
                for one in range(clusters)
            )
            await run(judge, tasks, found.__setitem__, check)

    try:
        asyncio.run(work())
    finally:
        # For those that raise.
        asked.tally = tallies[0]  # type: ignore[attr-defined]
    return found, tallies[0]


def test_orders_doubts_and_scores_come_back_as_they_were_meant(
    served: tuple[str, StandIn],
) -> None:
    url, _ = served
    found, tally = asked(url, permutations=3)
    assert {one.orders for one in found.values()} == {(BEST, BEST, BEST)}
    assert not any(one.unranked or one.missing for one in found.values())
    assert not tally.favours_places

    async def others() -> Sequence[Said]:
        async with Judge.opened(JudgeSettings(1, url, "tiny"), HERE) as judge:
            bad, _, good = rows(0)
            return [
                await is_wrong(judge, bad), await is_wrong(judge, good),
                await score(judge, bad), await score(judge, good),
            ]  # fmt: skip

    assert [one.value for one in asyncio.run(others())] == [1.0, 0.0, 0.0, 4.0]


@pytest.mark.parametrize("fault", ["rate_limit", "fail", "half", "broken", "empty", "drop"])
def test_what_passes_is_asked_again_and_nothing_is_lost(
    served: tuple[str, StandIn], fault: Any
) -> None:
    url, server = served
    server.behaviour.first = [fault] * 3
    found, tally = asked(url, patience=Patience())
    assert {one.orders for one in found.values()} == {(BEST,)}
    assert tally.repeated == 3
    assert tally.answered == 6


@pytest.mark.parametrize(
    ("faults", "reason"),
    [({"malformed": 1.0}, "malformed"), ({"refuse": 1.0}, "refused")],
)
def test_what_is_no_order_is_asked_for_once_more_and_then_unranked(
    served: tuple[str, StandIn], faults: Any, reason: str
) -> None:
    url, server = served
    server.behaviour.faults = faults
    found, tally = asked(url)
    assert {(one.orders, one.unranked, one.paid) for one in found.values()} == {((), reason, 2)}
    assert tally.without == {reason: 6}
    assert server.requests == 12


def test_a_judge_that_always_says_1_ranks_nothing(served: tuple[str, StandIn]) -> None:
    url, server = served
    server.behaviour.always = "[1]"
    found, tally = asked(url)
    assert {(one.orders, one.unranked) for one in found.values()} == {((), "malformed")}
    assert tally.without == {"malformed": 6}
    # One that keeps to the form is seen by the places that it favours.
    server.behaviour.always = "[1]>[2]>[3]"
    found, tally = asked(url, permutations=4)
    orders = [one.orders for one in found.values()]
    assert all(one[0] == one[1][::-1] for one in orders)
    assert tally.favours_places


def test_some_permutations_without_an_answer_leave_the_others(
    served: tuple[str, StandIn],
) -> None:
    url, server = served
    server.behaviour.first = ["refuse", "refuse"]
    found, _ = asked(url, clusters=1, permutations=3)
    assert (found[0].orders, found[0].unranked, found[0].missing) == ((BEST, BEST), None, 1)


@pytest.mark.parametrize(
    ("behaviour", "values", "code", "says"),
    [
        (Behaviour(key="right"), {"key": "sk-canary"}, "judge_unauthorized", "Enter the key anew"),
        (Behaviour(), {"model": "unknown"}, "judge_unknown_model", "ends in /v1"),
        (Behaviour(faults={"rate_limit": 1}), {}, "judge_rate_limited", "is full"),
        (Behaviour(faults={"fail": 1}), {}, "judge_failing", "500 Something went wrong"),
        (Behaviour(faults={"half": 1}), {}, "judge_failing", "kept"),
        (Behaviour(faults={"broken": 1}), {}, "judge_failing", "no chat completion"),
    ],
)
def test_a_judge_that_cannot_be_asked_ends_the_work_and_says_why(
    behaviour: Behaviour, values: dict[str, Any], code: str, says: str
) -> None:
    with stand_in(quality, behaviour) as (url, server), pytest.raises(JudgeDown) as stopped:
        asked(url, 40, **values)
    assert stopped.value.code == code
    assert says in stopped.value.detail
    assert "canary" not in str(stopped.value)
    assert sum(server.answered.values()) == 0
    assert server.requests < 80


def test_one_that_is_not_there_or_may_not_be_called_is_told_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(JudgeDown, match=r"127\.0\.0\.1 does not answer") as gone:
        asked(f"http://127.0.0.1:{free_port()}/v1")
    assert gone.value.code == "judge_unreachable"
    with pytest.raises(JudgeDown, match=r"KARAT_JUDGE_ALLOW=10\.0\.0\.7"):
        asked("http://10.0.0.7/v1")
    system = socket.getaddrinfo

    def resolved(host: str, *rest: Any, **how: Any) -> Any:
        return system("169.254.169.254" if host == "judge.example.org" else host, *rest, **how)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    with pytest.raises(JudgeDown, match="not a public address"):
        asked("http://judge.example.org/v1")


def test_a_server_that_is_full_is_left_alone_and_loses_nothing(
    served: tuple[str, StandIn],
) -> None:
    url, server = served
    server.behaviour.per_second = 30
    found, tally = asked(url, 60, concurrency=32, patience=Patience())
    assert {one.orders for one in found.values()} == {(BEST,)}
    assert not tally.without
    # Who only asks again is refused far more often than answered.
    assert 0 < server.statuses[429] < 60


def test_no_more_is_asked_in_a_minute_than_is_wanted(served: tuple[str, StandIn]) -> None:
    url, _ = served
    start = time.monotonic()
    found, _ = asked(url, 21, concurrency=16, requests_per_minute=1200)
    assert len(found) == 21
    assert time.monotonic() - start > 0.7


def test_a_redirect_is_not_followed() -> None:
    with receiver() as elsewhere, receiver() as there:
        there.answers = [status(307, location=elsewhere.url)]
        with pytest.raises(JudgeDown, match="redirects") as stopped:
            asked(there.url, 1)
    assert stopped.value.code == "judge_redirected"
    assert elsewhere.received == []


def test_one_question_that_fails_is_unranked_and_the_others_go_on() -> None:
    def broken(text: str) -> float:
        if text.startswith("Cluster 2?"):
            raise ValueError("this server cannot read that")
        return quality(text)

    with stand_in(broken) as (url, _):
        found, tally = asked(url, 12)
    assert {name: one.unranked for name, one in found.items() if one.unranked} == {2: "failed"}
    assert tally.without == {"failed": 1}


def test_what_a_server_does_not_take_is_left_out(served: tuple[str, StandIn]) -> None:
    url, server = served
    server.behaviour.not_taken = ("max_tokens", "temperature", "seed")
    found, tally = asked(url)
    assert {one.orders for one in found.values()} == {(BEST,)}
    assert not tally.without


@pytest.mark.usefixtures("installation")
def test_an_answer_that_comes_home_late_is_kept_as_long_as_its_judge_is(world: World) -> None:
    judge = add_judge(world)
    job = new_job(JobKind.PRUNE, project_id=world.project().id, params={})
    world.session.add(job)
    world.session.commit()
    judge_id, said = judge.id, ledger.Kept("[2]>[1]", "stop", 9, 5, 0.5)

    async def brought(key: bytes) -> ledger.Kept | None:
        answers = ledger.Ledger(sessions(), judge_id, job.id)
        await answers.keep(key, said)
        return await answers.find(key)

    async def all_of_it() -> None:
        assert await brought(b"1" * 32) == said
        world.session.delete(job)
        world.session.commit()
        assert await brought(b"2" * 32) == said
        world.session.delete(judge)
        world.session.commit()
        assert await brought(b"3" * 32) is None

    asyncio.run(all_of_it())


def test_nothing_is_paid_for_twice(served: tuple[str, StandIn], world: World) -> None:
    url, server = served
    judge = add_judge(world)
    first, tally = asked(url, 30, permutations=2, world=world, judge_id=judge.id)
    again, kept = asked(url, 30, permutations=2, world=world, judge_id=judge.id)
    assert [one.orders for one in again.values()] == [one.orders for one in first.values()]
    assert (tally.answered, tally.kept, kept.answered, kept.kept) == (60, 0, 0, 60)
    assert {one.paid for one in again.values()} == {0}
    assert set(server.answered.values()) == {1}
    # Another model, another server: other answers.
    _, other = asked(url, 1, world=world, judge_id=judge.id, model="other")
    assert other.answered == 1


def test_a_cap_holds_and_with_a_higher_one_it_goes_on_from_what_is_kept(
    served: tuple[str, StandIn], world: World
) -> None:
    url, server = served
    judge = add_judge(world)
    job = new_job(JobKind.PRUNE, project_id=world.project().id, params={})
    world.session.add(job)
    world.session.commit()
    price = Price(1000.0, 1000.0)
    given: dict[str, Any] = {
        "world": world, "judge_id": judge.id, "job_id": job.id, "price": price,
    }  # fmt: skip
    with pytest.raises(OverBudget, match="nothing is paid for twice") as stopped:
        asked(url, 50, most=5.0, **given)
    with sessions()() as session:
        spent = ledger.spent(session, job.id)
        kept = session.scalar(select(func.count()).select_from(JudgeAnswer))
    assert 2.0 < spent <= 5.0
    assert stopped.value.spent <= 5.0
    # What was on its way when the cap was reached is kept too.
    assert kept == sum(server.answered.values()) > 3
    found, tally = asked(url, 50, most=1000.0, **given)
    assert len(found) == 50
    assert set(server.answered.values()) == {1}
    assert tally.kept == kept


def test_a_cancel_waits_for_what_is_on_its_way_and_keeps_it(
    served: tuple[str, StandIn], world: World
) -> None:
    url, server = served
    server.behaviour.seconds = 0.3
    judge = add_judge(world)

    def cancelled() -> None:
        if server.requests >= 8:
            raise Cancelled

    with pytest.raises(Cancelled):
        asked(url, 1000, world=world, judge_id=judge.id, check=cancelled)
    with sessions()() as session:
        kept = session.scalar(select(func.count()).select_from(JudgeAnswer))
    assert kept == sum(server.answered.values()) >= 4


def test_a_trial_says_what_is_wrong(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch, installation: settings.Settings
) -> None:
    del installation
    monkeypatch.setenv("KARAT_JUDGE_ALLOW", "127.0.0.1")
    here = settings.Settings()
    admin = world.caller()
    bad, good = (f"Name the capital of France.\n\nThe capital of France is {rest}" for rest in (
        "Rome, which lies in Spain", "Paris"))  # fmt: skip
    truths = {row_key(good): 1.0, row_key(bad): 0.0}

    def trial(url: str) -> dict[str, Any]:
        judge = add_judge(world, base_url=url)
        path = f"/api/judges/{judge.id}"
        waiting = http.post(f"{path}/try", headers=admin.headers)
        assert (waiting.status_code, waiting.json()["trial"]["tried_at"]) == (202, None)
        try_all(sessions(), here)
        found: dict[str, Any] = http.get(path, headers=admin.headers).json()["trial"]
        assert found["tried_at"] is not None
        return found

    with stand_in(known(truths)) as (url, server):
        fine = trial(url)
        assert (fine["ok"], fine["text"], fine["problem"]) == (True, "[1]>[2]", None)
        for always, says in (("[1]>[2]", "It looks at places"), ("[1]", "Rows stay unranked")):
            server.behaviour.always = always
            found = trial(url)
            assert (found["ok"], found["text"]) == (False, always)
            assert says in found["problem"]
        server.behaviour.key = "right"
        assert "Enter the key anew" in trial(url)["problem"]
    assert "does not answer" in trial(url)["problem"]


def test_a_key_that_was_sealed_elsewhere_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_SECRET", "a" * 40)
    row = JudgeRow(name="Judy", base_url="https://a.org/v1", key_sealed=b"\x01" + bytes(60))
    with pytest.raises(JudgeDown, match=r"Judy cannot be read.*enter the key again"):
        JudgeSettings.of(row, settings.Settings())


def test_rows_are_embedded_by_the_server(served: tuple[str, StandIn]) -> None:
    url, _ = served
    texts = [f"row {number} about {'cats' if number % 2 else 'dogs'}" for number in range(110)]

    async def work(**values: Any) -> Any:
        given = JudgeSettings(1, url, "tiny", **values)
        async with Judge.opened(given, HERE) as judge:
            return joined(
                [await embed_block(judge, texts[:64]), await embed_block(judge, texts[64:])]
            )

    found = asyncio.run(work(embedding_model="small"))
    assert found.shape == (110, 64)
    assert abs((found**2).sum(1) - 1).max() < 1e-5
    assert found[1] @ found[3] > found[1] @ found[2]
    with pytest.raises(JudgeDown, match="no model that embeds"):
        asyncio.run(work())
