"""The benchmark of accuracy by pruning method, on a hundred images."""

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks import pruning_accuracy
from benchmarks.pruning_accuracy import LEARNERS, METHODS
from tests.benchmarks.images import write_images

QUICK = {
    "warm_up": {"width": 4, "epochs": 2, "models": 1},
    "learner": {"width": 4, "epochs": 2},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_images(tmp_path / "cifar10_train.parquet", 12)
    write_images(tmp_path / "cifar10_test.parquet", 3)
    truth = pq.read_table(tmp_path / "cifar10_train.parquet")["label"].to_pylist()
    with (tmp_path / "train_noisy_labels.csv").open("w") as file:
        table = csv.DictWriter(file, ("index", "worse_label"))
        table.writeheader()
        for index, label in enumerate(truth):
            # A quarter is wrong.
            table.writerow({"index": index, "worse_label": (label + (index % 4 == 0)) % 10})
    return tmp_path


def test_it_keeps_every_run_and_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(*more: str) -> str:
        arguments = [
            "pruning_accuracy", "--data", str(folder), "--cache", str(folder / "cache"),
            "--json", str(folder / "out.json"), "--params", json.dumps(QUICK),
            "--images", "100", "--seeds", "2", *more,
        ]  # fmt: skip
        monkeypatch.setattr(sys, "argv", arguments)
        pruning_accuracy.main()
        return capsys.readouterr().out

    few = ("--methods", "uniform,prune4rel_balanced", "--ratios", "0.4")
    assert call(*few).count(" %\n") == 8
    # What the thesis says stands beside it.
    shown = call("--ratios", "0.4")
    assert shown.count(" %\n") == 2 * 2 * len(METHODS) - 8
    assert "89.2" in shown
    content = json.loads((folder / "out.json").read_text())
    cases = {(run["method"], run["learner"], run["seed"]) for run in content["runs"]}
    assert cases == {(one, by, seed) for one in METHODS for by in LEARNERS for seed in (0, 1)}
    for run in content["runs"]:
        assert 0 <= run["accuracy"] <= 1
        assert 0 <= run["noise"] <= 1
    # Learners of a seed are given the same subset, and a random one is as noisy as the whole.
    noise = {(run["method"], run["seed"], run["noise"]) for run in content["runs"]}
    assert len(noise) == 2 * len(METHODS)
    uniform = [value for method, _, value in noise if method == "uniform"]
    assert np.mean(uniform) == pytest.approx(0.25, abs=0.15)
    with pytest.raises(SystemExit, match="another configuration"):
        call("--images", "90")
