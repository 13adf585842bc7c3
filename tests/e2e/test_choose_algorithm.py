"""The catalog on the settings page: what is in effect, and how another is chosen."""

import re
import zipfile
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from karat import Client
from karat.client.project import ProjectClient
from tests.e2e.importing import saved
from tests.karat.helpers import png


def project_on(karat: Client, name: str) -> ProjectClient:
    return karat.create_project(name, ["a", "b"], settings={"input_size": 16})


def field(page: Page, kind: str) -> Locator:
    return page.get_by_role("region", name=kind)


def choose(page: Page, kind: str, name: str) -> Locator:
    """Put an algorithm in the place of what is in effect; return where it stands."""
    place = field(page, kind)
    place.get_by_role("button", name="Change").click()
    page.get_by_role("radio", name=name).check()
    page.get_by_role("button", name=f"Use {name}").click()
    return place


def started_on(karat: Client, name: str, path: Path) -> ProjectClient:
    """One whose settings are saved by hand, as rounds go by them."""
    project = project_on(karat, name)
    archive = path / "pool.zip"
    with zipfile.ZipFile(archive, "w") as found:
        for seed in (1, 2):
            found.writestr(f"{seed}.png", png(800 + seed))
    karat.wait(project.import_images(archive)["id"])
    project.start()
    return project


def save(page: Page) -> None:
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("button", name=re.compile("Save changes|Saving"))).to_have_count(0)


def test_a_strategy_is_found_and_chosen_by_keyboard_alone(signed_in: Page, karat: Client) -> None:
    page = signed_in
    project = project_on(karat, "Keyboard")
    page.goto(f"/projects/{project.id}/settings#method")
    strategy = field(page, "Query strategy")
    expect(strategy).to_contain_text("Expected value")
    expect(strategy).to_contain_text("Recommended")
    expect(strategy.get_by_role("radio")).to_have_count(0)

    strategy.get_by_role("button", name="Change").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="Expected value")).to_be_focused()
    # Arrows walk over the borders of groups; typing searches.
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="MQ-Net")).to_be_checked()
    page.keyboard.type("coreset")
    expect(strategy.get_by_role("radio")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(strategy.get_by_role("button", name="Change")).to_be_focused()
    expect(strategy).to_contain_text("Core-set")
    expect(field(page, "Purity score")).to_contain_text("does not use this score")
    saved(page)
    assert project.get()["settings"]["strategy"]["name"] == "coreset"


def test_needs_are_said_before_the_choice_and_can_be_met_after_it(
    signed_in: Page, karat: Client
) -> None:
    page = signed_in
    project = project_on(karat, "Needs")
    page.goto(f"/projects/{project.id}/settings#method")
    field(page, "Purity score").get_by_role("button", name="Change").click()
    features = page.get_by_role("group", name="By features")
    expect(features.get_by_role("radio", name="CSI", exact=True)).to_have_accessible_description(
        re.compile("Needs a job: Learn features.*Until then: Nearest labeled neighbour")
    )
    page.keyboard.press("Escape")
    # Nothing stands in where the server would refuse the settings.
    field(page, "Informativeness score").get_by_role("button", name="Change").click()
    loss = page.get_by_role("radio", name="Predicted loss")
    expect(loss).to_have_accessible_description(re.compile("Needs loss prediction$"))
    page.keyboard.press("Escape")

    informativeness = choose(page, "Informativeness score", "Predicted loss")
    # Without it the server would refuse the settings.
    informativeness.get_by_role("button", name="Switch it on").click()
    expect(informativeness.get_by_role("button", name="Switch it on")).to_have_count(0)
    saved(page)
    settings = project.get()["settings"]
    assert settings["informativeness"]["name"] == "ll"
    assert settings["model"]["params"]["loss_prediction"] is True


def test_settings_are_not_saved_beside_a_field_that_shows_no_number(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = started_on(karat, "Empty field", tmp_path)
    page.goto(f"/projects/{project.id}/settings#method")
    strategy = choose(page, "Query strategy", "MQ-Net")
    strategy.get_by_text("Parameters", exact=True).click()
    epochs = strategy.get_by_label("Epochs")
    epochs.fill("")
    strategy.get_by_text("Parameters", exact=True).click()
    page.get_by_role("button", name="Save changes").click()
    expect(epochs).to_be_focused()
    assert project.get()["settings"]["strategy"]["name"] == "expected_value"

    epochs.fill("50")
    save(page)
    stored = project.get()["settings"]["strategy"]
    assert (stored["name"], stored["params"]["epochs"]) == ("mqnet", 50)


def test_saving_undoes_nothing_that_was_set_elsewhere_meanwhile(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = started_on(karat, "Meanwhile", tmp_path)
    page.goto(f"/projects/{project.id}/settings#method")
    choose(page, "Query strategy", "Core-set")
    project.update(settings={"budget": 77}, guidelines="Look twice.")
    save(page)
    stored = project.get()
    assert stored["settings"]["strategy"]["name"] == "coreset"
    assert (stored["settings"]["budget"], stored["guidelines"]) == (77, "Look twice.")


def test_each_choice_leads_to_its_page_of_the_documentation(signed_in: Page, karat: Client) -> None:
    page = signed_in
    project = project_on(karat, "Documentation")
    page.goto(f"/projects/{project.id}/settings#method")
    field(page, "Purity score").get_by_role("button", name="Change").click()
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Docs: CSI, distance from OOD").click()
    opened = popup.value
    opened.get_by_role("heading", name="CSI, distance from OOD").wait_for()
    opened.get_by_role("link", name="probe").click()
    opened.get_by_role("heading", name="Probe on all verdicts").wait_for()
    expect(opened.get_by_role("table")).to_contain_text("landmarks")


def test_algorithms_and_their_parameters_are_korean_for_korean_readers(
    signed_in: Page, karat: Client
) -> None:
    page = signed_in
    page.add_init_script("localStorage.setItem('karat.language', 'ko')")
    project = project_on(karat, "Korean")
    page.goto(f"/projects/{project.id}/settings#method")
    strategy = field(page, "질의 전략")
    expect(strategy).to_contain_text("기대 가치")
    strategy.get_by_text("파라미터").click()
    expect(strategy.get_by_role("textbox", name="순도 강도")).to_have_value("0.5")

    page.goto("/algorithms/strategy/expected_value")
    expect(page.get_by_role("heading", name="기대 가치")).to_be_visible()
    expect(page.get_by_role("heading", name="파라미터")).to_be_visible()


def test_korean_words_that_did_not_arrive_come_by_themselves(
    signed_in: Page, karat: Client
) -> None:
    page = signed_in
    page.add_init_script("localStorage.setItem('karat.language', 'ko')")
    page.route("**/assets/catalog-*.json", lambda route: route.abort())
    project = project_on(karat, "Late words")
    page.goto(f"/projects/{project.id}/settings#method")
    strategy = field(page, "질의 전략")
    expect(strategy).to_contain_text("Expected value")
    page.unroute("**/assets/catalog-*.json")
    expect(strategy).to_contain_text("기대 가치")

    # Who knows an algorithm by its English title finds it.
    strategy.get_by_role("button", name="변경").click()
    page.keyboard.type("core-set")
    expect(strategy.get_by_role("radio")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(strategy).to_contain_text("코어셋")
    strategy.get_by_text("파라미터").click()
    chosen = strategy.get_by_role("combobox").locator("option:checked")
    expect(chosen).to_have_text("라벨러의 판정 (verdicts)")
