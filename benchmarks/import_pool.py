"""How fast a zip of small JPEGs gets into a pool, and how much memory that takes.

``python -m benchmarks.import_pool --n 10000 --json FILE`` starts its own PostgreSQL and imports n
and 2n distinct 32 × 32 JPEGs through the job handler, each in a process of its own.

Files go below ``TMPDIR``. On ext4, choose a directory where little was deleted in the last five
minutes: until then each new file's inode is searched past the deleted ones, and creating a file
costs 0.5 ms instead of 0.02 ms.
"""

import argparse
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.servers import ROOT, migrate
from karat.local.embedded import EmbeddedPostgres

SEED = 0


def write_zip(path: Path, n: int) -> None:
    """A class folder zip of n distinct JPEGs of about 900 bytes, as small photographs have."""
    random = np.random.default_rng([SEED, n])
    coarse = random.integers(0, 256, (n, 6, 6, 3), dtype=np.uint8)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for index, pixels in enumerate(coarse):
            stream = io.BytesIO()
            image = Image.fromarray(pixels).resize((32, 32), Image.Resampling.BICUBIC)
            image.save(stream, "JPEG", quality=90)
            archive.writestr(f"class{index % 10}/{index:07d}.jpg", stream.getvalue())


def import_once(data_dir: Path, upload: str, profile: Path | None) -> dict[str, Any]:
    """Run one import job in this process; measures it and the process's peak memory."""
    import cProfile
    import resource

    from core.jobs.messages import RunJob
    from core.lifecycle import new_job
    from core.settings.project import ProjectSettings
    from core.states import JobKind, ProjectState, Split
    from core.tables import Job, Project
    from workers.execution.runner import run_job
    from workers.imports import handler
    from workers.jobs.context import sessions

    with sessions().begin() as session:
        project = Project(
            name=upload,
            state=ProjectState.DRAFT,
            settings=ProjectSettings(input_size=32).model_dump(mode="json"),
        )
        session.add(project)
        session.flush()
        params = {"upload": upload, "filename": upload, "split": Split.POOL, "columns": {}}
        job = new_job(JobKind.IMPORT_POOL, project_id=project.id, params=params)
        session.add(job)
        session.flush()
        job_id = job.id
    before = resource.getrusage(resource.RUSAGE_SELF)
    profiler = cProfile.Profile()
    start = time.perf_counter()
    if profile:
        profiler.runcall(run_job, RunJob(job_id=job_id, kind=JobKind.IMPORT_POOL), handler)
        profiler.dump_stats(profile)
    else:
        run_job(RunJob(job_id=job_id, kind=JobKind.IMPORT_POOL), handler)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    with sessions()() as session:
        done = session.get_one(Job, job_id)
    if done.result is None:
        raise SystemExit(f"the import failed: {done.error}")
    return {
        "n": done.result["added"],
        "seconds": seconds,
        "images_per_s": done.result["added"] / seconds,
        "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "start_mb": before.ru_maxrss / 1024,
        "peak_mb": after.ru_maxrss / 1024,
        "pixel_mb": (data_dir / "projects" / str(done.project_id) / "pixels.u8").stat().st_size
        / 2**20,
    }


def decode_only(path: Path, n: int = 2000) -> float:
    """Images a second that a plain loop unzips, hashes and decodes, writing nothing."""
    start = time.perf_counter()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()[:n]
        for name in names:
            content = archive.read(name)
            hashlib.sha256(content).digest()
            with Image.open(io.BytesIO(content)) as image:
                np.asarray(image.convert("RGB"))
    return len(names) / (time.perf_counter() - start)


def create_only(directory: Path, n: int = 2000) -> float:
    """Small files a second that this disk takes at the moment, in 256 folders."""
    folders = [directory / f"{index:02x}" for index in range(256)]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    for index in range(n):
        (folders[index % 256] / f"{index}").write_bytes(bytes(900))
    return n / (time.perf_counter() - start)


def measure(n: int, data_dir: Path, environment: dict[str, str], profile: Path | None) -> Any:
    """Make a zip of n images and import it in a fresh process."""
    uploads = data_dir / "uploads"
    uploads.mkdir(parents=True, exist_ok=True)
    write_zip(uploads / f"{n}.zip", n)
    references = {
        "decode_only_per_s": decode_only(uploads / f"{n}.zip"),
        "create_only_per_s": create_only(data_dir / f"created-{n}"),
    }
    command = [sys.executable, "-m", "benchmarks.import_pool", "--child", f"{n}.zip"]
    if profile:
        command += ["--profile", str(profile)]
    output = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return json.loads(output.splitlines()[-1]) | references


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--profile", type=Path, help="write cProfile statistics of the first run")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        data_dir = Path(os.environ["KARAT_DATA_DIR"])
        print(json.dumps(import_once(data_dir, arguments.child, arguments.profile)))
        return
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        directory = Path(name)
        with EmbeddedPostgres(directory / "postgres") as postgres:
            environment = {
                **os.environ,
                "DATABASE_URL": postgres.url,
                "KARAT_DATA_DIR": str(directory / "data"),
            }
            migrate(environment)
            profile = arguments.profile
            first = measure(arguments.n, directory / "data", environment, profile)
            double = measure(2 * arguments.n, directory / "data", environment, None)
    print(
        f"{'images':>8} {'seconds':>8} {'images/s':>9} {'CPU s':>6} {'start MB':>9} {'peak MB':>8}"
    )
    for run in (first, double):
        print(
            f"{run['n']:8,} {run['seconds']:8.2f} {run['images_per_s']:9,.0f}"
            f" {run['decode_only_per_s']:14,.0f} {run['create_only_per_s']:14,.0f}"
            f" {run['cpu_seconds']:7.2f} {run['start_mb']:9.0f} {run['peak_mb']:8.0f}"
        )
    if arguments.json:
        result = {**first, "cores": os.cpu_count(), "double": double}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
