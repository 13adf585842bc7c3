"""The benchmark of open-set active learning, on a pool of a hundred images."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import open_set_al
from benchmarks.open_set import contrastive
from benchmarks.open_set.protocol import ELSEWHERE, Case, split
from benchmarks.open_set.runs import Algorithm, params_of
from tests.benchmarks.images import write_images, write_outside

STRATEGIES = ("random", "margin")
ROUNDS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("open_set")
    write_images(path / "cifar10_train.parquet", 10)
    write_images(path / "cifar10_test.parquet", 3)
    return path


Run = Callable[..., str]


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, in this process: starting another one for torch takes longer than the runs."""

    def call(*more: str) -> str:
        arguments = [
            "open_set_al", "--data", str(folder), "--cache", str(folder / "cache"),
            "--json", str(folder / "out.json"), "--features", "network",
            "--model-params", '{"steps": 2, "width": 4}', "--noise", "0.2", "--trials", "0",
            "--seeds", "1", "--rounds", str(ROUNDS), "--budget", "10", "--jobs", "1",
            "--strategies", ",".join(STRATEGIES), *more,
        ]  # fmt: skip
        monkeypatch.setattr(sys, "argv", arguments)
        open_set_al.main()
        return capsys.readouterr().out

    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        # It sets them for the processes it starts; set here, they are put back.
        monkeypatch.setenv(name, "1")
    return call


def read(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return content


def test_it_writes_what_is_documented_and_resumes(folder: Path, run: Run) -> None:
    assert run().count("trial 0  seed 0:") == len(STRATEGIES)
    content = read(folder)
    assert content["config"]["rounds"] == ROUNDS
    assert content["config"]["model"] == "cnn_tiny"
    assert set(content["results"]) == set(STRATEGIES)
    for result in content["results"].values():
        (accuracy,), (shares,), (seconds,) = (
            result[key] for key in ("final_accuracy", "in_share", "seconds")
        )
        assert 0 <= accuracy <= 1
        assert len(shares) == ROUNDS
        assert all(0 <= share <= 1 for share in shares)
        assert seconds > 0

    again = run()
    assert "seed 0:" not in again
    assert "last round" in again
    assert read(folder) == content

    with pytest.raises(SystemExit, match="another configuration"):
        run("--budget", "5")


def test_a_round_with_nothing_left_to_ask_has_no_share(folder: Path, run: Run) -> None:
    out = folder / "all.json"
    # 40 images are in-distribution and 10 are not: 30 come first, 20 are asked for.
    arguments = ("--strategies", "random", "--budget", "30", "--rounds", "3", "--json", str(out))
    run(*arguments)
    content = json.loads(out.read_text(), parse_constant=pytest.fail)
    (shares,) = content["results"]["random"]["in_share"]
    assert shares[1:] == [None, None]
    assert shares[0] == pytest.approx(16 / 20)
    assert "nan" not in run(*arguments)


def test_ood_of_other_data_sets_and_what_is_learned_from_it(folder: Path, run: Run) -> None:
    write_outside(folder, 12)
    arguments = (
        "--textures", str(folder / "dtd10.parquet"), "--tinyimagenet", str(folder),
        "--noise", "0.5", "--strategies", "random,random+taufe=1,conf+ood_class",
        "--json", str(folder / "cross.json"),
    )  # fmt: skip
    assert run(*arguments).count("trial 0  seed 0:") == 3
    content = json.loads((folder / "cross.json").read_text())
    # 12 textures and 8 of 12 images of Tiny-ImageNet are OOD; of 100 others as many are taken.
    assert content["config"]["outside"] == "cross_textures_tinyimagenet"
    outcomes = {one["label"]: one["outcome"] for one in content["runs"]}
    assert outcomes["random"]["in_share"] == outcomes["random+taufe=1"]["in_share"]
    cache = folder / "cache" / "cross_textures_tinyimagenet"
    assert (np.load(cache / "targets.npy") == ELSEWHERE).sum() == 20
    case = Case(0.5, 0, 0)
    parts = split(np.load(cache / "targets.npy"), 120, case, budget=10, cross=True)
    assert (parts.labels[parts.pool] >= 0).sum() == (parts.labels[parts.pool] < 0).sum() == 20
    assert len(parts.test) == 30
    with pytest.raises(SystemExit, match="nothing is called tauffe"):
        run("--strategies", "random+tauffe")


def test_models_learn_from_ood_answers_where_they_are_told_to_only() -> None:
    learns = {
        label: params_of({"flip": False}, Algorithm.parse(label))["ood_class"]
        for label in ("conf", "conf+ood_class", "eaoa", "mqnet/k_plus_1")
    }
    assert learns == {"conf": False, "conf+ood_class": True, "eaoa": False, "mqnet/k_plus_1": False}


def test_contrastive_features_are_learned_once_and_used(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    features = folder / "features.npy"
    params = {"network": "cnn_tiny", "width": 4, "epochs": 1, "batch_size": 25}
    arguments = [
        "contrastive", "--data", str(folder), "--cache", str(folder / "cache"), "--threads", "1",
        "--params", json.dumps(params), "--out", str(features),
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", arguments)
    contrastive.main()
    learned = np.load(features)
    assert len(learned) == len(np.load(folder / "cache" / "targets.npy"))
    assert np.isfinite(learned).all()
    assert (learned.std(axis=0) > 0).any()

    written = features.with_suffix(".encoder").stat().st_mtime_ns
    contrastive.main()
    assert features.with_suffix(".encoder").stat().st_mtime_ns == written

    out = folder / "csi.json"
    run("--contrastive", str(features), "--strategies", "mqnet/csi/margin", "--json", str(out))
    content = json.loads(out.read_text())
    assert content["config"]["contrastive"] == features.name
    assert content["config"]["inputs"] == {"mqnet/csi/margin": ["csi", "margin"]}
    assert not [note for note in content["runs"][0]["outcome"]["notes"] if "csi" in note]
