"""Judges that answer what nobody foresaw: what was paid for stays, and what went wrong is told."""

import asyncio
import json
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from core import settings
from core.tables import Judge as JudgeRow
from core.tables import JudgeAnswer
from karat.demo.stand_in_judge import Behaviour, stand_in
from tests.receiver import receiver, status
from tests.security.targets import add_judge
from tests.workers.test_judges import HERE, asked, quality
from tests.world import World
from workers.context import sessions
from workers.judges.client import Judge
from workers.judges.embeddings import embed
from workers.judges.errors import JudgeDown
from workers.judges.settings import JudgeSettings
from workers.judges.trial import try_all

DEEP = b"[" * 100_000


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
            *[bad(completion("[3]>[2]>[1]"))] * 3,
        ]
        found, tally = asked(there.url, 3, world=world, judge_id=judge.id)
    assert not any(one.unranked for one in found.values())
    assert (tally.answered, tally.malformed) == (4, 1)
    with sessions()() as session:
        kept = session.scalars(select(JudgeAnswer.content)).all()
    assert sorted(kept) == ["[3] \ufffd", *["[3]>[2]>[1]"] * 3]


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
            return await embed(judge, ["one"])

    row = b'{"data": [{"index": Infinity, "embedding": [1]}]}'
    with receiver() as there:
        there.answers = [status(200, row)]
        with pytest.raises(JudgeDown, match="not in the form"):
            asyncio.run(work(there.url))
