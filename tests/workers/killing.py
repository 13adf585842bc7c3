"""Killing a worker at the worst moments of a job."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import func

from core import queue
from core.messages import RunJob
from core.states import JobState
from core.tables import Job
from tests.processes import Hold, eventually, worker
from tests.world import World
from workers.context import Phase


def state(world: World, job: Job) -> JobState:
    """The state that a job is in now."""
    world.session.refresh(job)
    found = job.state
    world.session.commit()  # no transaction of the test stays open while a worker is at work
    return found


def named(phases: Sequence[Phase[Any]]) -> list[str]:
    """What the phases of a job are called, in their order."""
    return [phase.name for phase in phases]


def kill_in_every_phase(
    world: World, job: Job, message: RunJob, phases: Sequence[str], log: Path
) -> None:
    """Let a worker take ``job`` in each phase, and kill it before the phase is checkpointed."""
    for phase in phases:
        # Stopped when the phase's work is done and its checkpoint is about to be written.
        done = "coalesce({}.checkpoint->'seconds', '{{}}') ? '{}'"
        ends = f"{done.format('NEW', phase)} AND NOT {done.format('OLD', phase)}"
        _kill_when(world, job, message, ends, f"ends phase {phase}", log)


def kill_publishing(world: World, job: Job, message: RunJob, log: Path) -> None:
    """Kill a worker that has kept the files of ``job``, before their rows are committed."""
    published = "NEW.checkpoint ? 'result' AND NOT OLD.checkpoint ? 'result'"
    _kill_when(world, job, message, published, "publishes", log)


def kill_ending(world: World, job: Job, message: RunJob, log: Path) -> None:
    """Kill a worker that has published what ``job`` found, before the job ends."""
    ends = "NEW.state = 'succeeded' AND OLD.state <> 'succeeded'"
    _kill_when(world, job, message, ends, "ends the job", log)


def _kill_when(world: World, job: Job, message: RunJob, write: str, what: str, log: Path) -> None:
    hold = Hold("jobs", f"TG_OP = 'UPDATE' AND {write}")
    with worker(message.queue, log) as process:
        queue.send(message)
        eventually(hold.waiting, f"the worker {what}")
        process.kill()
        process.join(10)
    hold.forget()
    hold.let_go()
    # A dead worker's job is free after 1.5 silent seconds; time passes here in the row.
    world.session.refresh(job)
    job.heartbeat_at = func.now() - func.make_interval(0, 0, 0, 0, 0, 1)
    world.session.commit()
