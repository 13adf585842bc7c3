"""Choosing instructions: started through the API, run by a worker, asked of a stand-in judge."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.artifacts.selections import read_columns
from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import ArtifactKind, ExampleState, JobState
from core.tables import Artifact, Example, Job, JudgeAnswer, Project, Round
from karat.demo.stand_in_judge import Behaviour
from models.catalog.params.instructions import FpInstructionParams
from models.tasks.instructions.fp_instruction import choose as fp_instruction
from models.tasks.instructions.view import InstructionView, Ranked
from tests.processes import eventually, worker
from tests.workers.instructed import good_ones, judge_of, pool_of, rows_of
from tests.workers.killing import kill_in_every_phase, kill_publishing, named, state
from tests.workers.starting import done_job, run_here, start_job
from tests.world import World
from workers.instructions.choosing import columns_of
from workers.instructions.handler import PHASES
from workers.instructions.report import figures

QUICK = {"features": "hashed_ngrams", "largest": 4}


def choose(http: TestClient, world: World, project: Project, **params: Any) -> Job:
    """A job that was started and run in this process."""
    return done_job(http, world, project, "select_instructions", QUICK | params)


def go_on(http: TestClient, world: World, job: Job, **decided: Any) -> None:
    """Resume a paused job as decided, or retry one that has failed, and run it in this process."""
    path, headers = f"/api/jobs/{job.id}", world.caller().headers
    if decided:
        again = decide(http, world, job, **decided)
    else:
        again = http.post(f"{path}/retry", headers=headers)
    assert again.status_code == 200, again.json()
    run_here(world, job)


def decide(http: TestClient, world: World, job: Job, **decided: Any) -> Any:
    path = f"/api/jobs/{job.id}/resume"
    return http.post(path, json=decided, headers=world.caller().headers)


def selection(world: World, job: Job) -> tuple[Artifact, dict[str, Any]]:
    """The newest file of a job, and its columns."""
    statement = select(Artifact).where(
        Artifact.job_id == job.id, Artifact.kind == ArtifactKind.SELECTION
    )
    artifact = world.session.scalars(statement.order_by(Artifact.id.desc()).limit(1)).one()
    path = world.storage.artifact(artifact.storage_key)
    return artifact, read_columns(path, *pq.read_schema(path).names)


def kept(world: World, job: Job) -> set[int]:
    _, columns = selection(world, job)
    return set(columns["example_id"][columns["kept"]].tolist())


def paid(world: World) -> int:
    return world.session.scalar(select(func.count()).select_from(JudgeAnswer)) or 0


def test_the_judge_keeps_the_best_of_each_cluster_and_what_it_cost_is_told(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(6)
    project = pool_of(world, rows)
    held = world.session.scalars(
        select(Example).where(Example.project_id == project.id, Example.pool_index == 3)
    ).one()
    held.state = ExampleState.HELD_OUT
    world.session.commit()
    with judge_of(world, monkeypatch, truth) as (judge, served):
        job = choose(http, world, project, permutations=3)
        assert job.state is JobState.SUCCEEDED, job.error
        assert kept(world, job) == good_ones(world, project)
        assert job.result is not None
        result = job.result
        assert (result["rows"], result["kept"], result["clusters"]) == (23, 6, 6)
        assert result["by_reason"] == {"best_of_cluster": 6, "held_out": 1, "not_best": 17}
        asked = served.answered.total()
        # Of four rows there are few orders: one may be drawn twice, and is asked for once.
        assert result["judge"]["requests"] == asked <= 18
        assert result["judge"]["spent"] > 0
        assert (result["undecided"], result["unranked"]) == (0, 0)
        _, columns = selection(world, job)
        inside = columns["cluster"] >= 0
        assert set(columns["w"][inside].tolist()) == {1.0}
        assert set(columns["source"][inside].tolist()) == {"judge"}
        # What was answered once is answered for good.
        again = choose(http, world, project, permutations=3, judge_id=judge.id)
        assert kept(world, again) == good_ones(world, project)
        assert again.result is not None
        assert again.result["judge"]["kept_answers"] == 18
        assert again.result["judge"]["spent"] == 0
        assert served.answered.total() == asked


def test_rows_that_are_alone_are_asked_about_kept_or_dropped(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(8, each=1)
    for number, key in enumerate(truth):
        truth[key] = number % 2
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth) as (_, served):
        asked = choose(http, world, project, clusters=8)
        assert asked.result is not None, asked.error
        assert asked.result["by_reason"] == {"alone_kept": 4, "alone_wrong": 4}
        before = served.requests
        for singletons, reasons in (("keep", {"alone_kept": 8}), ("drop", {"alone_dropped": 8})):
            job = choose(http, world, project, clusters=8, singletons=singletons)
            assert job.result is not None, job.error
            assert job.result["by_reason"] == reasons
        assert served.requests == before


@pytest.mark.parametrize(
    ("method", "reasons"),
    [
        ("sample_scores", {"score": 12, "low_score": 12}),
        ("k_means_random", {"drawn": 6, "not_drawn": 18}),
        ("max_cover", {"covers": 6, "covered": 18}),
        ("random", {"drawn": 6, "not_drawn": 18}),
        ("longest", {"long": 6, "short": 18}),
    ],
)
def test_other_methods_choose_too(
    http: TestClient,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    reasons: dict[str, int],
) -> None:
    rows, truth = rows_of(6)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth) as (_, served):
        params: dict[str, Any] = {} if method == "sample_scores" else {"target": 6}
        job = choose(http, world, project, method=method, at_least=3.5, **params)
        assert job.result is not None, job.error
        assert job.result["by_reason"] == reasons
        assert job.result["kept"] == len(kept(world, job)) == max(6, reasons.get("score", 0))
        assert (served.requests > 0) == (method == "sample_scores")
        assert (job.result["judge"] is not None) == (method == "sample_scores")


def test_the_server_of_the_judge_can_embed(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(4)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth) as (judge, _):
        job = choose(http, world, project, features="judge", permutations=3)
        assert job.state is JobState.SUCCEEDED, job.error
        assert kept(world, job) == good_ones(world, project)
        embedded = world.session.scalars(
            select(JudgeAnswer).where(JudgeAnswer.finish == "embeddings")
        ).one()
        assert embedded.job_id == job.id
        assert embedded.cost > 0
        monkeypatch.setattr("workers.instructions.features.EMBEDDED_AT_ONCE", 3)
        more = {"features": "judge", "method": "k_means_random", "target": 4}
        capped = choose(http, world, project, **more, spend_at_most=0.9 * embedded.cost)
        assert state(world, capped) is JobState.PAUSED
        pause = capped.pause
        assert pause is not None
        assert (pause["what"], pause["of"], pause["may_finish"]) == ("texts", 16, False)
        assert 0 < pause["done"] < 16
        own = select(JudgeAnswer.cost).where(JudgeAnswer.job_id == capped.id)
        costs = world.session.scalars(own).all()
        # Also what was on its way when it came to the cap.
        assert pause["spent"] == pytest.approx(sum(costs), abs=1e-6)
        # As estimated, a token for four characters.
        left = embedded.cost * (1 - pause["done"] / 16)
        assert pause["rest"] == pytest.approx(left, rel=0.5)
        refused = decide(http, world, capped, finish=True)
        assert refused.json()["code"] == "nothing_to_finish_with"
        # What another model says is not mixed with it.
        judge.embedding_model = "another"
        world.session.commit()
        go_on(http, world, capped, spend_at_most=1)
        assert state(world, capped) is JobState.SUCCEEDED
        assert len(world.session.scalars(own).all()) == len(costs) + 6


def test_a_killed_job_goes_on_and_pays_for_nothing_twice(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KARAT_STALE_SECONDS", "1.5")
    rows, truth = rows_of(5)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth) as (_, served):
        job = start_job(
            http, world, project, "select_instructions",
            QUICK | {"permutations": 2, "people_most": 3, "audit_share": 0.4},
        )  # fmt: skip
        message = RunJob.of(job)
        log = tmp_path / "worker.log"
        # The others leave a file each, as these do.
        kill_in_every_phase(world, job, message, ["embed", "ask", "choose"], log)
        kill_publishing(world, job, message, log)
        with worker(message.queue, log):
            queue.send(message)
            eventually(lambda: state(world, job) is not JobState.RUNNING, "the job ends")
        assert state(world, job) is JobState.SUCCEEDED, log.read_text()
        assert kept(world, job) == good_ones(world, project)
        assert max(served.answered.values()) == 1
        assert served.answered.total() == paid(world) == 10
        found = world.session.scalars(select(Artifact).where(Artifact.job_id == job.id)).all()
        assert len(found) == 1
        rounds = world.session.scalars(select(Round).where(Round.project_id == project.id)).all()
        assert [one.queries for one in rounds] == [2]


def test_a_cap_pauses_the_job_which_goes_on_with_more_to_spend(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(8)
    project = pool_of(world, rows)
    headers = world.caller().headers
    with judge_of(world, monkeypatch, truth, concurrency=1) as (judge, served):
        cap = 0.004
        job = choose(http, world, project, permutations=2, spend_at_most=cap)
        assert state(world, job) is JobState.PAUSED
        shown = http.get(f"/api/jobs/{job.id}", headers=headers).json()
        assert (shown["error"], shown["result"], shown["finished_at"]) == (None, None, None)
        pause = shown["pause"]
        assert (pause["cap"], pause["what"], pause["of"]) == (cap, "clusters", 8)
        assert 0 < pause["spent"] <= cap
        assert pause["done"] > 0
        assert pause["may_finish"]
        first = served.answered.total()
        assert 0 < first < 16
        # Neither a failure nor at its end: who was told may decide.
        refused = http.post(f"/api/jobs/{job.id}/retry", headers=headers)
        assert refused.json()["code"] == "job_paused"
        assert decide(http, world, job, spend_at_most=cap / 2).json()["code"] == "cap_too_low"
        gone = http.delete(f"/api/judges/{judge.id}", headers=headers)
        assert "Resume it first" in gone.json()["detail"]
        assert state(world, job) is JobState.PAUSED
        tries = 0
        while state(world, job) is JobState.PAUSED and tries < 10:
            tries, cap = tries + 1, cap * 1.5
            go_on(http, world, job, spend_at_most=cap)
        assert state(world, job) is JobState.SUCCEEDED, job.error
        assert tries > 0
        assert served.answered.total() == 16
        assert max(served.answered.values()) == 1
        assert kept(world, job) == good_ones(world, project)
        assert job.result is not None
        # What the rest was said to cost about, it did.
        assert job.result["judge"]["spent"] == pytest.approx(
            pause["spent"] + pause["rest"], rel=0.35
        )


def test_a_job_at_its_cap_can_end_with_what_is_there_or_be_cancelled(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(8)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth, concurrency=1) as (judge, served):
        job = choose(http, world, project, spend_at_most=0.0025)
        assert job.pause is not None
        done = job.pause["done"]
        each = job.pause["spent"] / done
        # Nothing more is asked of it, so nothing is mixed.
        judge.max_tokens += 1
        world.session.commit()
        go_on(http, world, job, finish=True)
        assert state(world, job) is JobState.SUCCEEDED, job.error
        assert job.result is not None
        assert served.answered.total() == done == len(kept(world, job)) < 8
        assert kept(world, job) < good_ones(world, project)
        assert (job.result["unranked"], job.result["by_reason"]["unranked"]) == (
            8 - done,
            4 * (8 - done),
        )
        assert job.result["judge"]["unanswered"] == {"not_asked": 8 - done}
        [warning] = [one for one in job.result["warnings"] if "nothing was guessed" in one]
        assert f"not asked about {4 * (8 - done)} of 32 texts" in warning
        other = choose(http, world, project, permutations=2, spend_at_most=0.001)
        assert state(world, other) is JobState.PAUSED
        cancelled = http.post(f"/api/jobs/{other.id}/cancel", headers=world.caller().headers)
        assert (cancelled.json()["state"], cancelled.json()["pause"]) == ("cancelled", None)
        # Of one that hardly looks, what was seen until then is said.
        judge.model, served.behaviour.always = "hasty", "[1]>[2]>[3]>[4]"
        world.session.commit()
        hasty = choose(http, world, project, permutations=6, spend_at_most=36 * each)
        assert state(world, hasty) is JobState.PAUSED
        go_on(http, world, hasty, finish=True)
        assert hasty.result is not None, hasty.error
        assert any("often repeats the order" in one for one in hasty.result["warnings"])


@pytest.mark.parametrize(
    ("behaviour", "fields", "code"),
    [
        (Behaviour(key="another"), {}, "judge_unauthorized"),
        (Behaviour(), {"model": "unknown"}, "judge_unknown_model"),
    ],
)
def test_a_judge_that_cannot_be_asked_stops_the_job_with_the_reason(
    http: TestClient,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    behaviour: Behaviour,
    fields: dict[str, Any],
    code: str,
) -> None:
    rows, truth = rows_of(4)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth, behaviour) as (judge, _):
        good = judge.base_url
        for name, value in fields.items():
            setattr(judge, name, value)
        world.session.commit()
        job = choose(http, world, project)
        assert state(world, job) is JobState.FAILED
        assert job.error is not None
        assert job.error["code"] == code
        assert world.session.scalar(select(Artifact.id).where(Artifact.job_id == job.id)) is None
        # Put right, it goes on.
        judge.base_url, judge.model, behaviour.key = good, "stand-in", None
        world.session.commit()
        go_on(http, world, job)
        assert state(world, job) is JobState.SUCCEEDED, job.error
        assert kept(world, job) == good_ones(world, project)


def test_a_judge_that_always_says_the_same_ranks_nothing_and_nothing_is_guessed(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(6)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth, Behaviour(always="[1]")) as (_, served):
        job = choose(http, world, project, permutations=2, people_most=4)
        assert job.state is JobState.SUCCEEDED, job.error
        assert job.result is not None
        assert (job.result["kept"], job.result["unranked"]) == (0, 6)
        assert job.result["by_reason"] == {"unranked": 24}
        assert any("nothing was guessed" in one for one in job.result["warnings"])
        # What nobody could rank, people are asked.
        assert job.result["people"]["asked"] == 4
        assert job.result["people"]["audit"] == 0
        # Of many more it asks no further.
        monkeypatch.setattr("workers.instructions.judging._PATIENCE", 3)
        served.behaviour.always = "Row 1."
        before = served.requests
        other = pool_of(world, rows_of(8)[0])
        stopped = choose(http, world, other)
        assert stopped.error is not None
        assert stopped.error["code"] == "judge_not_understood"
        assert served.requests - before < 16


def test_an_estimate_tells_requests_tokens_and_price_and_leaves_nothing(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(8)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth) as (_, served):
        job = done_job(
            http, world, project, "select_instructions", QUICK | {"permutations": 3}, dry_run=True
        )
        assert job.result is not None, job.error
        estimate = job.result["estimate"]
        assert set(estimate["phases"]) == set(named(PHASES))
        assert (estimate["labeled"], estimate["requests"]) == (32, 24)
        asked = served.requests
        assert asked == 3
        done = choose(http, world, project, permutations=3)
        assert done.result is not None
        cost = done.result["judge"]
        real = cost["tokens_in"] + cost["tokens_out"]
        assert real <= estimate["tokens_in"] + estimate["tokens_out"] <= 2 * real
        assert cost["spent"] <= estimate["price"] <= 2 * cost["spent"]
        work = world.storage.work(job.id)
        assert not work.exists()


def test_what_is_missing_is_said_at_once(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(3)
    project = pool_of(world, rows)
    headers = world.caller().headers
    jobs = f"/api/projects/{project.id}/jobs"
    for params, code in (({}, "no_judge"), ({"judge_id": 7}, "unknown_judge")):
        body: dict[str, Any] = {"kind": "select_instructions", "params": params}
        refused = http.post(jobs, json=body, headers=headers)
        assert refused.json()["code"] == code
    few = choose(http, world, project, method="k_means_random", clusters=2)
    assert few.error is not None
    assert "do not fit into 2 clusters" in few.error["detail"]
    with judge_of(world, monkeypatch, truth, price_in=None, price_out=None):
        free = choose(http, world, project, spend_at_most=1)
        assert free.error is not None
        assert "has no prices" in free.error["detail"]
        # Whoever is asked stays so, however many judges are added.
        assert isinstance(free.params["judge_id"], int)
    classes = world.texts(["one", "two"])
    body = {"kind": "select_instructions", "params": {"method": "random"}}
    refused = http.post(f"/api/projects/{classes.id}/jobs", json=body, headers=headers)
    assert refused.json()["code"] == "not_for_task"


def test_another_judge_begins_anew_and_a_group_that_is_held_out_is_not_asked_about(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, truth = rows_of(6)
    project = pool_of(world, rows)
    with judge_of(world, monkeypatch, truth, Behaviour(bias=1.0), concurrency=1) as (judge, served):
        params = {"permutations": 2, "people_most": 6, "audit_share": 1.0, "spend_at_most": 0.002}
        job = choose(http, world, project, **params)
        assert state(world, job) is JobState.PAUSED
        before = served.answered.total()
        # What the other has said is not mixed with what this one says.
        judge.model, judge.price_in, judge.price_out = "better", 0.0, 0.0
        held = world.session.scalars(
            select(Example).where(Example.project_id == project.id, Example.pool_index == 5)
        ).one()
        held.state = ExampleState.HELD_OUT
        world.session.commit()
        go_on(http, world, job, spend_at_most=0.003)
        assert state(world, job) is JobState.SUCCEEDED, job.error
        assert served.answered.total() == before + 12
        assert job.result is not None
        # It was not held out when the job began.
        assert job.result["rows"] == 24
        assert job.result["people"]["refused"] is None
        assert (job.result["people"]["asked"], job.result["people"]["audit"]) == (5, 5)


def test_clusters_of_which_chance_tells_nothing_do_not_count_as_rankable() -> None:
    clusters = np.repeat([0, 1, 2], [2, 2, 4])
    same, other = ((0, 1),) * 5, ((0, 1), (0, 1), (1, 0))
    rankings = {0: Ranked(same), 1: Ranked(other), 2: Ranked(((0, 1, 2, 3),) * 3)}
    view = InstructionView(n=8, clusters=clusters, rankings=rankings)
    columns = columns_of(
        fp_instruction(view, FpInstructionParams(permutations=5)), clusters, rankings, judged=True
    )
    # Five orders of two rows are the same once in sixteen times.
    assert np.isnan(columns["p_value"][:4]).all()
    assert columns["status"][[0, 2, 4]].tolist() == ["decided", "undecided", "decided"]
    columns |= {"topic": np.full(8, -1), "length": np.ones(8, dtype=np.int64)}
    assert figures(columns)["rankable"] == {"share": 1.0, "of": 1}
