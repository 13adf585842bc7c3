"""The benchmarks of TAUFE, on a pool of a hundred images."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import simclr, taufe
from tests.benchmarks.images import write_images, write_outside

QUICK: dict[str, Any] = {"network": "cnn_tiny", "width": 4, "steps": 2, "batch_size": 8}

Run = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A benchmark in this process; returns its runs."""
    write_images(tmp_path / "cifar10_train.parquet", 10)
    write_images(tmp_path / "cifar10_test.parquet", 3)
    write_outside(tmp_path, 12)

    def call(main: Callable[[], None], *more: str, **params: Any) -> list[dict[str, Any]]:
        out = tmp_path / f"{len(list(tmp_path.glob('out*')))}.json"
        arguments = [
            "taufe", "--data", str(tmp_path), "--textures", str(tmp_path / "dtd10.parquet"),
            "--cache", str(tmp_path / "cache"), "--json", str(out), "--sizes", "20", "--seeds", "1",
            "--threads", "1", "--params", json.dumps(QUICK | params), *more,
        ]  # fmt: skip
        monkeypatch.setattr(sys, "argv", arguments)
        main()
        found: list[dict[str, Any]] = json.loads(out.read_text())["runs"]
        out.unlink()
        return found

    return call


def test_every_training_is_measured(run: Run, tmp_path: Path) -> None:
    unseen = ("--tinyimagenet", str(tmp_path), "--setups", "textures_unseen,tinyimagenet_unseen")
    seen = run(taufe.main, *unseen, "--methods", "taufe")
    assert [one["setup"] for one in seen] == ["textures_unseen", "tinyimagenet_unseen"]
    assert all(0 <= one["energy"]["auroc"] <= 1 for one in seen)
    mixed = run(taufe.main, "--setups", "others", training="mixmatch")
    assert [one["method"] for one in mixed] == ["supervised", "standard", "oat", "taufe"]
    (attacked,) = run(
        taufe.main, "--setups", "textures", "--methods", "standard", training="adversarial",
        judging_steps=2,
    )  # fmt: skip
    assert 0 <= attacked["attacked_accuracy"] <= 1


def test_a_linear_probe_learns_from_an_encoder(run: Run) -> None:
    learner = json.dumps({"epochs": 1, "batch_size": 16})
    found = run(simclr.main, "--simclr", learner)
    assert [one["method"] for one in found] == list(simclr.METHODS)
    assert all(0 <= one["accuracy"] <= 1 for one in found)
