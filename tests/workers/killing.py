"""Killing a worker at the worst moments of a job."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NoReturn

from sqlalchemy import func

from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import JobState
from core.tables import Job
from karat.local.fork_server import ForkedProcess
from tests.processes import Hold, eventually, forked, worker
from tests.world import World
from workers.execution.runner import run_job
from workers.jobs.context import Phase


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
        process.wait(10)
    hold.forget()
    hold.let_go()
    # A dead worker's job is free after 1.5 silent seconds; time passes here in the row.
    world.session.refresh(job)
    job.heartbeat_at = func.now() - func.make_interval(0, 0, 0, 0, 0, 1)
    world.session.commit()


def victim(
    message: RunJob,
    where: str,
    moment: str,
    count: int,
    constants: Mapping[str, object] | None = None,
) -> ForkedProcess:
    """A process that runs a job and dies by SIGKILL at one call of a function.

    Args:
        message: the job.
        where: the function, as ``module:Class.function``.
        moment: ``before`` or ``after`` it does what it does.
        count: at which call, from 1.
        constants: what modules are to hold meanwhile, by ``module:name``.
    """
    return forked(_run_and_die, message, where, moment, count, dict(constants or {}))


def _run_and_die(
    message: RunJob, where: str, moment: str, count: int, constants: Mapping[str, object]
) -> None:
    for name, value in constants.items():
        _put(name, value)
    calls, original = 0, resolve_name(where)

    def deadly(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if (calls, moment) == (count, "before"):
            die()
        result = original(*arguments, **options)
        if calls == count:
            die()
        return result

    _put(where, deadly)
    run_job(message)


def _put(name: str, value: object) -> None:
    owner, _, attribute = name.replace(":", ".").rpartition(".")
    setattr(resolve_name(owner), attribute, value)


def die() -> NoReturn:
    """End this process at once, with nothing tidied."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def killed(run: Callable[..., None], *arguments: object) -> bool:
    """Whether a function, called in a process of its own, ends by SIGKILL."""
    return ended_by_kill(forked(run, *arguments))


def ended_by_kill(process: ForkedProcess, seconds: float = 60) -> bool:
    """Whether a process ends by SIGKILL; if not in time, it is made to end."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    code = process.poll()
    process.kill()
    process.wait()
    return code == -signal.SIGKILL
