"""Somebody wants to find all images of a single class, and is told how far that is."""

import re
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, expect

from karat import Client
from karat.client.labeling_types import Answer, Query
from karat.client.project import ProjectClient
from tests.e2e.acts import come_up
from tests.e2e.test_first_round import answer as answer_by_key
from tests.e2e.test_round_page import digits
from tests.processes import eventually

# One of these is drawn at random, and of what a round chose a share is said from twenty on.
BUDGET = 21
ROUNDS = 3


def answer(project: ProjectClient, number: int) -> None:
    """Answer a round until its budget is spent."""
    eventually(lambda: len(project.rounds()) > number, "the round is made")
    eventually(lambda: project.rounds()[number]["state"] == "open", "the round opens")
    (zero,) = project.get()["classes"]
    queries: list[Query] = []

    def all_leased() -> bool:
        queries.extend(project.lease(BUDGET - len(queries))["items"])
        return len(queries) == BUDGET

    eventually(all_leased, "nobody else holds an image")
    answers: list[Answer] = []
    for query in queries:
        said: Answer = {"query_id": query["query_id"], "seconds": 1.0, "verdict": "ood"}
        if query["name"].startswith("0_"):
            said |= {"verdict": "label", "class_id": zero["id"]}
        answers.append(said)
    project.answer(answers)


def test_find_all_of_one_class(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    page = signed_in
    project = karat.create_project(
        "Zeros, or not", [], settings={"input_size": 16, "budget": BUDGET, "zero_wait": False}
    )
    karat.wait(project.import_images(digits(tmp_path / "pool", 200))["id"])
    page.goto(f"/projects/{project.id}/settings#method")

    # One class is enough, and what it is for is asked once; the strategy follows.
    page.get_by_role("button", name="Add a class").click()
    page.get_by_role("textbox", name="Name of class 1").fill("zero")
    goal = page.get_by_role("group", name="What are you after?")
    expect(goal.get_by_role("radio", name="The best model")).to_be_checked()
    goal.get_by_role("radio", name="Find all of mine").check()
    expect(page.get_by_text("Strategy: Most likely first.")).to_be_visible()
    goal.get_by_role("radio", name="The best model").check()
    expect(page.get_by_text("Strategy: Expected value.")).to_be_visible()
    goal.get_by_role("radio", name="Find all of mine").check()

    # What a round would take is measured before the model is chosen.
    page.get_by_role("button", name="How long would a round take?").click()
    told = page.get_by_text(re.compile("on this machine .*: .* a round"))
    expect(told).to_be_visible(timeout=120_000)

    # A draft saves itself.
    eventually(lambda: project.get()["settings"]["goal"] == "find_all", "the goal is saved")
    assert project.get()["settings"]["strategy"]["name"] == "most_likely"
    page.get_by_role("button", name="Start labeling").click()
    expect(page.get_by_role("button", name=re.compile("^zero"))).to_be_visible(timeout=30_000)
    # The label page keeps a few images for who sits before it, until they leave; what it has asked
    # for and not got yet it could not give back.
    come_up(page)
    page.goto(f"/projects/{project.id}")

    for number in range(ROUNDS):
        answer(project, number)
    eventually(lambda: project.rounds()[ROUNDS - 1]["state"] == "closed", "the third round closes")

    page.goto(f"/projects/{project.id}")
    found = page.get_by_role("region", name="How much is found?")
    labeled = project.get()["counts"]["labeled_in"]
    expect(found).to_contain_text(f"{labeled} images found so far", timeout=30_000)
    expect(found).to_contain_text(re.compile(r"About \d+ more in the pool \(95 % interval"))
    soon = re.compile(r"\d+ of the last \d+ answers to what rounds chose found one")
    expect(found).to_contain_text(soon)
    # Nearly all of the twenty zeros are found with some sixty answers of two hundred.
    zeros = len([*(tmp_path / "pool").glob("0_*")])
    assert labeled >= 0.8 * zeros
    chart = page.get_by_role("img", name=re.compile("^Share of your classes in each round"))
    expect(chart).to_contain_text("0 %")

    # The class, or none of it: both by a key.
    eventually(lambda: project.rounds()[ROUNDS]["state"] == "open", "the fourth round opens")
    page.goto(f"/projects/{project.id}/label")
    expect(page.get_by_role("button", name=re.compile("^zero"))).to_be_visible(timeout=30_000)
    answers: tuple[tuple[str, Literal["label", "ood"]], ...] = (("1", "label"), ("x", "ood"))
    for key, said in answers:
        answer_by_key(page, key)
        eventually(lambda: project.rounds()[ROUNDS]["answered"][said] == 1, "the answer arrives")  # noqa: B023
