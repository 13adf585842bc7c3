"""Published weights are tensors: a file that would run code is refused, not run."""

import pickle
from pathlib import Path

import pytest
import torch

from models.catalog.params.networks import BackboneParams
from models.errors import ModelError
from models.media.images.networks.nets import torchvision_backbone


class Mine:
    """What an attacker would put into a cache of weights."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.trace,)


def test_cached_weights_run_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchvision.models import ResNet18_Weights

    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0")
    cached = tmp_path / "hub" / "checkpoints" / Path(ResNet18_Weights.DEFAULT.url).name
    cached.parent.mkdir(parents=True)
    trace = tmp_path / "ran"
    torch.save({"weights": Mine(trace)}, cached)
    assert pickle.dumps(Mine(trace))
    params = BackboneParams(architecture="resnet18")
    with pytest.raises(ModelError, match="resnet18 cannot be had"):
        torchvision_backbone(params, classes=2, image_size=32)
    assert not trace.exists()
