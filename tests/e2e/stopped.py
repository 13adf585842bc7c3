"""What has stopped: a round that fails, and a job that has spent what it may."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from karat import Client
from karat.client.project import ProjectClient
from karat.demo.stand_in_judge import stand_in
from tests.answering import answer_by_name
from tests.e2e.labeled import images
from tests.processes import eventually

# Published nowhere, whatever reaches a hub from here.
MISSING: Final = {"name": "torchvision", "params": {"architecture": "resnet18000"}}
_CHOICE: Final[dict[str, Any]] = {"features": "hashed_ngrams", "largest": 4}


def failed_project(
    karat: Client, name: str, folder: Path, members: Sequence[int] = ()
) -> ProjectClient:
    """A project whose first round could not be closed, as nobody publishes the next one's model."""
    settings = {"input_size": 16, "budget": 6, "strategy": {"name": "random"}}
    made = karat.create_project(name, ["light", "dark"], settings=settings)
    for member in members:
        made.add_member(member)
    karat.wait(made.import_images(images(folder, 40))["id"])
    made.start()
    eventually(lambda: made.rounds()[0]["state"] == "open", "the first round opens")
    made.update(settings={"model": MISSING})
    answer_by_name(made, 6)
    eventually(lambda: made.rounds()[0]["state"] == "failed", "the round fails")
    return made


def judged(karat: Client, project: ProjectClient, paused: ProjectClient) -> tuple[int, int]:
    """Two jobs that ask a judge: one in each project, of which the other comes to its cap.

    The judge is a stand-in on this machine, which likes what is short, and is gone afterwards.
    """
    with stand_in(lambda text: 1 / len(text)) as (url, _):
        prices: dict[str, Any] = {
            **{"price_in": 1000, "price_out": 2000},
            **{"max_tokens": 64, "concurrency": 1},
        }
        judge = karat.judges.add("House judge", base_url=url, model="stand-in", **prices)
        karat.judges.attempt(judge["id"])
        chosen = project.start_job("select_instructions", _CHOICE | {"judge_id": judge["id"]})
        karat.wait(chosen["id"])
        capped = _CHOICE | {"judge_id": judge["id"], "spend_at_most": 1}
        stopped = paused.start_job("select_instructions", capped)
        eventually(lambda: karat.job(stopped["id"])["state"] == "paused", "it comes to its cap")
    return chosen["id"], stopped["id"]
