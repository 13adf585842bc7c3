"""Kills and pauses of Karat's processes, at random moments that a seed decides."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Sequence

import psutil

from karat.local.stack import Stack

TARGETS = (
    "api",
    "worker-gpu",
    "worker-cpu",
    "worker-housekeeping",
    "scheduler",
    "postgres",
    "redis",
)
# What annotators and jobs depend on at every moment is hit more often.
_WEIGHTS = (4, 4, 2, 2, 1, 4, 2)


def make_trouble(stack: Stack, chance: random.Random, seconds: float, events: int) -> list[str]:
    """Spread ``events`` over ``seconds``; returns what was done. Everything runs on afterwards."""
    moments = sorted(chance.uniform(0, seconds) for _ in range(events))
    start, done = time.monotonic(), []
    for moment in moments:
        time.sleep(max(0.0, start + moment - time.monotonic()))
        target = chance.choices(TARGETS, _WEIGHTS)[0]
        kind = chance.choice(("kill", "kill", "pause"))
        pause = chance.uniform(0.5, 6.0)
        one = chance.random() < 0.3
        done.append(
            f"{moment:.1f} s: {kind} {target}" + (f" {pause:.1f} s" if kind == "pause" else "")
        )
        processes = _processes(stack, target)
        if kind == "kill":
            _signal(_chosen(processes, chance, one and target == "postgres"), signal.SIGKILL)
        else:
            _signal(processes, signal.SIGSTOP)
            time.sleep(pause)
            _signal(processes, signal.SIGCONT)
    return done


def _processes(stack: Stack, name: str) -> list[psutil.Process]:
    """The process of a name and its children, such as PostgreSQL's."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(stack.processes[name].pid)
        return [process, *process.children(recursive=True)]
    return []


def _chosen(
    processes: Sequence[psutil.Process], chance: random.Random, one_child: bool
) -> Sequence[psutil.Process]:
    """A single backend, after whose death PostgreSQL recovers by itself, or the whole server."""
    if one_child and len(processes) > 1:
        return [chance.choice(processes[1:])]
    return processes[:1]


def _signal(processes: Sequence[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if process.is_running():
                os.kill(process.pid, number)
