"""What a job would take: it gathers and checks as the job does, and measures a little of it."""

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from models.dry_run import PeakMemory
from workers.jobs.context import JobContext, Lost
from workers.labels.job_inputs import class_names
from workers.labels.snapshot import Snapshot

PHASES: Final = ("gather", "measure")


@dataclass(frozen=True)
class Cost:
    """What a phase of a job would take.

    Attributes:
        seconds: Of the whole phase.
        memory_bytes: What it holds beyond what was in memory while it was measured.
    """

    seconds: float
    memory_bytes: int = 0


@dataclass(frozen=True)
class DryRun:
    """How to measure a job that has gathered what it works with.

    Attributes:
        images: How many images it would learn from.
        phases: For each phase after the first, in their order, what measures it.
        notes: Sentences for the user about what was gathered.
        facts: What else the estimate says, asked when all is measured.
    """

    images: int
    phases: Mapping[str, Callable[[], Cost]]
    notes: tuple[str, ...] = ()
    facts: Callable[[], Mapping[str, Any]] = dict


def dry_run(context: JobContext, gather: Callable[[JobContext], DryRun]) -> dict[str, Any]:
    """Measure a job and leave nothing behind.

    Args:
        context: Of the job.
        gather: Does what the job's first phase does, and refuses what the job would refuse.

    Returns:
        The result: ``estimate`` with ``seconds``, ``memory_bytes``, ``device``, ``labeled`` (the
        images it would learn from), ``phases`` (seconds of each) and ``notes``.
    """
    context.plan(PHASES)
    try:
        estimate = _measured(context, gather)
    except Lost:
        # The files belong to whoever has the job now.
        raise
    except BaseException:
        shutil.rmtree(context.work, ignore_errors=True)
        raise
    shutil.rmtree(context.work, ignore_errors=True)
    return {"estimate": estimate}


def _measured(context: JobContext, gather: Callable[[JobContext], DryRun]) -> dict[str, Any]:
    started = time.perf_counter()
    with context.phase("gather"):
        context.work.mkdir(parents=True, exist_ok=True)
        prepared = gather(context)
    seconds = {"gather": time.perf_counter() - started}
    beyond = 0
    with context.phase("measure"), PeakMemory() as memory:
        for number, (name, measure) in enumerate(prepared.phases.items()):
            context.progress(number, len(prepared.phases))
            cost = measure()
            seconds[name] = cost.seconds
            beyond = max(beyond, cost.memory_bytes)
        peak = memory.bytes
    return {
        "seconds": round(sum(seconds.values()), 1),
        "memory_bytes": peak + beyond,
        "device": memory.device,
        "labeled": prepared.images,
        "phases": {name: round(value, 2) for name, value in seconds.items()},
        "notes": list(prepared.notes),
        **prepared.facts(),
    }


def class_notes(context: JobContext, snapshot: Snapshot) -> tuple[str, ...]:
    """Say which classes have a single labeled image, from which little can be learned."""
    _, labels = snapshot.inside()
    alone = snapshot.class_ids[np.bincount(labels, minlength=snapshot.classes) == 1]
    if len(alone) == 0:
        return ()
    names = ", ".join(class_names(context, alone))
    return (f"A single image is labeled with each of these classes: {names}. Label some more.",)
