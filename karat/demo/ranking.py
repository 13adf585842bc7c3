"""The demo of instructions: a stand-in judge ranks, simulated people rank what it leaves open."""

import contextlib
import hashlib
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from core.tasks.instruction_rows import InstructionRow, rendered
from karat.client.client import Client
from karat.client.labeling_types import Answer, Query
from karat.client.project import ProjectClient
from karat.client.resources import Job
from karat.client.selections import Selection
from karat.client.transport import KaratError
from karat.demo.demo_instructions import InstructionPool
from karat.demo.stand_in_judge import MODEL, Behaviour, known, row_key, stand_in

JUDGE_NAME: Final = "Stand-in (no model)"
TITLE: Final = "Instructions"
GUIDELINES: Final = (
    "Rank the rows of each group, the best to tune a model on first; mark with X what is wrong or "
    "harmful. This is the demo: the rows are made up, and the judge is no model but a stand-in, a "
    "small server that was told which rows are wrong and errs on purpose in 15 of 100 comparisons."
)
_ERROR: Final = 0.15
_BIAS: Final = 0.1
_LIKING: Final = 0.05
_PEOPLE_ERR: Final = 0.05
_PEOPLE_MOST: Final = 25
_AUDIT_SHARE: Final = 0.25
_SECONDS: Final = 120.0


@contextlib.contextmanager
def judge_at_hand(client: Client, pool: InstructionPool) -> Iterator[int]:
    """A stand-in that answers until the end of the block; yields the number of the judge.

    Args:
        client: The admin's connection.
        pool: What it knows.
    """
    behaviour = Behaviour(error=_ERROR, bias=_BIAS, seconds=0.05)
    # Of rows that are equally good it prefers one for no reason, always the same.
    liked = {key: quality - _LIKING * key[0] / 255 for key, quality in pool.truth.items()}
    with stand_in(known(liked), behaviour) as (url, _):
        fields: dict[str, Any] = {
            "base_url": url, "model": MODEL, "concurrency": 16, "price_in": 0.15, "price_out": 0.6,
        }  # fmt: skip
        for one in client.judges.list():
            if one["name"] == JUDGE_NAME:
                client.judges.update(one["id"], **fields)
                yield one["id"]
                return
        yield client.judges.add(JUDGE_NAME, **fields)["id"]


def create_project(
    client: Client, pool: InstructionPool, on_progress: Callable[[Job], None]
) -> ProjectClient:
    """Make a project with the rows of a pool, and wait until they are in.

    Args:
        client: The admin's connection.
        pool: The rows.
        on_progress: Called with the import's job each time it is looked at.
    """
    taken = {project["name"] for project in client.projects()}
    names = [TITLE, *(f"{TITLE} {number}" for number in range(2, len(taken) + 2))]
    project = client.create_project(
        next(name for name in names if name not in taken),
        [],
        medium="text",
        task="instructions",
        guidelines=GUIDELINES,
    )
    with tempfile.TemporaryDirectory(prefix="karat-") as directory:
        path = Path(directory) / "instructions.jsonl"
        pool.write(path)
        client.wait(project.import_images(path)["id"], on_progress)
    return project


def choose(
    client: Client, project: ProjectClient, judge_id: int, on_progress: Callable[[Job], None]
) -> Job:
    """Let the judge rank clusters of alike rows, three times each, and wait for the choice.

    Args:
        client: The admin's connection.
        project: The project.
        judge_id: The judge.
        on_progress: Called with the job each time it is looked at.
    """
    params = {
        "method": "fp_instruction",
        "judge_id": judge_id,
        "permutations": 3,
        "largest": 6,
        "people_most": _PEOPLE_MOST,
        "audit_share": _AUDIT_SHARE,
    }
    return client.wait(project.start_job("select_instructions", params)["id"], on_progress)


class Ranker:
    """Somebody who ranks over REST, knows the truth, and errs now and then."""

    def __init__(self, admin: Client, project: ProjectClient, pool: InstructionPool) -> None:
        """Make the user.

        Args:
            admin: The admin's connection.
            project: The project, of which the user becomes a member.
            pool: What is known of its rows.
        """
        email, password = "ranker@demo.karat.local", secrets.token_urlsafe(12)
        user = next((one for one in admin.users() if one["email"] == email), None)
        if user is None:
            user = admin.create_user(email, password, name="Ranker", role="annotator")
        else:
            admin.update_user(user["id"], password=password)
        project.add_member(user["id"])
        with Client(admin.url) as session:
            session.login(email, password)
            token = session.create_token("demo", expires_in_days=1, scope="label")["secret"]
        self._client = Client(admin.url, token)
        self._project = self._client.project(project.id)
        self._truth: Mapping[bytes, float] = pool.truth

    def run(self, most: int, pause: float, on_ranked: Callable[[int], None]) -> int:
        """Rank groups, and return how many that were.

        Args:
            most: How many, at most.
            pause: Seconds between two answers, to be watched.
            on_ranked: Told how many are ranked.
        """
        ranked = 0
        with self._client:
            while ranked < most and (items := self._project.lease(1)["items"]):
                self._project.answer([self.answer(one) for one in items])
                ranked += len(items)
                on_ranked(ranked)
                time.sleep(pause)
        return ranked

    def answer(self, query: Query) -> Answer:
        """The order of the rows of a query, those tied that are equally good."""
        members = query["members"]
        assert members is not None
        qualities = {one["example_id"]: self._quality(one["fields"]) for one in members}
        wrong = [one for one, quality in qualities.items() if quality < 0.5]
        levels = sorted({qualities[one] for one in qualities if one not in wrong}, reverse=True)
        order = [[one for one in qualities if qualities[one] == level] for level in levels]
        if len(order) > 1 and self._chance(query["query_id"]) < _PEOPLE_ERR:
            order[:2] = order[1::-1]
        label = {"type": "instructions", "order": order, "wrong": wrong}
        return {
            "query_id": query["query_id"], "verdict": "label", "label": label, "seconds": 6.0,
        }  # fmt: skip

    def _quality(self, fields: Mapping[str, Any]) -> float:
        return self._truth[row_key(rendered(InstructionRow.model_validate(fields)))]

    @staticmethod
    def _chance(query_id: int) -> float:
        return hashlib.sha256(str(query_id).encode()).digest()[0] / 256


def after_people(project: ProjectClient, job_id: int) -> Selection:
    """The selection that follows people, once their round has closed.

    Args:
        project: The project.
        job_id: The job that has chosen.

    Raises:
        KaratError: ``round_not_closed``, the round did not close in time.
    """
    deadline = time.monotonic() + _SECONDS
    while project.rounds() and project.rounds()[-1]["state"] != "closed":
        if time.monotonic() > deadline:
            raise KaratError("round_not_closed", "The round of rankings did not close in time.")
        time.sleep(0.3)
    return project.selection(job_id).get()


def wrong_share(project: ProjectClient, job_id: int, pool: InstructionPool) -> float:
    """The share of the kept rows that are wrong, by the truth that only the demo knows.

    Args:
        project: The project.
        job_id: The job that has chosen.
        pool: The rows.
    """
    truth = pool.truth
    kept = [
        truth[row_key(rendered(InstructionRow.model_validate(row["fields"])))]
        for row in project.selection(job_id).rows(kept=True)
    ]
    return sum(one < 0.5 for one in kept) / len(kept) if kept else 0.0
