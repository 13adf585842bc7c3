"""Pools too small for any method to have what it wants: rounds run to their end all the same.

All combinations are some hundred thousand rounds. The normal run takes each algorithm once, and
pools of each kind; ``make test-long`` each algorithm on every pool, and every triple of algorithms.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, product
from typing import Any, Final, NamedTuple

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ExampleState, JobState, ProjectState, RoundState, Split, Verdict
from core.tables import Example, Job, Project
from models.catalog import specs
from tests.workers.import_files import Pool, encoded, picture
from tests.workers.loop import Loop
from tests.workers.starting import done_job
from tests.workers.test_dry_run import HANDLERS, QUICK
from tests.workers.test_learn_features import learn
from tests.world import World

Said = tuple[Verdict, int | None]
_MIXED: Final[Sequence[Said]] = ((Verdict.LABEL, 0), (Verdict.OOD, None), (Verdict.LABEL, 1))
ANSWERS: Final[dict[str, Callable[[int], Said] | None]] = {
    "one class": lambda _: (Verdict.LABEL, 0),
    "all OOD": lambda _: (Verdict.OOD, None),
    "all unsure": lambda _: (Verdict.UNSURE, None),
    "all skipped": lambda _: (Verdict.SKIP, None),
    "mixed": lambda pool_index: _MIXED[pool_index % 3],
    "none": None,
}
# After these nothing was learned of an image, which is asked about again.
_LEAVES_OPEN: Final = {"all skipped", "none"}
_BUDGET: Final = 2


class Small(NamedTuple):
    """A pool, and what annotators say of it."""

    images: int
    classes: int
    evaluation: int
    answers: str


POOLS: Final = [
    Small(*one) for one in product((1, 2, 3, 5), (1, 2, 3), (0, 1), ANSWERS)
]  # fmt: skip
MODELS: Final = ("patch_kmeans", "cnn_tiny")


class Played(Loop):
    """A small project that is played until it has ended."""

    def __init__(self, world: World, pool: Small, **settings: Any) -> None:
        self.pool = pool
        super().__init__(
            world,
            images=pool.images,
            evaluation=pool.evaluation,
            classes=("cat", "dog", "hen")[: pool.classes],
            budget=_BUDGET,
            **settings,
        )

    def play(self) -> None:
        """Answer and close every round, three at most where the answers leave all open."""
        said = ANSWERS[self.pool.answers]
        for number in range(3 if self.pool.answers in _LEAVES_OPEN else self.pool.images + 2):
            rounds = self.rounds()
            if number == len(rounds):
                break
            if rounds[number].state is not RoundState.OPEN:
                continue
            if said is not None:
                self._say(number, said)
            job = self.finish(number)
            assert job.state is JobState.SUCCEEDED, job.error
        self._require_ended()

    def _say(self, number: int, said: Callable[[int], Said]) -> None:
        round_ = self.rounds()[number]
        for query, example in self.waiting(round_, _BUDGET):
            verdict, kind = said(example.pool_index)
            chosen = None if kind is None else self.classes[kind % len(self.classes)].id
            self._store(round_, query, example, verdict, chosen)
        self.session.commit()

    def _require_ended(self) -> None:
        states = set(
            self.session.scalars(
                select(Example.state).where(
                    Example.project_id == self.project.id, Example.split == Split.POOL
                )
            )
        )
        project = self.session.get_one(Project, self.project.id)
        if self.pool.answers in _LEAVES_OPEN:
            assert states <= {ExampleState.UNLABELED, ExampleState.QUERIED}
            assert project.state is ProjectState.RUNNING
            return
        assert project.state is ProjectState.FINISHED
        assert states <= {ExampleState.LABELED, ExampleState.OOD, ExampleState.UNSURE}
        assert "No unlabeled image is left in the pool." in self.rounds()[-1].notes


def _look(http: TestClient, loop: Played) -> None:
    """Everything that pages show of the project can be read."""
    headers, base = loop.world.caller().headers, f"/api/projects/{loop.project.id}"

    def read(path: str) -> Any:
        response = http.get(base + path, headers=headers)
        assert response.status_code == 200, (path, response.text)
        kind = response.headers["content-type"]
        return response.json() if kind == "application/json" else response.content

    for path in ("", "/rounds", "/outlook"):
        read(path)
    for number in range(len(loop.rounds())):
        read(f"/maps/{number}/queries")
    for one in read("/maps")["items"]:
        assert len(read(f"/maps/{one['number']}/tiles/0/0/0")) == 16 + 12 * one["count"]
        read(f"/maps/{one['number']}/surface")
        read(f"/maps/{one['number']}/images?polygon=-1e9,-1e9;-1e9,1e9;1e9,1e9;1e9,-1e9")


def _played(http: TestClient, world: World, pool: Small, model: str, **settings: Any) -> None:
    told = f"{pool}, {model}, {settings}"
    try:
        loop = Played(world, pool, model=_model(model, settings), **settings)
        loop.play()
        _look(http, loop)
    except Exception as error:
        raise AssertionError(told) from error


def _model(name: str, settings: dict[str, dict[str, Any]]) -> dict[str, Any]:
    chosen = {choice["name"] for choice in settings.values()}
    params: dict[str, Any] = {}
    if "k_plus_1" in chosen:
        params["ood_class"] = True
    if "ll" in chosen:
        params["loss_prediction"] = True
    if name == "cnn_tiny":
        params |= {"steps": 2, "width": 4, "augment": False}
    return {"name": name, "params": params}


def _named(kind: str) -> list[dict[str, Any]]:
    """Every algorithm of a kind, ready as early as it can be."""
    return [
        {"name": one.name, "params": {"least_ood": 1} if one.name in _AWAIT_OOD else {}}
        for one in specs()
        if one.kind == kind and one.serves_task("classification")
    ]


_AWAIT_OOD: Final = {"probe", "k_plus_1"}
STRATEGIES, PURITIES, INFORMATIVENESSES = map(_named, ("strategy", "purity", "informativeness"))


def _each_once() -> Iterator[dict[str, Any]]:
    knn = {"name": "knn", "params": {}}
    for strategy in STRATEGIES:
        yield {"strategy": strategy, "purity": knn}
    for purity in PURITIES:
        yield {"strategy": {"name": "p_plus_i", "params": {}}, "purity": purity}
    for informativeness in INFORMATIVENESSES:
        yield {"strategy": {"name": "mqnet", "params": {}}, "informativeness": informativeness}


@pytest.mark.parametrize("images", [1, 2, 3, 5])
def test_a_round_of_the_defaults_runs_on_every_kind_of_small_pool(
    http: TestClient, world: World, images: int
) -> None:
    defaults = {"strategy": {"name": "expected_value", "params": {}}}
    pools = [pool for pool in POOLS if pool.images == images]
    # 7 divides no number of pools: over the sizes each answer meets every number of classes.
    for pool in pools[images::7]:
        _played(http, world, pool, "patch_kmeans", **defaults)


def test_every_algorithm_runs_on_a_small_pool(http: TestClient, world: World) -> None:
    for place, settings in enumerate(_each_once()):
        pool = POOLS[place * 29 % len(POOLS)]
        _played(http, world, pool, MODELS[place % 2], **settings)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda choice: choice["name"])
@pytest.mark.parametrize("model", MODELS)
def test_every_triple_of_algorithms_runs_on_small_pools(
    http: TestClient, world: World, strategy: dict[str, Any], model: str
) -> None:
    start = STRATEGIES.index(strategy) * 17
    pools = cycle(POOLS[place * 29 % len(POOLS)] for place in range(start, start + len(POOLS)))
    for (purity, informativeness), pool in zip(
        product(PURITIES, INFORMATIVENESSES), pools, strict=False
    ):
        _played(
            http, world, pool, model,
            strategy=strategy, purity=purity, informativeness=informativeness,
        )  # fmt: skip


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("images", [1, 2, 3, 5])
@pytest.mark.parametrize("model", MODELS)
def test_every_algorithm_runs_on_every_small_pool(
    http: TestClient, world: World, images: int, model: str
) -> None:
    for settings in _each_once():
        for pool in POOLS:
            if pool.images == images:
                _played(http, world, pool, model, **settings)


@pytest.mark.parametrize("images", [2, 5])
def test_learned_features_of_few_images_carry_a_round(
    http: TestClient, world: World, images: int
) -> None:
    settings: dict[str, Any] = {"strategy": {"name": "ccal"}, "purity": {"name": "csi_ood"}}
    for answers in ("mixed", "all OOD"):
        loop = Played(world, Small(images, 2, 0, answers), **settings)
        learn(http, world, loop.project)
        loop.play()


_ASKED_OF_JOBS: Final = [
    (1, 1, "one class"), (1, 2, "all OOD"), (2, 1, "mixed"), (2, 2, "mixed"), (5, 2, "mixed"),
]  # fmt: skip
_REFUSALS: Final = (
    "label some images of each class first",
    "import more of them",
    "add another class and label images of it",
    "label more images of them",
    "images as OOD, or import images",
)


@pytest.mark.parametrize("kind", HANDLERS)
@pytest.mark.parametrize("is_dry", [True, False], ids=["estimate", "job"])
def test_jobs_on_small_projects_succeed_or_say_at_once_what_is_missing(
    http: TestClient, world: World, kind: str, is_dry: bool
) -> None:
    for images, classes, answers in _ASKED_OF_JOBS:
        loop = Played(world, Small(images, classes, 1, answers))
        loop._say(0, ANSWERS[answers])  # type: ignore[arg-type]
        job = _job(http, loop, kind, is_dry)
        if job.state is JobState.SUCCEEDED:
            continue
        assert job.error is not None
        told = f"{loop.pool}: {job.error}"
        assert job.error["code"] == "model_error", told
        assert "seconds" not in job.checkpoint, told
        assert any(one in job.error["detail"] for one in _REFUSALS), told


def _job(http: TestClient, loop: Played, kind: str, is_dry: bool) -> Job:
    # An estimate measures as many steps as there are; how good it is, is not asked here.
    short = {"taufe": {"steps": 2}, "resize": {}, "embedding_map": {}}.get(kind, {"epochs": 2})
    return done_job(http, loop.world, loop.project, kind, QUICK[kind] | short, dry_run=is_dry)


@pytest.mark.parametrize("side", [1, 3])
def test_images_smaller_than_a_patch_carry_a_project(
    http: TestClient, world: World, side: int
) -> None:
    loop = Played(world, Small(0, 2, 0, "mixed"))
    pool = Pool(world.session, world.storage, loop.project)
    files = {f"{seed}.png": encoded(picture(seed, side, side)) for seed in range(3)}
    assert pool.zip(files)["added"] == 3
    loop.pool = loop.pool._replace(images=3)
    # The round that was there before them asks about nothing.
    assert loop.finish(0).state is JobState.SUCCEEDED
    loop.play()
    _look(http, loop)
