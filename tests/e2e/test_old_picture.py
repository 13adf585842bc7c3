"""Nobody labels by an old picture: changes of a project are on open pages at once, and are said."""

import csv
import io
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.acts import come_up, tiles_come_up
from tests.e2e.labeled import images
from tests.processes import eventually
from tests.stacks import admin_login

# Pages ask by themselves every five seconds at most: what is there before has been told.
AT_ONCE = 4_000
# Nothing here is about what is learned, which goes on while a test is over and the next one waits.
SMALL = {"name": "patch_kmeans", "params": {"features": 8, "iterations": 1, "dimension": 8}}


@pytest.fixture
def project(karat: Client, tmp_path: Path) -> ProjectClient:
    """An open round, large enough for every answer here."""
    settings = {"input_size": 16, "budget": 60, "strategy": {"name": "random"}, "model": SMALL}
    made = karat.create_project(f"Birds {tmp_path.name}", ["robin", "wren"], settings=settings)
    karat.wait(made.import_images(images(tmp_path / "pool", 60))["id"])
    made.start()
    eventually(lambda: made.rounds()[0]["state"] == "open", "the first round opens")
    return made


def classes(project: ProjectClient, *changes: dict[str, Any], more: Any = ()) -> None:
    """Change classes in the order in which they are, and add ``more``."""
    present = project.get()["classes"]
    kept = [
        {"id": one["id"], "name": one["name"], "hotkey": one["hotkey"], **change}
        for one, change in zip(present, [*changes, *[{}] * len(present)], strict=False)
    ]
    project.update(classes=[*kept, *more])


def said(page: Page, text: str) -> Locator:
    """The notice about what has changed."""
    return page.get_by_role("status").filter(has_text=text)


def shown_id(page: Page) -> str:
    return page.locator("img[data-query-id]").get_attribute("data-query-id") or ""


def opened(page: Page, project: ProjectClient, mode: str = "") -> None:
    page.goto(f"/projects/{project.id}/label{mode}")
    page.locator("[data-tile]" if mode else "img[data-query-id]").first.wait_for()
    if mode:
        tiles_come_up(page)
    else:
        come_up(page)


def stored(project: ProjectClient) -> list[dict[str, str]]:
    """The answers, oldest first."""
    with tempfile.TemporaryDirectory() as folder:
        path = project.export(Path(folder) / "annotations.csv")
        return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


def has_stored(project: ProjectClient, count: int) -> bool:
    return len(stored(project)) == count


CLASSES: list[tuple[Callable[[ProjectClient], None], str, str]] = [
    (
        lambda p: classes(p, {}, {"name": "European robin"}),
        "Classes changed: wren is now European robin (key 2).",
        "European robin",
    ),
    (
        lambda p: classes(p, more=[{"name": "owl"}]),
        "Classes changed: owl is new (key 3).",
        "owl",
    ),
    (
        lambda p: classes(p, {"hotkey": "c"}),
        "Classes changed: robin has key C now.",
        "robin",
    ),
]


def close_notice(page: Page, text: str) -> None:
    page.get_by_role("button", name="Close this notice").click()
    expect(said(page, text)).to_have_count(0)


@pytest.mark.parametrize("mode", ["", "/grid"], ids=["single", "grid"])
def test_changes_of_the_classes_are_on_the_page_and_the_image_stays(
    signed_in: Page, project: ProjectClient, mode: str
) -> None:
    page = signed_in
    opened(page, project, mode)
    image = page.locator("[data-tile]" if mode else "img[data-query-id]").first
    if not mode:
        page.keyboard.press("+")
        page.keyboard.press("+")
        expect(image).to_have_attribute("style", re.compile(r"scale\("))
    before = image.evaluate("it => { it.marked = true; return it.outerHTML; }")
    place = image.bounding_box()
    for change, notice, button in CLASSES:
        change(project)
        expect(said(page, notice)).to_be_visible(timeout=AT_ONCE)
        expect(page.get_by_role("button", name=re.compile(button)).first).to_be_visible()
        # The very same element, as large as it was and where it was.
        assert image.evaluate("it => it.marked")
        assert image.evaluate("it => it.outerHTML") == before
        assert image.bounding_box() == place
        close_notice(page, notice)


def test_answers_go_on_across_a_change_and_say_what_was_read(
    signed_in: Page, project: ProjectClient
) -> None:
    page = signed_in
    opened(page, project)
    first = shown_id(page)
    page.keyboard.press("1")
    expect(page.locator(f'img[data-query-id="{first}"]')).to_have_count(0)
    # Answers that wait for the network are those of then.
    page.route("**/labeling/answers", lambda route: route.abort())
    second = shown_id(page)
    page.keyboard.press("1")
    expect(page.locator(f'img[data-query-id="{second}"]')).to_have_count(0)
    classes(project, {"name": "European robin"})
    expect(said(page, "robin is now European robin (key 1)")).to_be_visible(timeout=AT_ONCE)
    third = shown_id(page)
    page.keyboard.press("1")
    expect(page.locator(f'img[data-query-id="{third}"]')).to_have_count(0)
    page.unroute("**/labeling/answers")
    eventually(lambda: len(stored(project)) == 3, "all answers arrive", 40)
    assert [(one["class"], one["seen_as"]) for one in stored(project)] == [
        ("European robin", "robin"), ("European robin", "robin"), ("European robin", ""),
    ]  # fmt: skip


def test_a_key_is_read_by_what_was_painted(signed_in: Page, project: ProjectClient) -> None:
    page = signed_in
    opened(page, project)
    ids = {one["name"]: one["id"] for one in project.get()["classes"]}
    # The page has the new classes in place, and presses a key before the next frame shows them.
    page.evaluate(
        """() => {
            const panel = document.querySelector("fieldset[aria-label=Verdict]");
            const watch = new MutationObserver(() => {
                watch.disconnect();
                document.body.dispatchEvent(
                    new KeyboardEvent("keydown", { key: "1", code: "Digit1", bubbles: true }));
            });
            watch.observe(panel, { childList: true, subtree: true, characterData: true });
        }"""
    )
    first = shown_id(page)
    project.update(
        classes=[
            {"id": ids["wren"], "name": "wren", "hotkey": "1"},
            {"id": ids["robin"], "name": "robin", "hotkey": "2"},
        ]
    )
    expect(said(page, "they are in another order")).to_be_visible(timeout=AT_ONCE)
    expect(page.locator(f'img[data-query-id="{first}"]')).to_have_count(0)
    second = shown_id(page)
    page.keyboard.press("1")
    expect(page.locator(f'img[data-query-id="{second}"]')).to_have_count(0)
    eventually(lambda: len(stored(project)) == 2, "both answers arrive")
    assert [one["class"] for one in stored(project)] == ["robin", "wren"]


@pytest.mark.parametrize("mode", ["", "/grid"], ids=["single", "grid"])
def test_an_answer_that_may_mean_another_class_is_asked_again(
    signed_in: Page, project: ProjectClient, mode: str
) -> None:
    page = signed_in
    opened(page, project, mode)
    ids = {one["name"]: one["id"] for one in project.get()["classes"]}
    page.route("**/labeling/answers", lambda route: route.abort())
    if mode:
        tile = page.locator("[data-tile]").first
        asked = tile.get_attribute("data-tile") or ""
        tile.click()
    else:
        asked = shown_id(page)
    page.keyboard.press("1")
    project.update(
        classes=[{"id": ids["robin"], "name": "wren"}, {"id": ids["wren"], "name": "robin"}]
    )
    expect(said(page, "robin is now wren")).to_be_visible(timeout=AT_ONCE)
    page.unroute("**/labeling/answers")
    refused = page.get_by_role("button", name="1 verdict not accepted")
    expect(refused).to_be_visible(timeout=40_000)
    assert stored(project) == []
    refused.click()
    expect(page.get_by_role("dialog")).to_contain_text("its old name belongs to another class")
    page.get_by_role("button", name="Dismiss all").click()
    # Keys are the dialog's until it is gone.
    expect(page.get_by_role("dialog")).to_have_count(0)
    # The image comes up again, with the rest.
    if mode:
        expect(page.locator(f'[data-tile="{asked}"]')).to_be_visible()
        return
    for _ in range(30):
        present = shown_id(page)
        page.keyboard.press("2")
        expect(page.locator(f'img[data-query-id="{present}"]')).to_have_count(0)
        if present == asked:
            break
    else:
        raise AssertionError("the refused image was not shown again")
    eventually(lambda: len(stored(project)) >= 1, "the answers arrive")
    assert {one["class"] for one in stored(project)} == {"robin"}


def test_a_review_shows_and_says_what_changed(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project(
        f"Two minds {tmp_path.name}", ["light", "dark"], settings={"input_size": 16}
    )
    karat.wait(project.import_images(images(tmp_path / "pool", 3))["id"])
    table = tmp_path / "labels.csv"
    names = [one["name"] for one in project.examples()]
    rows = ["file,ada,ben", *(f"{name},light,dark" for name in names)]
    table.write_text("\n".join(rows))
    job = project.import_images(table, annotation_columns=("ada", "ben"), key_column="file")
    karat.wait(job["id"])
    page.goto(f"/projects/{project.id}/review/disagreements")
    page.locator("img[data-query-id]").wait_for()
    first = shown_id(page)
    classes(project, {}, {"name": "gloomy"})
    expect(said(page, "dark is now gloomy (key 2)")).to_be_visible(timeout=AT_ONCE)
    expect(page.get_by_role("button", name=re.compile("Others said gloomy"))).to_be_visible()
    assert shown_id(page) == first
    page.keyboard.press("2")
    expect(page.locator(f'img[data-query-id="{first}"]')).to_have_count(0)

    def decided() -> list[str]:
        return [one["class"] for one in stored(project) if one["source"] == "review"]

    eventually(lambda: decided() == ["gloomy"], "the decision arrives")


CHANGES: list[tuple[Callable[[ProjectClient], Any], str]] = [
    (lambda p: p.update(guidelines="Look twice."), "The guidelines have changed."),
    (
        lambda p: p.update(settings={"modes": ["grid"]}),
        "Modes offered from the next visit on: Grid.",
    ),
    (lambda p: p.update(name=f"Owls {p.id}"), "The project is called Owls"),
    (
        lambda p: p.update(
            classes=[
                {"id": one["id"], "name": one["name"], "guide": "Has a beak."}
                for one in p.get()["classes"]
            ]
        ),
        "The guide to the classes has changed",
    ),
    # The last: no more images come after it.
    (lambda p: p.pause(), "The project is paused."),
]


def test_other_changes_are_said_and_take_no_image_away(
    signed_in: Page, project: ProjectClient
) -> None:
    page = signed_in
    opened(page, project)
    for count, (change, notice) in enumerate(CHANGES, start=1):
        come_up(page)
        first = shown_id(page)
        change(project)
        expect(said(page, notice)).to_be_visible(timeout=AT_ONCE)
        assert shown_id(page) == first
        close_notice(page, notice)
        page.keyboard.press("1")
        expect(page.locator(f'img[data-query-id="{first}"]')).to_have_count(0)
        eventually(partial(has_stored, project, count), "the answer arrives")


def test_an_open_guide_follows(signed_in: Page, stack: Stack, project: ProjectClient) -> None:
    page = signed_in
    opened(page, project)
    page.keyboard.press("g")
    guide = page.get_by_role("region", name="What belongs where")
    expect(guide).to_be_visible()
    named = [{"id": one["id"], "name": one["name"]} for one in project.get()["classes"]]
    project.update(classes=[{**named[0], "guide": "Has a red breast."}, named[1]])
    expect(guide).to_contain_text("Has a red breast.", timeout=AT_ONCE)
    image = next(iter(project.examples()))["id"]
    expect(guide.get_by_role("img", name=f"Image {image}")).to_have_count(0)
    pinned = page.request.put(
        f"/api/projects/{project.id}/classes/{named[0]['id']}/examples",
        data={"example_ids": [image]},
        headers={"Origin": stack.url},
    )
    assert pinned.ok
    expect(guide.get_by_role("img", name=f"Image {image}")).to_be_visible(timeout=AT_ONCE)


def test_a_stream_that_was_refused_is_opened_again_and_everything_is_read(
    signed_in: Page, project: ProjectClient
) -> None:
    page = signed_in
    refusals: list[str] = []

    def refuse(route: Route) -> None:
        refusals.append(route.request.url)
        route.fulfill(status=502, body="bad gateway")

    page.route("**/events", refuse)
    opened(page, project)
    eventually(lambda: len(refusals) > 0, "the page asks for events")
    classes(project, {"name": "European robin"})
    page.wait_for_timeout(500)
    expect(page.get_by_role("button", name=re.compile("European robin"))).to_have_count(0)
    page.unroute("**/events")
    expect(said(page, "robin is now European robin")).to_be_visible(timeout=20_000)


def test_without_a_stream_the_next_answer_brings_the_classes(
    signed_in: Page, project: ProjectClient
) -> None:
    page = signed_in
    page.route("**/events", lambda route: route.abort())
    opened(page, project)
    classes(project, {"name": "European robin"})
    page.keyboard.press("1")
    expect(said(page, "robin is now European robin")).to_be_visible(timeout=AT_ONCE)


def newcomer(project: ProjectClient, karat: Client) -> None:
    made = karat.create_user(
        f"new{project.id}@example.org", "a long password", name="Newcomer", role="annotator"
    )
    project.add_member(made["id"])


def renamed(name: str) -> Callable[[ProjectClient, Client], Any]:
    return lambda project, _: project.update(name=f"{name} {project.id}")


JOB = "Learning features"
# As it is told of, not as it ends: tests after this one would wait for what it keeps busy.
SHORT = {"network": "cnn_tiny", "width": 4, "epochs": 1}
# A page of each family, a change that concerns it, and what it then shows.
PAGES: list[tuple[str, Callable[[ProjectClient, Client], Any], str]] = [
    ("", renamed("Owls"), "Owls {id}"),
    ("/pool", renamed("Jays"), "Jays {id}"),
    ("/pool", lambda p, _: classes(p, {"name": "European robin"}), "European robin"),
    ("/jobs", renamed("Larks"), "Larks {id}"),
    ("home", renamed("Terns"), "Terns {id}"),
    ("/settings", newcomer, "Newcomer"),
    ("/settings", lambda p, _: p.webhooks.create("https://ci.example/told"), "ci.example"),
    ("/rounds/0", lambda p, _: p.close_round(0), "Training|Closed"),
    ("/jobs", lambda p, _: p.start_job("learn_features", SHORT), JOB),
]


def test_every_family_of_pages_hears(
    signed_in: Page, karat: Client, project: ProjectClient
) -> None:
    page = signed_in
    for path, change, shows in PAGES:
        # It listens from here on; what was before it reads then.
        with page.expect_response("**/events"):
            page.goto("/" if path == "home" else f"/projects/{project.id}{path}")
        page.locator("main h1").first.wait_for()
        part = page.locator("main table" if shows == JOB else "main")
        wanted = part.get_by_text(re.compile(shows.format(id=project.id)))
        expect(wanted).to_have_count(0)
        change(project, karat)
        expect(wanted).not_to_have_count(0, timeout=AT_ONCE)


def test_tabs_of_all_modes_hear_each_change(
    browser: Browser, stack: Stack, project: ProjectClient
) -> None:
    """Several pages at once, each with a profile of its own; one change after the other."""
    email, password = admin_login(stack)
    pages: list[Page] = []
    for path in ("/label", "/label/grid", "", "/settings"):
        context = browser.new_context(base_url=stack.url, reduced_motion="reduce")
        body = {"email": email, "password": password}
        context.request.post("/api/auth/login", data=body, headers={"Origin": stack.url})
        page = context.new_page()
        page.goto(f"/projects/{project.id}{path}")
        page.locator("h1").first.wait_for()
        pages.append(page)
    single, grid, overview, settings = pages
    single.locator("img[data-query-id]").wait_for()
    grid.locator("[data-tile]").first.wait_for()
    for number in range(3):
        classes(project, {"name": f"robin {number}"})
        for page in (single, grid):
            expect(said(page, f"is now robin {number} (key 1)")).to_be_visible(timeout=AT_ONCE)
            expect(page.get_by_role("button", name=f"robin {number}").first).to_be_visible()
        named = settings.get_by_label("Name of class 1", exact=True)
        expect(named).to_have_value(f"robin {number}", timeout=AT_ONCE)
    project.pause()
    for page in (single, grid):
        expect(said(page, "The project is paused.")).to_be_visible(timeout=AT_ONCE)
    expect(overview.locator("main header").get_by_text("Paused", exact=True)).to_be_visible(
        timeout=AT_ONCE
    )
    for page in pages:
        page.context.close()
