"""Annotators with an outbox, as the browser has one: an answer is sent until it is acknowledged."""

import random
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import httpx


@dataclass
class Sent:
    """What annotators have sent and been told, over a whole run."""

    acknowledged: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    retries: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, key: str, annotation_id: int) -> None:
        with self.lock:
            before = self.acknowledged.setdefault(key, annotation_id)
            if before != annotation_id:
                self.wrong.append(f"{key} was stored as {before} and as {annotation_id}")

    def complain(self, what: str) -> None:
        with self.lock:
            self.wrong.append(what)


class Annotator(threading.Thread):
    """Labels one project until told to stop, and ends when its outbox is empty.

    Only one that is told to give up leaves answers in it, which nobody acknowledged.
    """

    def __init__(
        self, url: str, token: str, project: int, classes: list[int], sent: Sent, seed: int
    ):
        super().__init__(name=f"annotator-{seed}", daemon=True)
        self.stopping, self.giving_up = threading.Event(), threading.Event()
        self._random = random.Random(seed)
        self._url = f"{url}/api/projects/{project}/labeling"
        self._token, self._classes, self._sent = token, classes, sent
        self._client = str(uuid.uuid4())
        self._outbox: list[dict[str, Any]] = []

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        with httpx.Client(headers=headers, timeout=httpx.Timeout(5.0)) as http:
            while not self.stopping.is_set():
                self._label(http)
            while self._outbox and not self.giving_up.is_set():
                self._flush(http)

    def _label(self, http: httpx.Client) -> None:
        leased = self._post(http, "lease", {"n": self._random.choice((1, 4, 8))})
        queries = leased["items"] if leased else []
        if not queries:
            self.stopping.wait(0.5)
        for query in queries:
            self._outbox.append(self._answer(query["query_id"]))
            # Sometimes several wait, as after a moment without a network.
            if self._random.random() < 0.7:
                self._flush(http)
            self.stopping.wait(self._random.random() * 0.1)
        self._flush(http)

    def _answer(self, query: int, supersedes: str | None = None) -> dict[str, Any]:
        verdict = self._random.choices(("label", "ood", "unsure", "skip"), (6, 3, 1, 1))[0]
        answer = {
            "key": str(uuid.UUID(int=self._random.getrandbits(128), version=4)),
            "query_id": query,
            "verdict": verdict,
            "seconds": 1.0,
            "supersedes": supersedes,
        }
        return answer | (
            {"class_id": self._random.choice(self._classes)} if verdict == "label" else {}
        )

    def _flush(self, http: httpx.Client) -> None:
        if not self._outbox:
            return
        batch = self._outbox[:16]
        stored = self._post(http, "answers", {"answers": batch})
        if stored is None:
            return
        for answer, result in zip(batch, stored["results"], strict=True):
            if result["key"] != answer["key"] or result["status"] == "rejected":
                self._sent.complain(f"answer {answer} came to {result}")
            else:
                self._sent.acknowledge(answer["key"], result["annotation_id"])
        del self._outbox[: len(batch)]
        chance = self._random.random()
        if chance < 0.05:
            # A second tab sends what the first has sent.
            self._outbox += batch
        elif chance < 0.1:
            last = batch[-1]
            self._outbox.append(self._answer(last["query_id"], last["key"]))

    def _post(self, http: httpx.Client, what: str, body: dict[str, Any]) -> Any:
        """The decoded response, or None when there was none and it is to be sent again."""
        body = body | ({"client": self._client} if what == "lease" else {})
        try:
            response = http.post(f"{self._url}/{what}", json=body)
        except httpx.TransportError:
            response = None
        if response is not None and response.status_code == 200:
            return response.json()
        if response is not None and response.status_code not in {502, 503, 504}:
            self._sent.complain(
                f"{what} was answered {response.status_code}: {response.text[:300]}"
            )
        with self._sent.lock:
            self._sent.retries += 1
        time.sleep(self._random.uniform(0.1, 0.4))
        return None
