"""Projects in which every page has something to show, made by the Python client."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from karat import Client
from karat.client.labeling_types import Answer
from karat.client.project import ProjectClient
from karat.client.review_types import Decision
from karat.demo.demo import Plan, Simulation, import_pool
from karat.demo.demo_pool import DemoPool, digits
from karat.local.stack import Stack
from tests.e2e import stopped
from tests.e2e.fruit import certificate, check, finish, fruit_project
from tests.e2e.garments import SHAPES, garments
from tests.e2e.rankings import ask, ranking_project, row
from tests.e2e.streets import street_project
from tests.e2e.texts import text_project
from tests.processes import eventually
from tests.stacks import admin_login

ANNOTATOR: Final = ("mina@demo.karat.local", "a password of hers")
QUICK: Final[dict[str, Any]] = {"network": "cnn_tiny", "width": 8, "flip": False}


@dataclass(frozen=True)
class Size:
    """How much there is of everything."""

    images: int
    rounds: int
    budget: int
    labeled: int
    epochs: int
    steps: int
    streets: int
    fruit: int


SMALL: Final = Size(
    images=120, rounds=2, budget=24, labeled=80, epochs=2, steps=10, streets=24, fruit=180
)
SHOWN: Final = Size(
    images=1500, rounds=6, budget=60, labeled=400, epochs=8, steps=300, streets=60, fruit=600
)


@dataclass(frozen=True)
class Seeded:
    """Where to find what was made: numbers for the addresses of pages."""

    ids: Mapping[str, int]
    admin: tuple[str, str]
    annotator: tuple[str, str] = ANNOTATOR


def seed(stack: Stack, folder: Path, size: Size) -> Seeded:
    """Make users and projects through the API of a running stack, which may ask judges here."""
    admin = admin_login(stack)
    with Client(stack.url) as karat:
        karat.login(*admin)
        mina = karat.create_user(*ANNOTATOR, name="Mina Seo", role="annotator")
        karat.create_user(
            "theo@demo.karat.local", "a password of his", name="Theo Lang", role="engineer"
        )
        karat.create_token("Nightly export", expires_in_days=90)
        ids = {
            **_running(karat, size, mina["id"]),
            **_noisy(karat, folder, size),
            **_texts(karat, folder),
            **_ranked(karat, stack, folder),
            **_streets(karat, folder, size),
            **_guaranteed(karat, folder, size),
            **_failed(karat, folder),
            "draft": karat.create_project("Pollinators", ["bee", "hoverfly"]).id,
            "annotator": mina["id"],
        }
        for name in ("noisy", "texts", "ranked", "streets", "checking", "finished", "failed"):
            karat.project(ids[name]).add_member(mina["id"])
        # A name that is never known, so that its page shows what fails.
        webhook = karat.webhooks.create("https://ci.example/karat", ["round.closed", "job.failed"])
        ids["webhook"] = webhook["webhook"]["id"]
        karat.webhooks.test(ids["webhook"])
        karat.project(ids["project"]).webhooks.create("https://chat.example/hooks/labels")
    return Seeded(ids, admin)


def _running(karat: Client, size: Size, annotator: int) -> dict[str, int]:
    """A project in the middle of a round after some closed ones, a comparison and a map in it."""
    pool = digits(0)
    pool = replace(pool, examples=pool.examples[: size.images], evaluation=pool.evaluation[:100])
    plan = Plan(
        rounds=size.rounds,
        budget=size.budget,
        strategy="mqnet",
        purity=None,
        informativeness=None,
        model="patch_kmeans",
        input_size=16,
        seed=0,
        annotators=1,
        watchable=False,
    )
    project = karat.create_project(
        pool.title,
        pool.classes,
        guidelines="Zero to three are the classes; every other digit is none of them.\n"
        "Unsure, when two digits are as likely.",
        settings=plan.settings(pool),
    )
    import_pool(karat, project, pool, lambda _: None)
    project.start()
    Simulation(karat, project, pool, plan).run(lambda *_: None)
    project.add_member(annotator)
    project.snapshots.take("before round 6")
    with Client(karat.url) as hers:
        hers.login(*ANNOTATOR)
        _answer_some(hers.project(project.id), pool, size.budget // 3)
    job = project.start_job(
        "taufe", {**QUICK, "steps": size.steps, "batch_size": 16, "augment": False}
    )
    karat.wait(job["id"])
    project.snapshots.take("with the first of round 6")
    karat.wait(project.start_job("embedding_map")["id"])
    return {"project": project.id, "compared": job["id"]}


def _texts(karat: Client, folder: Path) -> dict[str, int]:
    """Texts none of which has a verdict yet."""
    return {"texts": text_project(karat, "Help desk", folder, model={"name": "hashed_ngrams"}).id}


def _ranked(karat: Client, stack: Stack, folder: Path) -> dict[str, int]:
    """Instructions some of which are kept, of which people rank groups, and judges have others."""
    rows = [row(group, place) for group in range(12) for place in range(4)]
    project = ranking_project(karat, "Sums in words", folder, rows)
    params = {"method": "k_means_random", "features": "hashed_ngrams"}
    selected = karat.wait(project.start_job("select_instructions", params)["id"])["id"]
    # Others: what a judge has been asked once costs nothing again.
    others = [row(group, place) for group in range(12, 24) for place in range(4)]
    capped = ranking_project(karat, "Larger sums in words", folder, others)
    judged, paused = stopped.judged(karat, project, capped)
    # Nobody is asked: its address leads nowhere.
    address = "https://judge.example.org/v1"
    karat.judges.add("Llama", base_url=address, model="llama-3.3-70b", key="k", price_in=0.6)
    ask(stack, project, [4, 3, 2])
    jobs = {"selected": selected, "judged": judged, "paused": paused}
    return {"ranked": project.id, "capped": capped.id, **jobs}


def _streets(karat: Client, folder: Path, size: Size) -> dict[str, int]:
    """Streets whose second round comes with proposed boxes."""
    made = street_project(
        karat, "Street corner", folder / "streets", images=size.streets, steps=2 * size.steps
    )
    return {"streets": made.id}


def _guaranteed(karat: Client, folder: Path, size: Size) -> dict[str, int]:
    """Crates of fruit at each step of a guarantee, of which the last is finished."""
    checking, ready, applied = (
        fruit_project(karat, f"Fruit, {crate} crate", folder / crate, size.fruit)
        for crate in ("third", "second", "first")
    )
    asking, held, given = (certificate(karat, one) for one in (checking, ready, applied))
    check(ready, held)
    check(applied, given)
    applied.certificates.apply(given)
    finish(applied)
    return {
        "checking": checking.id,
        "asking": asking,
        "ready": ready.id,
        "held": held,
        "finished": applied.id,
        "given": given,
    }


def _failed(karat: Client, folder: Path) -> dict[str, int]:
    """A project whose first round could not be closed, and the job of that."""
    failed = stopped.failed_project(karat, "Lost at sea", folder / "lost")
    job = next(iter(karat.jobs(project_id=failed.id, kind="advance_round")))
    return {"failed": failed.id, "advanced": job["id"]}


def _answer_some(project: ProjectClient, pool: DemoPool, count: int) -> None:
    """Verdicts of all kinds in the round that is open now."""
    eventually(lambda: project.lease(count)["items"], "the next round opens")
    ids = {one["name"]: one["id"] for one in project.get()["classes"]}
    answers: list[Answer] = []
    for index, query in enumerate(project.lease(count)["items"]):
        truth = pool.truth[query["name"]]
        answer: Answer = {"query_id": query["query_id"], "seconds": 1.5, "verdict": "ood"}
        if index % 9 == 4:
            answer |= {"verdict": "unsure"}
        elif truth is not None:
            answer |= {"verdict": "label", "class_id": ids[truth]}
        answers.append(answer)
    project.answer(answers)
    project.release()


def _noisy(karat: Client, folder: Path, size: Size) -> dict[str, int]:
    """A labeled project of which two columns of labels are partly wrong, pruned and relabeled."""
    pool, table = garments(folder, size.labeled)
    project = karat.create_project("Garments", list(SHAPES), settings={"input_size": 32})
    karat.wait(project.import_images(pool)["id"])
    labels = project.import_images(table, annotation_columns=("ada", "ben"), key_column="file")
    karat.wait(labels["id"])
    small = {**QUICK, "epochs": size.epochs, "batch_size": 16}
    pruned = 0
    for method, ratio in (("prune4rel", 0.6), ("small_loss", 0.7)):
        params = {**small, "method": method, "ratio": ratio}
        pruned = karat.wait(project.start_job("prune", params)["id"])["id"]
    params = {**small, "learner": "ce"}
    relabeled = karat.wait(project.start_job("relabel", params)["id"])["id"]
    review = project.review(relabeled)
    decisions: list[Decision] = [
        {"suggestion_id": one["id"], "decision": ("accept", "keep")[index % 2], "seconds": 2.0}
        for index, one in enumerate(review.lease(4)[:2])
    ]
    if decisions:
        review.decide(decisions)
    return {"noisy": project.id, "pruned": pruned, "relabeled": relabeled}
