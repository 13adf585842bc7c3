"""Projects on the product itself, whose people and whose truth are made up."""

import uuid
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from time import sleep
from typing import Any, Final, cast

import numpy as np

from karat.client.client import Client
from karat.client.labeling_types import Answer, Query
from karat.client.pool_types import Example
from karat.demo.demo_pool import DemoPool

LOOK: Final = 0.05
"""Seconds between two looks at what workers do."""
_AT_ONCE: Final = 64

Said = str | None
"""The name of a class; None: OOD."""


class Live:
    """A project of a pool whose truth is known, and people who label all that they are asked.

    Attributes:
        project: As the client sees it.
        generator: Decides whatever is up to chance.
        wrong: Names of images on which models are wrong, and they are right on all others that are
            asked; None: what an image shows is the truth.
        hurried: Names of images of which people say at first what the model says.
    """

    def __init__(
        self, client: Client, pool: DemoPool, title: str, seed: int, *, budget: int, rounds: int
    ) -> None:
        """Make a project; nothing is in it yet.

        Args:
            client: An admin's connection.
            pool: Its images, and what they show.
            title: No other project has it.
            seed: Decides the order of the pool and what is drawn, and what people do.
            budget: Answers of the first round.
            rounds: After which it is finished.
        """
        self._client, self._pool = client, pool
        self.generator = np.random.default_rng([seed, 5])
        self.wrong: set[str] | None = None
        self.hurried: set[str] = set()
        self._slips: list[tuple[Query, str]] = []
        self.project = client.create_project(
            title,
            list(pool.classes),
            settings={
                "budget": budget,
                "seed": seed,
                "audit_share": 0,
                "second_looks": 0,
                "max_rounds": rounds,
                "zero_wait": False,
                "model": {"name": "patch_kmeans", "params": {"flip": False}},
                "strategy": {"name": "random"},
            },
        )
        self._class_ids = {one["name"]: one["id"] for one in self.project.get()["classes"]}
        self._names = {id_: name for name, id_ in self._class_ids.items()}

    def begin(self, images: Path, budget: float) -> None:
        """Import the pool from a file, and answer one round; later ones are of another budget."""
        self._client.wait(self.project.import_images(images)["id"])
        self.project.start()
        self.project.update(settings={"budget": budget})
        self.close_round()

    def close_round(self) -> None:
        """Answer what is asked until the open round is closed, and the next is open or none is."""
        number = len(self.project.rounds())

        def is_closed() -> bool:
            rounds = self.project.rounds()
            if any(one["state"] == "failed" for one in rounds):
                raise SystemExit(f"A round of {self.project.get()['name']} failed.")
            if len(rounds) > number:
                return rounds[-1]["state"] == "open"
            return self.project.get()["state"] == "finished"

        self.answer_until(is_closed)

    def answer_until(self, is_over: Callable[[], bool]) -> None:
        """Answer what is asked until something is so."""
        while not is_over():
            if not self.answer():
                sleep(LOOK)

    def answer(self, at_most: int = _AT_ONCE) -> int:
        """Answer some of what is asked now; returns how many that were."""
        if not at_most:
            return 0
        lease = self.project.lease(min(at_most, _AT_ONCE))
        items, round_ = lease["items"], lease["status"]["round"]
        if round_ is not None:
            # No more than closes the round: what is said later is of the next one.
            items = items[: max(1, round(round_["budget"] - round_["spent"]))]
        if items:
            self._send([self._answered(one) for one in items])
        return len(items)

    def put_right(self) -> int:
        """Correct what was said in a hurry; returns how many that were."""
        slips, self._slips = self._slips, []
        right = [self._verdict(query, self.truth_of(query), key) for query, key in slips]
        for start in range(0, len(right), _AT_ONCE):
            self._send(right[start : start + _AT_ONCE])
        return len(slips)

    def judge(self, examples: Collection[Example]) -> None:
        """Say by hand, in the pool, what images are."""
        for said in {self.truth_of(one) for one in examples}:
            ids = [one["id"] for one in examples if self.truth_of(one) == said]
            if said is None:
                self.project.pool.judge("ood", ids)
            else:
                self.project.pool.judge("label", ids, class_id=self._class_ids[said])

    def import_labels(self, examples: Collection[Example], folder: Path) -> None:
        """Import what images are from a table."""
        table = folder / "labels.csv"
        rows = [f"{one['name']},{self.truth_of(one) or 'ood'}" for one in examples]
        table.write_text("\n".join(["file,label", *rows, ""]))
        job = self.project.import_images(table, annotation_columns=["label"])
        self._client.wait(job["id"])

    def unlabeled(self) -> list[Example]:
        """What nobody has judged, or is asked about."""
        return list(self.project.pool.find({"state": "unlabeled"}))

    def left(self) -> list[Example]:
        """What nobody has judged."""
        return [*self.unlabeled(), *self.project.pool.find({"state": "queried"})]

    def by_models(self) -> list[Example]:
        """What models have labeled."""
        return list(self.project.pool.find({"source": "model"}))

    def is_wrong(self, one: Query | Example) -> bool:
        """Whether the newest model that has scored it is wrong on it."""
        return self.taken_for(one) != self.truth_of(one)

    def truth_of(self, one: Query | Example) -> Said:
        """What people say of it who look well."""
        if self.wrong is None:
            return self._pool.truth[one["name"]]
        taken = self.taken_for(one)
        if one["name"] not in self.wrong:
            return taken
        return next(other for other in (*self._pool.classes, None) if other != taken)

    def taken_for(self, one: Query | Example) -> Said:
        """What a model takes it for, as a guarantee would label it."""
        class_id, known, unknown = _seen(one)
        return self._names[class_id] if known >= unknown else None

    @staticmethod
    def surety(one: Query | Example) -> float:
        """How sure a model is of that, 0..1."""
        return max(_seen(one)[1:])

    def some(self, names: Sequence[str], share: float) -> set[str]:
        """Draw so large a share of names."""
        n = round(share * len(names))
        return {names[at] for at in self.generator.choice(len(names), n, replace=False)}

    def _answered(self, query: Query) -> Answer:
        if query["name"] not in self.hurried or not self.is_wrong(query):
            return self._verdict(query, self.truth_of(query))
        answer = self._verdict(query, self.taken_for(query))
        self._slips.append((query, answer["key"]))
        return answer

    def _verdict(self, query: Query, said: Said, supersedes: str | None = None) -> Answer:
        answer: Answer = {
            "key": str(uuid.uuid4()),
            "query_id": query["query_id"],
            "verdict": "ood" if said is None else "label",
            "class_id": None if said is None else self._class_ids[said],
            "seconds": 1.0,
        }
        if supersedes is not None:
            answer["supersedes"] = supersedes
        return answer

    def _send(self, answers: Sequence[Answer]) -> None:
        results = self.project.answer(answers)["results"]
        if refused := [one for one in results if one["status"] == "rejected"]:
            raise SystemExit(f"An answer was refused: {refused[0]['detail']}")


def _seen(one: Query | Example) -> tuple[int, float, float]:
    """The likeliest class, and how probable it is, and that there is none."""
    said = cast(dict[str, Any], one)
    class_id, inside = said["predicted_class_id"], said["in_probability"]
    chance = said["probability"] if "query_id" in said else said["confidence"]
    if class_id is None or inside is None or chance is None:
        raise SystemExit(f"No model has seen {said['name']}.")
    return class_id, inside * chance, 1 - inside
