"""Pruning labels in the browser: start, look at what is dropped, train on the rest, take back."""

from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client
from tests.e2e.labeled import labeled_project
from tests.processes import eventually


def test_an_admin_prunes_trains_on_it_and_takes_back(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = labeled_project(karat, "Pruning", tmp_path)
    page.goto(f"/projects/{project.id}/jobs")
    page.get_by_role("button", name="What should I train on?").click()
    card = page.get_by_role("region", name="Prune labels")
    card.locator("summary").click()
    # What the job is about comes first.
    expect(card.locator("label").first).to_have_text("Method")
    card.get_by_label("Network").select_option("cnn_tiny")
    card.get_by_label("Width").fill("8")
    card.get_by_label("Epochs").fill("2")
    card.get_by_label("Method").select_option("prune4rel_greedy")
    # A number instead of a share: what was emptied stays empty, here and after the run.
    card.get_by_label("Ratio").fill("")
    card.get_by_label("Count").fill("9")
    expect(card.get_by_label("Ratio")).to_have_value("")
    card.get_by_role("button", name="Start", exact=True).click()
    card.get_by_role("link", name="Show the subset").wait_for(timeout=120_000)
    page.reload()
    card.locator("summary").click()
    expect(card.get_by_label("Ratio")).to_have_value("")
    expect(card.get_by_label("Count")).to_have_value("9")
    card.get_by_role("link", name="Show the subset").click()

    (job,) = karat.jobs(project_id=project.id, kind="prune")
    assert job["result"] is not None
    kept, labels = job["result"]["kept"], job["result"]["labeled"]
    assert kept == 9
    expect(page.get_by_text(f"keeps {kept} of {labels} labels")).to_be_visible()
    share = 100 * job["result"]["extras"]["guaranteed"]
    assert share >= 63.2
    certain = "the optimum" if share == 100 else f"at least {int(10 * share) / 10:.1f} %"
    expect(page.get_by_text("Guaranteed").locator("xpath=..")).to_contain_text(certain)
    for name, count in (("Dropped", min(24, labels - kept)), ("First to keep", min(24, kept))):
        images = page.get_by_role("region", name=name).get_by_role("img")
        expect(images).to_have_count(count)
        images.first.scroll_into_view_if_needed()
        first = images.first
        eventually(lambda one=first: one.evaluate("it => it.naturalWidth") > 0, "it loads")  # type: ignore[misc]

    first = page.get_by_role("region", name="First to keep").get_by_role("listitem").first
    for fact in ("Rank", "Gain", "Confidence", "Neighbourhood", "Loss"):
        expect(first.get_by_role("term").filter(has_text=fact)).to_be_visible()

    # More was dropped than is shown: the pool browser has the rest.
    assert labels - kept > 24
    subset = page.url
    page.get_by_role("link", name=f"All {labels - kept} dropped").click()
    expect(page.get_by_role("heading", name=f"{labels - kept} images")).to_be_visible()
    page.goto(subset)
    page.get_by_role("link", name=f"All {kept} kept").click()
    expect(page.get_by_role("heading", name=f"{kept} images")).to_be_visible()
    chosen = str(job["result"]["subset_id"])
    expect(page.get_by_label("Kept by subset")).to_have_value(chosen)
    page.get_by_label("Dropped by subset").select_option(chosen)
    expect(page.get_by_text("Nothing matches")).to_be_visible()

    page.goto(subset)
    page.get_by_role("button", name="Train on it").click()
    expect(page.get_by_text("In use")).to_be_visible()
    assert project.get()["settings"]["subset"] == job["result"]["subset_id"]
    # Whoever comes back sees it where they look first, and where training is set up.
    for place in ("", "/settings"):
        page.goto(f"/projects/{project.id}{place}")
        said = page.get_by_text(f"Rounds train on subset {chosen} (Prune4ReL, true greedy)")
        expect(said).to_contain_text(f"keeps {kept} of {labels} labels")
        # What few change is folded, of a project that runs too; links to it open it.
        for fold in page.locator("#method > details").all():
            expect(fold).not_to_have_attribute("open", "")
        page.get_by_role("link", name="Show the subset").click()
        expect(page).to_have_url(subset)
    # A job that learns from a subset offers it by name.
    page.get_by_role("link", name="All jobs").click()
    page.get_by_role("button", name="Which labels are wrong?").click()
    relabel = page.get_by_role("region", name="Relabel")
    relabel.locator("summary").click()
    expect(relabel.get_by_label("Subset")).to_have_value(chosen)
    expect(relabel.get_by_label("Subset").locator("option")).to_have_text(
        ["Everything labeled", f"{chosen}: Prune4ReL, true greedy, {kept} kept"]
    )
    page.goto(subset)
    page.get_by_role("button", name="Train on all labels").click()
    expect(page.get_by_text("In use")).to_have_count(0)
    assert project.get()["settings"]["subset"] is None
