"""What a map of a pool takes to make, and how smoothly it is moved about in Chromium.

``python -m benchmarks.embedding_map --n 100000 --json results/embedding_map.json``

Made-up embeddings of 1,280 numbers in groups go the way that the job goes, in a process of its own:
seconds of each step after the embedding itself, peak memory, and how much of the neighbourhoods is
kept. Then the pool page shows a map of as many points, in colours, and is dragged and zoomed by a
script; each frame is timed by the page itself.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.pool_browser import TOKEN, fill
from benchmarks.servers import ROOT, installed, psycopg_url, serving_module
from core.files.storage import Storage, sha256
from models.catalog.params.embedding_map import EmbeddingMapParams
from models.features.embedding_map import (
    drawn,
    find_neighbours,
    lay_out,
    load,
    neighbours_wanted,
    place_others,
    reduce,
    scaled,
)
from tests.e2e.chromium import launched

WIDTH = 1_280
GROUPS = 40
JUDGED = 2_000
NEAR = 10
MOVES = 150

_FRAMES = """() => {
  window.frames_ = [];
  let last = performance.now();
  const note = (now) => {
    window.frames_.push(now - last);
    last = now;
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
}"""


def make(n: int, laid_out: int, folder: Path) -> dict[str, Any]:
    """Make a map in this process; it is left in ``folder``."""
    rng = np.random.default_rng(0)
    middles = rng.standard_normal((GROUPS, WIDTH), dtype=np.float32)
    rows = np.lib.format.open_memmap(
        folder / "rows.npy", mode="w+", dtype=np.float32, shape=(n, WIDTH)
    )
    for start in range(0, n, 8_192):
        stop = min(start + 8_192, n)
        of = rng.integers(0, GROUPS, stop - start)
        rows[start:stop] = middles[of] + 1.5 * rng.standard_normal(
            (stop - start, WIDTH), dtype=np.float32
        )
    rows.flush()
    params = EmbeddingMapParams(laid_out=laid_out)
    seconds: dict[str, float] = {}
    cpu: dict[str, float] = {}

    def timed(name: str, step: Callable[[], Any]) -> Any:
        started, worked = time.perf_counter(), time.process_time()
        found = step()
        seconds[name] = round(time.perf_counter() - started, 1)
        cpu[name] = round(time.process_time() - worked, 1)
        return found

    path = folder / "points.npy"
    timed("components", lambda: reduce(rows, np.arange(n), [(0, WIDTH)], out=path))
    points = load(path)
    chosen = drawn(n, params.laid_out, 0)
    own = points[chosen]
    near = timed(
        "neighbours",
        lambda: find_neighbours(
            own, own, neighbours_wanted(params, len(own)), folder=folder / "near", own=True
        ),
    )
    positions = timed(
        "layout",
        lambda: lay_out(
            own, near[0], near[1], params, seed=0, checkpoint=folder / "layout.safetensors"
        ),
    )
    placed = timed(
        "others", lambda: place_others(points, chosen, positions, folder=folder / "others")
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    at = scaled(placed)
    table = pa.table({"pool_index": np.arange(n), "x": at[:, 0], "y": at[:, 1]})
    pq.write_table(table, folder / "map.parquet", row_group_size=1 << 16)
    return {
        "n": n,
        "laid_out": len(chosen),
        "seconds": seconds,
        "cpu_seconds": cpu,
        "all": round(sum(seconds.values()), 1),
        "all_cpu": round(sum(cpu.values()), 1),
        "peak_mib": round(peak),
        "trustworthiness": _trustworthiness(rows, at, rng),
    }


def _trustworthiness(rows: Any, at: Any, rng: np.random.Generator) -> float:
    from sklearn.manifold import trustworthiness

    some = np.sort(rng.choice(len(at), min(JUDGED, len(at)), replace=False))
    return round(float(trustworthiness(np.asarray(rows[some]), at[some], n_neighbors=NEAR)), 3)


def frames(n: int, map_file: Path, folder: Path) -> dict[str, Any]:
    """Drag and zoom a map of n points on the pool page; milliseconds of each frame."""
    storage = Storage(folder / "data")
    with installed(folder) as environment:
        with psycopg.connect(psycopg_url(environment)) as connection:
            project = fill(connection, storage, n)
            _keep(connection, storage, project, map_file, n)
        with serving_module("api", "/healthz", environment) as server:
            return _measured(f"http://127.0.0.1:{server.port}", project)


def _keep(
    connection: psycopg.Connection[Any], storage: Storage, project: int, file: Path, n: int
) -> None:
    key = f"projects/{project}/jobs/1/map.parquet"
    path = storage.artifact(key)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.read_bytes())
    meta = {"laid_out": n, "features": "auto", "made_at": datetime.now(UTC).isoformat()}
    connection.execute(
        "INSERT INTO artifacts (project_id, kind, storage_key, sha256, bytes, meta)"
        " VALUES (%s, 'embedding_map', %s, %s, %s, %s)",
        (project, key, sha256(path), path.stat().st_size, json.dumps(meta)),
    )


def _measured(url: str, project: int) -> dict[str, Any]:
    with launched() as browser:
        context = browser.new_context(
            base_url=url,
            viewport={"width": 1440, "height": 1000},
            extra_http_headers={"Authorization": f"Bearer {TOKEN}"},
        )
        page = context.new_page()
        started = time.perf_counter()
        page.goto(f"/projects/{project}/pool?view=map&colour=predicted")
        shown = page.get_by_role("img", name="Map of")
        shown.wait_for()
        page.locator("[aria-busy=false] canvas").first.wait_for()
        opened = time.perf_counter() - started
        box = shown.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.wait_for_timeout(3_000)
        # The first image under the pointer builds what finds them.
        page.evaluate(_FRAMES)
        found = {"open_s": round(opened, 2), "idle": _frames_of(page)}
        page.keyboard.down("Control")
        for step in range(40):
            page.mouse.wheel(0, -60 if step < 30 else 60)
        page.keyboard.up("Control")
        found["zoom"] = _frames_of(page)
        page.mouse.down()
        for step in range(MOVES):
            angle = step / 12
            page.mouse.move(x + 160 * np.sin(angle), y + 90 * np.cos(angle))
        page.mouse.up()
        found["pan"] = _frames_of(page)
        for step in range(MOVES):
            page.mouse.move(x + step, y + step / 3)
        found["hover"] = _frames_of(page)
        return found


def _frames_of(page: Any) -> dict[str, float]:
    """Percentiles of the frames since the last look."""
    page.wait_for_timeout(500)
    taken = page.evaluate("() => window.frames_.splice(0)")
    p50, p95, worst = np.percentile(taken, [50, 95, 100])
    return {
        "frames": len(taken),
        "p50": round(float(p50), 1),
        "p95": round(float(p95), 1),
        "worst": round(float(worst), 1),
    }


def main() -> None:
    """Measure, print, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--laid-out", type=int, default=EmbeddingMapParams().laid_out)
    parser.add_argument("--no-frames", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--make-in", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make_in:
        print(json.dumps(make(arguments.n, arguments.laid_out, arguments.make_in)))
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.embedding_map", "--n", str(arguments.n)]
        command += ["--laid-out", str(arguments.laid_out), "--make-in", folder]
        done = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        report = {"made": json.loads(done.stdout)}
        if not arguments.no_frames:
            map_file = Path(folder) / "map.parquet"
            report["frames"] = frames(arguments.n, map_file, Path(folder))
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    made = report["made"]
    table = Table(title=f"A map of {made['n']:,} images, {made['laid_out']:,} laid out")
    table.add_column("step")
    table.add_column("s", justify="right")
    table.add_column("CPU s", justify="right")
    for name, seconds in made["seconds"].items():
        table.add_row(name, f"{seconds:g}", f"{made['cpu_seconds'][name]:g}")
    table.add_row("all", f"{made['all']:g}", f"{made['all_cpu']:g}")
    console = Console()
    console.print(table)
    console.print(f"peak {made['peak_mib']:,} MiB, trustworthiness {made['trustworthiness']}")
    if "frames" in report:
        console.print(report["frames"])


if __name__ == "__main__":
    main()
