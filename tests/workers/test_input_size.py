"""The first import chooses how large the model sees the images of a project."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from core import settings
from core.files.storage import Storage
from core.settings.project import ProjectSettings
from core.states import JobState, Split
from core.tables import Project
from models.media.images.store import PixelStore
from tests.processes import eventually, worker
from tests.s3 import Bucket
from tests.workers.import_files import Pool, encoded, parquet_of, picture, zipped
from tests.workers.test_fairness import send
from tests.workers.test_import_resume import kill, run_until_done
from tests.world import World

PHOTOGRAPHS = [(480, 360), (640, 480), (200, 150), (1000, 700), (480, 360)]
DIGITS = [(28, 28)] * 5
# The median is that of the small ones, though most pixels are in the large one.
MIXED = [(20, 24), (24, 20), (28, 30), (900, 700), (21, 40)]
CASES: list[tuple[list[tuple[int, int]], int, tuple[int, int]]] = [
    (PHOTOGRAPHS, 288, (480, 360)),
    (DIGITS, 28, (28, 28)),
    (MIXED, 24, (21, 40)),
    ([(90, 70)], 64, (90, 70)),
    ([(5, 5)], 8, (5, 5)),
]


@pytest.fixture
def empty(world: World, session: Session, installation: settings.Settings) -> Pool:
    """A pool whose size nobody has chosen."""
    return undecided(world, session, installation)


def undecided(
    world: World, session: Session, installation: settings.Settings, **given: Any
) -> Pool:
    project = world.project(input_size=None, **given)
    return Pool(session, Storage(installation.data_dir), project)


def images(sizes: list[tuple[int, int]], kind: str = "PNG") -> list[tuple[str, bytes]]:
    return [
        (f"{n}.{kind.lower()}", encoded(picture(n, *size), kind)) for n, size in enumerate(sizes)
    ]


def chosen(pool: Pool) -> int | None:
    pool.session.expire_all()
    return ProjectSettings.model_validate(
        pool.session.get_one(Project, pool.project_id).settings
    ).input_size


def check_pixels(pool: Pool, side: int, count: int) -> None:
    path = pool.storage.pixels(pool.project_id, side, "crop")
    assert path.stat().st_size == count * side * side * 3
    assert PixelStore.open(path, side, count)[:].any(axis=(1, 2, 3)).all()


@pytest.mark.parametrize("form", ["zip", "parquet"])
@pytest.mark.parametrize(("sizes", "side", "middle"), CASES)
def test_the_plan_says_what_the_first_import_chooses(
    empty: Pool, form: str, sizes: list[tuple[int, int]], side: int, middle: tuple[int, int]
) -> None:
    made = images(sizes)
    rows = [{"image": content, "file": name} for name, content in made]
    content = zipped(made) if form == "zip" else parquet_of(rows)
    name = f"images.{form}"
    plan: Any = empty.add(content, name, dry_run=True).result
    assert plan["input_size"] == {
        "side": side, "width": middle[0], "height": middle[1], "images": len(sizes),
        "fit": "crop",
    }  # fmt: skip
    assert chosen(empty) is None
    result: Any = empty.add(content, name).result
    assert result["added"] == len(sizes)
    assert result["input_size"] == plan["input_size"]
    assert result["notes"] == [
        f"Images are typically {middle[0]} × {middle[1]}; the model sees {side} × {side}."
    ]
    assert chosen(empty) == side
    check_pixels(empty, side, len(sizes))


def test_later_imports_and_projects_with_a_size_choose_nothing(empty: Pool, pool: Pool) -> None:
    assert empty.add(zipped(images(DIGITS))).state is JobState.SUCCEEDED
    for one, side in ((empty, 28), (pool, 8)):
        content = zipped(images([(300 + n, 200) for n in range(4)]))
        plan: Any = one.add(content, dry_run=True).result
        assert plan["input_size"] is None
        result: Any = one.add(content).result
        assert result["added"] == 4
        assert "input_size" not in result
        assert chosen(one) == side


def test_evaluation_images_alone_choose(empty: Pool) -> None:
    files = [(f"cat/{name}", content) for name, content in images(PHOTOGRAPHS, "JPEG")]
    result: Any = empty.add(zipped(files), split=Split.EVALUATION).result
    assert result["by_split"]["evaluation"] == len(files)
    assert chosen(empty) == 288


def test_only_what_enters_is_looked_at(empty: Pool) -> None:
    small = images([(28, 28)] * 3)
    large = images([(400 + n, 300) for n in range(6)])
    files = [
        *((f"train/cat/{name}", content) for name, content in small),
        *((f"test/bird/{name}", content) for name, content in large),
        *((f"samples/{name}", content) for name, content in images([(500, 400)] * 9)),
    ]
    # The birds are of no class of the project, and samples are left out.
    result: Any = empty.add(zipped(files)).result
    assert result["added"] == len({content for _, content in small})
    assert chosen(empty) == 28


def test_a_large_zip_is_looked_at_all_over(empty: Pool) -> None:
    """Whatever lies first in it, such as what somebody has scaled down to look at."""
    files = images([(16, 16)] * 600) + images([(100, 100)] * 700)
    content = zipped([(f"{n:04}.png", one) for n, (_, one) in enumerate(files)])
    result: Any = empty.add(content).result
    assert result["input_size"]["side"] == chosen(empty) == 128
    assert 400 <= result["input_size"]["images"] <= 500


def test_where_nothing_can_be_read_nothing_is_chosen(empty: Pool) -> None:
    result: Any = empty.add(zipped([("a.png", b"no image"), ("b.jpg", b"")])).result
    assert (result["added"], result["refused"]) == (0, 2)
    assert chosen(empty) is None
    assert empty.add(zipped(images(DIGITS))).state is JobState.SUCCEEDED
    assert chosen(empty) == 28


def test_a_phone_s_photograph_counts_as_it_is_held(empty: Pool) -> None:
    exif = picture(0).getexif()
    exif[0x0112] = 6
    content = encoded(picture(1, 400, 300), "JPEG", exif=exif)
    result: Any = empty.add(zipped([("a.jpg", content)])).result
    assert (result["input_size"]["width"], result["input_size"]["height"]) == (300, 400)


def test_a_patch_of_the_model_fits_into_what_it_sees(
    world: World, session: Session, installation: settings.Settings
) -> None:
    model = {"name": "patch_kmeans", "params": {"patch_size": 12}}
    pool = undecided(world, session, installation, model=model)
    result: Any = pool.add(zipped(images([(8, 8)] * 3))).result
    assert result["input_size"]["side"] == chosen(pool) == 16


def test_two_imports_at_once_choose_once(
    world: World, session: Session, installation: settings.Settings, tmp_path: Path
) -> None:
    """Whichever is first: all pixels are of one size, the other's too."""
    pools = [undecided(world, session, installation) for _ in range(3)]
    jobs = [
        pool.queue(zipped(images(sizes)))
        for pool in pools
        for sizes in ([(28, 28 + n) for n in range(40)], [(300, 200 + n) for n in range(40)])
    ]
    send(*jobs)
    with worker("cpu", tmp_path / "one.log"), worker("cpu", tmp_path / "two.log"):

        def ended() -> bool:
            session.expire_all()
            return all(job.state is JobState.SUCCEEDED for job in jobs)

        eventually(ended, "the imports end")
    for number, pool in enumerate(pools):
        results: list[Any] = [job.result for job in jobs[2 * number : 2 * number + 2]]
        said = [one["input_size"]["side"] for one in results if "input_size" in one]
        assert said == [chosen(pool)]
        assert chosen(pool) in (28, 192, 224, 288)
        check_pixels(pool, said[0], 80)


@pytest.mark.parametrize(
    ("place", "moment", "settled"),
    [
        ("choice", "before", None),
        # Chosen, and not committed.
        ("choice", "after", None),
        ("files", "before", 28),
        ("rows", "after", 28),
        ("publish", "after", 28),
    ],
)
def test_a_killed_import_goes_on_with_its_choice(
    empty: Pool, place: str, moment: str, settled: int | None
) -> None:
    job = empty.queue(zipped(images([(28, 28 + n % 2) for n in range(700)])))
    kill(empty, job, [(place, moment, 1)])
    assert chosen(empty) == settled
    run_until_done(empty, job)
    assert (job.result or {})["input_size"]["side"] == chosen(empty) == 28
    check_pixels(empty, 28, 700)


def test_a_bucket_is_planned_and_imported_alike(bucket: Bucket, empty: Pool) -> None:
    bucket.put({f"photos/{name}": content for name, content in images(PHOTOGRAPHS, "JPEG")})
    plan: Any = empty.bucket(f"{bucket.url}/photos", dry_run=True).result
    assert plan["input_size"]["side"] == 288
    assert chosen(empty) is None
    result: Any = empty.bucket(f"{bucket.url}/photos").result
    assert result["input_size"] == plan["input_size"]
    assert chosen(empty) == 288
