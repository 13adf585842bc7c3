"""A round or an embedding that fails: who labels hears whom to tell, who can help hears why."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.chromium import sign_in
from tests.e2e.labeled import images
from tests.e2e.stopped import failed_project
from tests.e2e.test_first_round import answer
from tests.processes import eventually
from tests.weight_files import TINY, tiny_weights

MINA = ("mina@failed.karat.local", "a password of hers")
# Of whatever its job was at.
FAILED = "What comes next could not be prepared"


@pytest.fixture
def mina(karat: Client) -> int:
    """Who labels."""
    known = next((one for one in karat.users() if one["email"] == MINA[0]), None)
    return (known or karat.create_user(*MINA, name="Mina Seo", role="annotator"))["id"]


@pytest.fixture
def failed(karat: Client, mina: int, tmp_path: Path) -> ProjectClient:
    """A project whose first round could not be closed."""
    return failed_project(karat, "Lost at sea", tmp_path / "pool", [mina])


def test_a_failure_reaches_who_waits(
    signed_in: Page, browser: Browser, stack: Stack, failed: ProjectClient
) -> None:
    hers = sign_in(browser, stack.url, MINA).new_page()
    hers.goto("/")
    card = hers.get_by_role("article").filter(has_text="Lost at sea")
    expect(card).to_contain_text("Round failed")
    expect(card).not_to_contain_text("Running")
    # While there are images that were chosen before: these, and word that no others follow.
    notice = hers.get_by_role("alert").filter(has_text=FAILED)
    hers.goto(f"/projects/{failed.id}/label/grid")
    hers.locator("[data-tile]").first.wait_for()
    expect(notice).to_contain_text("After them no new ones come up")
    hers.goto(f"/projects/{failed.id}/label")
    hers.locator("[data-query-id]").wait_for()
    expect(notice).to_contain_text("Tell Admin")
    expect(notice).not_to_contain_text("resnet18000")
    while hers.locator("[data-query-id]").count() > 0:
        answer(hers, "x")
    expect(hers.get_by_role("heading", name=FAILED)).to_be_visible()
    waiting = hers.locator("[data-waiting-for]")
    expect(waiting).to_contain_text("Tell Admin")
    expect(waiting).not_to_contain_text("by themselves")
    hers.goto("/")
    expect(card).to_contain_text("Whoever runs the project has to try it again")

    page = signed_in
    page.goto(f"/projects/{failed.id}/settings")
    expect(page.get_by_role("banner").or_(page.locator("header"))).to_contain_text(["Round failed"])
    # The overview gives the reason, once, and leads to where another model is chosen.
    page.goto(f"/projects/{failed.id}")
    told = page.get_by_role("alert").filter(has_text="has no classification network 'resnet18000'")
    expect(told.get_by_role("link", name="To the settings")).to_be_visible()
    expect(page.get_by_text("has no classification network")).to_have_count(1)
    page.goto(f"/projects/{failed.id}/label")
    waiting = page.locator("[data-waiting-for]")
    expect(waiting).to_contain_text("has no classification network 'resnet18000'")
    failed.update(settings={"model": {"name": "patch_kmeans", "params": {}}})
    waiting.get_by_role("button", name="Try again").click()
    # It goes on by itself.
    page.locator("[data-query-id]").wait_for(timeout=60_000)


@pytest.fixture
def halted(karat: Client, mina: int, stack: Stack, tmp_path: Path) -> ProjectClient:
    """A project whose first images can be labeled and not embedded, as its weights are lost."""
    weights = karat.weights.add(lost_weights(tmp_path), TINY, name="lost", timeout=None)
    params = {"architecture": TINY, "mode": "frozen", "weights": "lost"}
    settings = {"input_size": 16, "budget": 6, "model": {"name": "timm", "params": params}}
    made = karat.create_project("Half at sea", ["light", "dark"], settings=settings)
    made.add_member(mina)
    karat.wait(made.import_images(images(tmp_path / "pool", 12))["id"])
    (file,) = (stack.data_dir / "weights").rglob(f"{weights['sha256']}.safetensors")
    file.unlink()
    made.start()
    eventually(lambda: waits_for_help(made), "it cannot be embedded")
    return made


def waits_for_help(project: ProjectClient) -> bool:
    now = project.get()["current_round"]
    return now is not None and now["failed"]


def lost_weights(folder: Path) -> Path:
    tiny_weights(folder / "tiny.safetensors", seed=32)
    return folder / "tiny.safetensors"


def test_an_embedding_that_fails_is_told_while_its_images_are_labeled(
    signed_in: Page, browser: Browser, karat: Client, halted: ProjectClient, tmp_path: Path
) -> None:
    assert halted.rounds()[0]["state"] == "open"
    hers = sign_in(browser, karat.url, MINA).new_page()
    hers.goto("/")
    card = hers.get_by_role("article").filter(has_text="Half at sea")
    expect(card).to_contain_text("Round failed")
    hers.goto(f"/projects/{halted.id}/label")
    hers.locator("[data-query-id]").wait_for()
    notice = hers.get_by_role("alert").filter(has_text=FAILED)
    expect(notice).to_contain_text("Tell Admin")
    expect(notice).not_to_contain_text("safetensors")

    page = signed_in
    page.goto(f"/projects/{halted.id}")
    lost = f"The file of the weights 'lost' of timm {TINY} is missing"
    told = page.get_by_role("alert").filter(has_text=lost)
    told.get_by_role("link", name="Admin, Weights").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Library")).to_have_value("timm")
    expect(dialog.get_by_label("Architecture")).to_have_value(TINY)
    dialog.get_by_role("button", name="Cancel").click()
    row = page.get_by_role("row").filter(has_text="Half at sea")
    expect(row).to_contain_text("Their file is not on the server any more")
    # What was lost is put back by the same file, under whatever name.
    karat.weights.add(lost_weights(tmp_path), TINY, name="found")
    page.goto(f"/projects/{halted.id}")
    told.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Running", exact=True)).to_be_visible()
    expect(told).to_have_count(0)
    expect(notice).to_have_count(0)
