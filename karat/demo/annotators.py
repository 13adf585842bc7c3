"""Simulated annotators: REST clients that know the truth and sometimes err."""

import contextlib
import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from karat.client.client import Client
from karat.client.labeling_types import Answer, Query
from karat.client.project import ProjectClient
from karat.client.resources import Class
from karat.client.transport import KaratError

_BATCH = 16


@dataclass(frozen=True)
class Judge:
    """Decides verdicts. The same image gets the same verdict in every run with the same seed.

    Attributes:
        truth: For each image's name its class, or None if it is out of distribution.
        class_ids: The project's number of each class.
        wrong: Share of the verdicts that are wrong, 0 to 1.
        seed: Decides which.
    """

    truth: Mapping[str, str | None]
    class_ids: Mapping[str, int]
    wrong: float
    seed: int

    @classmethod
    def of(
        cls, truth: Mapping[str, str | None], classes: list[Class], wrong: float, seed: int
    ) -> "Judge":
        """A judge for a project.

        Args:
            truth: For each image's name its class, or None if it is out of distribution.
            classes: The project's classes.
            wrong: Share of the verdicts that are wrong, 0 to 1.
            seed: Decides which.

        Returns:
            The judge.
        """
        return cls(truth, {one["name"]: one["id"] for one in classes}, wrong, seed)

    def answer(self, query: Query) -> Answer:
        """The verdict on an image, after one to two pretended seconds.

        Args:
            query: The image.

        Returns:
            The answer.
        """
        digest = hashlib.sha256(f"{self.seed}:{query['name']}".encode()).digest()
        chance, choice, time = (
            int.from_bytes(digest[start : start + 4]) / 2**32 for start in (0, 4, 8)
        )
        verdict = self.truth[query["name"]]
        if chance < self.wrong:
            others = [one for one in (*self.class_ids, None) if one != verdict]
            verdict = others[int(choice * len(others))]
        seconds = round(1.0 + time, 3)
        if verdict is None:
            return {"query_id": query["query_id"], "verdict": "ood", "seconds": seconds}
        return {
            "query_id": query["query_id"],
            "verdict": "label",
            "class_id": self.class_ids[verdict],
            "seconds": seconds,
        }


class Annotator(threading.Thread):
    """Labels a project's queries until told to stop, or until a round it is not asked for."""

    def __init__(
        self,
        client: Client,
        project: ProjectClient,
        judge: Judge,
        *,
        rounds: int,
        pause: float,
        stopped: threading.Event,
    ) -> None:
        """Prepare the annotator; ``start`` starts it.

        Args:
            client: The annotator's own connection, closed at the end.
            project: The project, through that connection.
            judge: Decides the verdicts.
            rounds: Queries of this round and of later ones are left alone.
            pause: Seconds between verdicts, to be watched; 0 answers in batches.
            stopped: Set by anyone to end all annotators, also by one that fails.
        """
        super().__init__(name="annotator", daemon=True)
        self.error: Exception | None = None
        self._client = client
        self._project = project
        self._judge = judge
        self._rounds = rounds
        self._pause = pause
        self._stopped = stopped

    def run(self) -> None:
        """Label until stopped."""
        try:
            while not self._stopped.is_set():
                if not self._label_some():
                    self._stopped.wait(0.25)
        except Exception as error:
            self.error = error
            self._stopped.set()
        finally:
            # What it holds would wait for its lease to end, and nobody else could judge it.
            with contextlib.suppress(KaratError):
                self._project.release()
            self._client.close()

    def _label_some(self) -> bool:
        """Lease some queries and answer them; returns whether there were any."""
        lease = self._project.lease(_BATCH)
        queries = [one for one in lease["items"] if one["round"] < self._rounds]
        if not queries:
            return False
        size = 1 if self._pause else _BATCH
        for start in range(0, len(queries), size):
            if self._stopped.wait(self._pause):
                self._project.release()
                break
            chosen = queries[start : start + size]
            self._project.answer([self._judge.answer(one) for one in chosen])
        return True
