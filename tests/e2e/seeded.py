"""Projects in which every page has something to show, made by the Python client."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image, ImageDraw

from karat import Client
from karat.client.labeling_types import Answer
from karat.client.project import ProjectClient
from karat.client.review_types import Decision
from karat.demo.demo import Plan, Simulation, import_pool
from karat.demo.demo_pool import DemoPool, digits
from karat.local.stack import Stack
from tests.e2e.rankings import ask, ranking_project, row
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


SMALL: Final = Size(images=160, rounds=2, budget=24, labeled=80, epochs=2, steps=20)
SHOWN: Final = Size(images=1500, rounds=6, budget=60, labeled=400, epochs=8, steps=300)


@dataclass(frozen=True)
class Seeded:
    """Where to find what was made: numbers for the addresses of pages."""

    ids: Mapping[str, int]
    admin: tuple[str, str]
    annotator: tuple[str, str] = ANNOTATOR


def seed(stack: Stack, folder: Path, size: Size) -> Seeded:
    """Make users and projects through the API of a running stack."""
    admin = admin_login(stack)
    with Client(stack.url) as karat:
        karat.login(*admin)
        mina = karat.create_user(*ANNOTATOR, name="Mina Seo", role="annotator")
        karat.create_user(
            "theo@demo.karat.local", "a password of his", name="Theo Lang", role="engineer"
        )
        karat.create_token("Nightly export", expires_in_days=90)
        running, compared = _running(karat, size, mina["id"])
        noisy, pruned, relabeled = _noisy(karat, folder, size)
        noisy.add_member(mina["id"])
        texts = text_project(karat, "Help desk", folder, model={"name": "hashed_ngrams"})
        texts.add_member(mina["id"])
        ranked, selected = _ranked(karat, stack, folder)
        ranked.add_member(mina["id"])
        # Nobody is asked: its address leads nowhere.
        address = "https://judge.example.org/v1"
        karat.judges.add("Llama", base_url=address, model="llama-3.3-70b", key="k", price_in=0.6)
        draft = karat.create_project("Pollinators", ["bee", "hoverfly"])
        # A name that is never known, so that its page shows what fails.
        webhook = karat.webhooks.create("https://ci.example/karat", ["round.closed", "job.failed"])
        karat.webhooks.test(webhook["webhook"]["id"])
        running.webhooks.create("https://chat.example/hooks/labels")
        ids = {
            "project": running.id,
            "compared": compared,
            "noisy": noisy.id,
            "texts": texts.id,
            "pruned": pruned,
            "relabeled": relabeled,
            "ranked": ranked.id,
            "selected": selected,
            "certificate": _certificate(karat, running),
            "draft": draft.id,
            "webhook": webhook["webhook"]["id"],
            "annotator": mina["id"],
        }
    return Seeded(ids, admin)


def _certificate(karat: Client, project: ProjectClient) -> int:
    """One that people are asked for, or that is refused, as its model may be too bad."""
    begun = project.certificates.begin(target=0.1, confidence=0.8)
    assert begun["job_id"] is not None
    karat.wait(begun["job_id"])
    return begun["id"]


def _running(karat: Client, size: Size, annotator: int) -> tuple[ProjectClient, int]:
    """A project in the middle of a round after some closed ones, and a comparison in it."""
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
    with Client(karat.url) as hers:
        hers.login(*ANNOTATOR)
        _answer_some(hers.project(project.id), pool, size.budget // 3)
    job = project.start_job(
        "taufe", {**QUICK, "steps": size.steps, "batch_size": 16, "augment": False}
    )
    karat.wait(job["id"])
    return project, job["id"]


def _ranked(karat: Client, stack: Stack, folder: Path) -> tuple[ProjectClient, int]:
    """Instructions some of which are kept, and of which people rank groups."""
    rows = [row(group, place) for group in range(12) for place in range(4)]
    project = ranking_project(karat, "Sums in words", folder, rows)
    params = {"method": "k_means_random", "features": "hashed_ngrams"}
    selected = karat.wait(project.start_job("select_instructions", params)["id"])["id"]
    ask(stack, project, [4, 3, 2])
    return project, selected


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


def _noisy(karat: Client, folder: Path, size: Size) -> tuple[ProjectClient, int, int]:
    """A labeled project of which two columns of labels are partly wrong, pruned and relabeled."""
    pool, table = _garments(folder, size.labeled)
    project = karat.create_project("Garments", list(_SHAPES), settings={"input_size": 32})
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
    return project, pruned, relabeled


_SHAPES: Final = {
    "shirt": ((4, 6), (12, 10), (11, 28), (21, 28), (20, 10), (28, 6), (19, 4), (13, 4)),
    "trousers": ((10, 4), (22, 4), (25, 28), (19, 28), (16, 12), (13, 28), (7, 28)),
    "dress": ((13, 3), (19, 3), (20, 12), (27, 28), (5, 28), (12, 12)),
}


def _garments(folder: Path, count: int) -> tuple[Path, Path]:
    """Drawn garments in a folder by what they are, and what two people called them."""
    random = np.random.default_rng(0)
    names = tuple(_SHAPES)
    table = folder / "labels.csv"
    with table.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("file", "ada", "ben"))
        for index in range(count):
            truth = index % len(names)
            path = folder / "pool" / names[truth] / f"{index:04}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_garment(names[truth], random))
            said = [
                names[(truth + int(random.random() < wrong)) % len(names)] for wrong in (0.2, 0.1)
            ]
            writer.writerow((f"{names[truth]}/{path.name}", *said))
    return folder / "pool", table


def _garment(name: str, random: np.random.Generator) -> bytes:
    """One drawing of 32 px as PNG, in another colour and place each time."""
    ground = tuple(int(one) for one in random.integers(205, 250, 3))
    colour = tuple(int(one) for one in random.integers(30, 170, 3))
    image = Image.new("RGB", (32, 32), ground)
    shift = random.integers(-2, 3, 2)
    outline = [(x + int(shift[0]), y + int(shift[1])) for x, y in _SHAPES[name]]
    ImageDraw.Draw(image).polygon(outline, fill=colour)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
