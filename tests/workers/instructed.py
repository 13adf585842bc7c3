"""Pools of instruction data whose good rows are known, and a judge that knows them."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from core.settings import settings
from core.tables import Example, Judge, Project
from core.tasks.instruction_rows import InstructionRow, rendered
from karat.demo.stand_in_judge import Behaviour, StandIn, known, row_key, stand_in
from models.media.texts.store import TextStore
from tests.instructions import instructions
from tests.processes import ROOT, fork_server
from tests.world import World
from workers.jobs import context

TOPICS = {
    "tea": "leaves kettle steep porcelain infusion samovar",
    "snow": "avalanche glacier flakes blizzard sledge thaw",
    "bread": "yeast dough oven crust sourdough flour",
    "trains": "locomotive rails conductor platform signal carriage",
    "owls": "feathers nocturnal talons hoot prey nest",
    "rivers": "delta estuary current tributary meander bank",
    "chess": "rook bishop checkmate gambit castling pawn",
    "violins": "bow strings resin luthier concerto fiddle",
}
"""Words of each that no other has, so that rows of a topic are alike."""
_SAID = ("Rightly so.", "Perhaps so.", "Hardly.", "All made up.")


def rows_of(topics: int, each: int = 4) -> tuple[list[InstructionRow], dict[bytes, float]]:
    """Rows of topics, a good one first in each, and how good each row is by ``row_key``."""
    rows, truth = [], {}
    for topic, words in list(TOPICS.items())[:topics]:
        for place in range(each):
            row = InstructionRow(
                instruction=f"What have {topic} to do with {words}?",
                responses=(f"{topic.title()}: {words}. {_SAID[place]}",),
            )
            rows.append(row)
            truth[row_key(rendered(row))] = 1 - place / each
    return rows, truth


def pool_of(world: World, rows: list[InstructionRow], **settings_: Any) -> Project:
    """A project of these rows, which jobs can read."""
    project = instructions(world, rows, **settings_)
    with TextStore.writer(world.storage.texts(project.id)) as writer:
        writer.write(0, [rendered(row) for row in rows])
    return project


class ForkedCourier:
    """A courier as `subprocess.Popen` has it, of this process; each else imports for a second."""

    def __init__(self, life: int) -> None:
        """Fork it, and let it take its end of what ``life`` reads."""
        with tempfile.TemporaryDirectory() as folder:
            asked = Path(folder, "asked")
            os.mkfifo(asked)
            answers, theirs = os.pipe()
            self._process = fork_server().fork(
                "tests.workers.courier",
                [str(os.getpid()), str(life), str(asked)],
                output=theirs,
                errors=sys.stderr.fileno(),
                directory=ROOT,
                environment=os.environ,
            )
            os.close(theirs)
            self.stdout = os.fdopen(answers, "rb")
            # Waits for the other end.
            self.stdin = asked.open("wb")

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, as `subprocess.Popen` does."""
        return self._process.wait(timeout)


@contextmanager
def judge_of(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    truth: dict[bytes, float],
    behaviour: Behaviour | None = None,
    **fields: Any,
) -> Iterator[tuple[Judge, StandIn]]:
    """A judge that answers until the end of the block."""
    monkeypatch.setattr("workers.judges.dispatch._started", ForkedCourier)
    monkeypatch.setenv("KARAT_JUDGE_ALLOW", "127.0.0.1")
    settings.cache_clear()
    with stand_in(known(truth), behaviour) as (url, served):
        given = {
            "name": f"Judge {url[-8:]}",
            "model": "stand-in",
            "embedding_model": "stand-in",
            "price_in": 1.0,
            "price_out": 2.0,
            "concurrency": 4,
            "timeout": 10.0,
            "max_tokens": 64,
        }
        judge = Judge(base_url=url, **{**given, **fields})
        world.session.add(judge)
        world.session.commit()
        yield judge, served
    context.sessions().kw["bind"].dispose()


def good_ones(world: World, project: Project, each: int = 4) -> set[int]:
    """Ids of the best row of each topic."""
    statement = select(Example.id).where(
        Example.project_id == project.id, Example.pool_index % each == 0
    )
    return set(world.session.scalars(statement))
