"""Loading the label page: paints, shifts, blocking and bytes, in a real browser.

``python -m benchmarks.label_page_load --repeats 5 --json results/label_page_load.json``

Starts Karat with scikit-learn's digits, and opens the label page with an empty cache under two
conditions: a desktop on a fast line, and a phone on a slow one, with the processor slowed down by a
factor. The conditions are those that Lighthouse simulates; here the browser applies them.
"""

import argparse
import json
import platform
import shutil
import statistics
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright
from rich.console import Console
from rich.table import Table

from benchmarks.label_page import prepare
from karat.local.stack import Stack

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_ANSWERS = 40
_QUIET_MS = 2_000

_OBSERVE = """
window.karatLoad = { fcp: null, lcp: null, cls: 0, tasks: [] };
const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
    .observe({ type, buffered: true });
watch("paint", (it) => {
    if (it.name === "first-contentful-paint") karatLoad.fcp = it.startTime;
});
watch("largest-contentful-paint", (it) => { karatLoad.lcp = it.startTime; });
watch("layout-shift", (it) => { if (!it.hadRecentInput) karatLoad.cls += it.value; });
watch("longtask", (it) => { karatLoad.tasks.push([it.startTime, it.duration]); });
"""


@dataclass(frozen=True)
class Conditions:
    """What the page is loaded with.

    Attributes:
        name: What to call it.
        width: Width of the window, in pixels.
        height: Its height.
        latency_ms: Time from a request to the first byte, at least.
        bytes_per_second: Of the line, both ways.
        slowdown: Factor by which the processor is slowed down.
    """

    name: str
    width: int
    height: int
    latency_ms: float
    bytes_per_second: float
    slowdown: float


CONDITIONS = (
    Conditions("desktop", 1440, 900, 40, 10_240 * 1024 / 8, 1),
    Conditions("phone", 390, 844, 150, 1_638.4 * 1024 / 8, 4),
)


def load(browser: Browser, url: str, path: str, state: Any, one: Conditions) -> dict[str, float]:
    """Open the page once with an empty cache.

    Returns:
        Milliseconds ``fcp``, ``lcp``, ``tbt``, the layout shift ``cls``, bytes over the line
        ``bytes``, those of scripts ``script_bytes``, and the number of ``requests``.
    """
    context: BrowserContext = browser.new_context(
        base_url=url,
        viewport={"width": one.width, "height": one.height},
        storage_state=state,
    )
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": one.latency_ms,
            "downloadThroughput": one.bytes_per_second,
            "uploadThroughput": one.bytes_per_second,
        },
    )
    session.send("Emulation.setCPUThrottlingRate", {"rate": one.slowdown})
    kinds: dict[str, str] = {}
    sizes: dict[str, float] = {}
    session.on("Network.responseReceived", lambda it: kinds.update({it["requestId"]: it["type"]}))
    session.on(
        "Network.loadingFinished",
        lambda it: sizes.update({it["requestId"]: it["encodedDataLength"]}),
    )
    page.add_init_script(_OBSERVE)
    page.goto(path)
    page.locator("img[data-query-id]").wait_for()
    page.wait_for_timeout(_QUIET_MS)
    found = page.evaluate("karatLoad")
    context.close()
    return {
        "fcp": found["fcp"],
        "lcp": found["lcp"],
        "cls": found["cls"],
        "tbt": sum(max(0.0, long - 50) for start, long in found["tasks"] if start >= found["fcp"]),
        "bytes": sum(sizes.values()),
        "script_bytes": sum(size for id_, size in sizes.items() if kinds.get(id_) == "Script"),
        "requests": len(sizes),
    }


def run(repeats: int) -> list[dict[str, Any]]:
    """Load the page under each of the conditions, in turns; medians of what was measured."""
    runs: dict[str, list[dict[str, float]]] = {one.name: [] for one in CONDITIONS}
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        images = Path(name) / "images"
        images.mkdir()
        with Stack(Path(name) / "data", port=0) as stack, sync_playwright() as playwright:
            executable = shutil.which("chromium") or shutil.which("google-chrome")
            path = f"/projects/{prepare(stack, images, _ANSWERS)}/label"
            browser = playwright.chromium.launch(executable_path=executable, args=_ARGUMENTS)
            context = browser.new_context(base_url=stack.url)
            login = {"email": stack.admin_email, "password": stack.admin_password}
            context.request.post("/api/auth/login", data=login, headers={"Origin": stack.url})
            state = context.storage_state()
            for _ in range(repeats):
                for one in CONDITIONS:
                    runs[one.name].append(load(browser, stack.url, path, state, one))
            browser.close()
    return [
        {
            **asdict(one),
            "runs": runs[one.name],
            "median": {
                key: statistics.median(each[key] for each in runs[one.name])
                for key in runs[one.name][0]
            },
        }
        for one in CONDITIONS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = run(arguments.repeats)
    columns = ("", "FCP ms", "LCP ms", "CLS", "TBT ms", "KB", "KB of scripts", "requests")
    table = Table(*columns)
    for one in report:
        it = one["median"]
        spread = max(run["lcp"] for run in one["runs"]) - min(run["lcp"] for run in one["runs"])
        table.add_row(
            one["name"],
            f"{it['fcp']:.0f}",
            f"{it['lcp']:.0f} (spread {spread:.0f})",
            f"{it['cls']:.3f}",
            f"{it['tbt']:.0f}",
            f"{it['bytes'] / 1000:.0f}",
            f"{it['script_bytes'] / 1000:.0f}",
            f"{it['requests']:.0f}",
        )
    Console().print(table)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        report_ = {"machine": platform.platform(), "repeats": arguments.repeats, "loads": report}
        arguments.json.write_text(json.dumps(report_, indent=2))


if __name__ == "__main__":
    main()
