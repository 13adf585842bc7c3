"""The demo, small."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from karat import Client
from karat.client.labeling_types import Query
from karat.demo.annotators import Judge
from karat.demo.demo_pool import digits, from_parquet
from karat.local.processes import ServiceError
from tests.karat.helpers import Run, descendants, png, wait_gone
from tests.processes import eventually


@pytest.fixture(scope="module")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Parquet file with 30 images of each of four classes."""
    path = tmp_path_factory.mktemp("pets") / "pets.parquet"
    names = [name for name in ("cat", "dog", "car", "sky") for _ in range(30)]
    table = {"image": [png(seed) for seed in range(120)], "class_name": names}
    parquet.write_table(pa.table(table), path)
    return path


def test_two_rounds_on_digits(karat: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    before = {process.pid for process in psutil.process_iter()}
    done = karat(
        *("demo", "--exit", "--json", out, "--rounds", 2, "--budget", 24, "--port", 0),
        TMPDIR=str(temporary),
        # Not the demo's to write to.
        DATABASE_URL="postgresql://localhost:1/mine",
    )
    result = json.loads(out.read_text())
    assert [one["number"] for one in result["rounds"]] == [0, 1]
    for one in result["rounds"]:
        assert 0.0 <= one["accuracy"] <= 1.0
        assert 0.0 <= one["in_share"] <= 1.0
        assert one["cost"] == 24
        assert one["seconds"]
        assert all(seconds >= 0 for seconds in one["seconds"].values())
    assert result["config"]["strategy"] == "expected_value"
    assert result["config"]["seed"] == 0
    assert result["pool"]["images"] > 1500
    # Each as it ends, and all of them in the end.
    lines = [line for line in done.stdout.splitlines() if "IN share" in line]
    assert [line.partition(" acc")[0] for line in lines[:2]] == ["Round 0:", "Round 1:"]
    assert len(lines) == 3
    assert "none is running" not in done.stderr
    assert not list(temporary.glob("karat-*"))
    left = [
        one
        for one in psutil.process_iter(["cmdline", "cwd"])
        if one.pid not in before
        and str(temporary) in " ".join((*(one.info["cmdline"] or ()), one.info["cwd"] or ""))
    ]
    assert not left


def assert_someone_can_label(directory: Path) -> None:
    """What simulated annotators left is free for whoever opens the page."""
    login = json.loads((directory / "demo.json").read_text())
    state = json.loads((directory / "running.json").read_text())
    with Client(state["url"]) as you:
        you.login(login["email"], login["password"])
        project = you.project(you.projects()[0]["id"])
        eventually(lambda: len(project.rounds()) == 2, "the next round begins")
        eventually(lambda: len(project.lease(10)["items"]) == 10, "all of it can be labeled", 20)


def test_a_real_pool_then_your_turn(
    pets: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "karat", "demo", "--rounds", "1", "--budget", "10"]
    command += ["--data", str(pets), "--in-classes", "cat,dog", "--noise", "0.5"]
    command += ["--pool-size", "40", "--port", "0", "--data-dir", str(tmp_path / "demo")]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if "Ctrl-C" in line:
                break
        children = descendants(process.pid)
        try:
            assert_someone_can_label(tmp_path / "demo")
            os.killpg(process.pid, 2)
            assert process.wait(30) == 0
        finally:
            process.kill()
        wait_gone(children, seconds=1.0)
    text = "".join(said)
    assert "40 images to label, 50% of them in distribution (cat, dog); 40 held out" in text
    assert "admin@karat.local" in text
    assert (tmp_path / "demo" / "demo.json").stat().st_mode & 0o077 == 0


def test_instructions_are_chosen_with_a_stand_in_that_says_so(karat: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = karat("demo", "--task", "instructions", "--exit", "--json", out, "--port", 0)
    result = json.loads(out.read_text())
    assert result["wrong"] > 0.3
    # The judge errs, and people mend some of it.
    assert result["wrong_of_both"] <= result["wrong_of_judge"] < 0.2
    judged, people = result["judge"], result["people"]["people"]
    assert judged["kept"] == judged["clusters"] >= 100
    assert people["answered"] == people["asked"] > people["audit"] > 10
    assert people["agreement"]["low"] <= people["agreement"]["agree"] / people["agreement"]["of"]
    assert "stand-in, no model" in done.stdout


def test_an_unknown_strategy_is_refused_before_anything_is_started(
    karat: Run, tmp_path: Path
) -> None:
    directory = tmp_path / "demo"
    for option in ("--strategy", "--purity", "--informativeness", "--model"):
        words = ("demo", option, "nope", "--data-dir", directory)
        said = karat(*words, status=2, COLUMNS="500").stderr
        assert f"Invalid value for {option}" in said
        assert "'nope'; known:" in said
    assert not directory.exists()


def test_unknown_classes_and_too_large_pools_are_refused(pets: Path, karat: Run) -> None:
    wrong = karat("demo", "--data", pets, "--in-classes", "cat,cow", status=1)
    assert "no class cow" in wrong.stderr
    assert "car, cat, dog, sky" in wrong.stderr
    with pytest.raises(ServiceError, match="not enough for 90 and 10"):
        from_parquet(pets, ["cat"], noise=0.1, size=100, evaluation=None, seed=0)
    with pytest.raises(ServiceError) as caught:
        from_parquet(
            pets, ["cat"], noise=0.5, size=4, evaluation=None, seed=0, label_column="species"
        )
    assert "called image and species" in caught.value.remedy
    assert "go together" in karat("demo", "--data", pets, status=2).stderr


def test_a_pool_is_drawn_by_its_seed(pets: Path) -> None:
    def draw(seed: int) -> list[bytes]:
        pool = from_parquet(pets, ["cat"], noise=0.75, size=40, evaluation=pets, seed=seed)
        assert pool.in_share == 0.25
        assert len(pool.evaluation) == 30
        return [data for _, data in pool.examples]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_names_of_pool_images_tell_nothing() -> None:
    pool = digits(seed=0)
    assert 0.3 < pool.in_share < 0.45
    assert {label for label, _, _ in pool.evaluation} == set(pool.classes)
    held_out = {data for _, _, data in pool.evaluation}
    assert not held_out & {data for _, data in pool.examples}
    shown = np.array([pool.truth[name] is not None for name, _ in pool.examples], dtype=float)
    # In and out of distribution are mixed: neighbours are as unlike as any two images.
    assert abs(np.corrcoef(shown[1:], shown[:-1])[0, 1]) < 0.1


def test_verdicts_are_wrong_at_the_given_rate_and_always_the_same() -> None:
    truth: dict[str, str | None] = {
        f"image-{k}": None if k % 2 else ("cat", "dog")[k % 4 // 2] for k in range(4000)
    }
    judge = Judge(truth, {"cat": 1, "dog": 2}, wrong=0.02, seed=5)
    wrong = 0
    for name, label in truth.items():
        query: Query = {
            "query_id": 1,
            "example_id": 1,
            "rank": 0,
            "round": 0,
            "duplicates_of": None,
            "fields": [],
            "image_url": "",
            "width": 8,
            "height": 8,
            "excerpt": None,
            "text": None,
            "name": name,
            "predicted_class_id": None,
            "probability": None,
            "in_probability": None,
            "proposals": None,
            "suggested": None,
            "proposed_by": None,
            "members": None,
        }
        answer = judge.answer(query)
        assert answer == judge.answer(query)
        assert 1.0 <= answer["seconds"] <= 2.0
        wrong += {1: "cat", 2: "dog", None: None}[answer.get("class_id")] != label
    assert 0.01 < wrong / len(truth) < 0.03
