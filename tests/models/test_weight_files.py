"""Weights from files: read with suspicion, compared with the architecture, and put into it."""

import json
import sys
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import pytest
import timm
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torchvision import models as zoo

from models.catalog.params.networks import BackboneParams
from models.errors import ModelError
from models.features.embed import embed_pool, embedding_params
from models.media.images.networks.nets import timm_backbone, torchvision_backbone
from models.media.images.networks.weight_check import check_file, check_published
from models.media.images.store import PixelStore
from models.media.images.weight_files.fitting import digest
from models.media.images.weight_files.header import (
    MOST_HEADER,
    preprocessing_of,
    read_header,
    require_name,
)
from models.media.images.weight_files.published import place_of
from models.target.train import load_target, train_target
from tests.weight_files import TINY, file_of, tiny_weights

SOME = {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}


@pytest.fixture
def store(tmp_path: Path) -> PixelStore:
    """Twelve images of noise, 32 px."""
    pixels = np.random.default_rng(0).integers(0, 256, (12, 32, 32, 3), dtype=np.uint8)
    with PixelStore.writer(tmp_path / "pixels.u8", 32) as writer:
        writer.write(0, pixels)
    return PixelStore.open(tmp_path / "pixels.u8", 32, 12)


def embeddings(store: PixelStore, file: Path, out: Path, **params: Any) -> Any:
    """Of a pool by a frozen network of timm with the weights of a file."""
    given = {"architecture": TINY, "mode": "frozen", "weights": str(file), **params}
    embed_pool(store, "timm", given, out=out, seed=0)
    return np.load(out)


def by_timm(model: torch.nn.Module, store: PixelStore, mean: Any, std: Any) -> Any:
    """Of a pool by timm itself."""
    model.reset_classifier(0)  # type: ignore[operator]
    pixels = torch.from_numpy(store[slice(0, None)]).permute(0, 3, 1, 2).float() / 255
    mean, std = (torch.tensor(one)[:, None, None] for one in (mean, std))
    with torch.inference_mode():
        return model((pixels - mean) / std).numpy()


def test_a_frozen_network_embeds_as_timm_does_with_the_same_tensors(
    store: PixelStore, tmp_path: Path
) -> None:
    model = tiny_weights(tmp_path / "a.safetensors")
    found = embeddings(store, tmp_path / "a.safetensors", tmp_path / "a.npy", precision="float32")
    config: Any = model.pretrained_cfg
    wanted = by_timm(model, store, config["mean"], config["std"])
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert found.std(axis=0).max() > 1e-3


def test_what_the_file_says_of_pixels_goes_before_what_the_library_knows(
    store: PixelStore, tmp_path: Path
) -> None:
    said = {"mean": "[0.1, 0.2, 0.3]", "std": "0.4, 0.5, 0.6"}
    model = tiny_weights(tmp_path / "a.safetensors", metadata=said)
    found = embeddings(store, tmp_path / "a.safetensors", tmp_path / "a.npy", precision="float32")
    wanted = by_timm(model, store, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_embeddings_belong_to_the_content_of_the_file_and_not_to_its_name(
    store: PixelStore, tmp_path: Path
) -> None:
    file, other = tmp_path / "a.safetensors", tmp_path / "b" / "a.safetensors"
    tiny_weights(file)
    tiny_weights(other, seed=1)
    params = {"architecture": TINY, "mode": "frozen"}
    one, two = (
        embedding_params("timm", {**params, "weights": str(path)}) for path in (file, other)
    )
    assert one["weights"] == digest(str(file)) != two["weights"] == digest(str(other))
    # Of a file that is named by what it holds nothing has to be read.
    assert digest(f"/nowhere/{'ab' * 32}.safetensors") == "ab" * 32
    # What was embedded with published weights before there were others stays as good as it was.
    assert "weights" not in embedding_params("timm", params)
    embeddings(store, file, tmp_path / "a.npy")
    with pytest.raises(ModelError, match="embed with other parameters"):
        embeddings(store, other, tmp_path / "a.npy")


def test_later_images_are_embedded_without_the_file(store: PixelStore, tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    tiny_weights(file)
    named = tmp_path / f"{digest(str(file))}.safetensors"
    file.rename(named)
    whole = embeddings(store, named, tmp_path / "whole.npy")
    few = PixelStore.open(store.path, 32, 5)
    embeddings(few, named, tmp_path / "grown.npy")
    named.unlink()
    grown = embeddings(store, named, tmp_path / "grown.npy")
    np.testing.assert_allclose(grown, whole, rtol=1e-4, atol=1e-5)


def test_finetuning_starts_from_the_file_and_what_is_saved_needs_it_no_more(
    store: PixelStore, tmp_path: Path
) -> None:
    file = tmp_path / "a.safetensors"
    tiny_weights(file)
    params = {"architecture": TINY, "weights": str(file), "steps": 1, "batch_size": 4,
              "learning_rate": 1e-9, "weight_decay": 0.0}  # fmt: skip
    indices = np.arange(12)
    model = train_target(store, indices, indices % 2, classes=2, name="timm", params=params, seed=0)
    kept = tmp_path / "model.safetensors"
    model.save(kept)
    stored = load_file(kept)
    given = load_file(file)
    assert torch.allclose(stored["backbone.conv1.0.weight"], given["conv1.0.weight"], atol=1e-6)
    file.unlink()
    again = load_target(kept, store)
    np.testing.assert_allclose(again.infer(indices).logits, model.infer(indices).logits, atol=1e-5)
    assert str(tmp_path) not in kept.read_bytes()[:20_000].decode(errors="replace")


@pytest.mark.parametrize("architecture", ["resnet18", "googlenet", "mobilenet_v3_small"])
@pytest.mark.filterwarnings("ignore:The default weight initialization")
def test_torchvision_takes_a_file_and_leaves_its_heads_aside(
    architecture: str, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    model = zoo.get_model(architecture, weights=None)
    file = tmp_path / "a.safetensors"
    save_file({name: one.contiguous() for name, one in model.state_dict().items()}, file)
    aside = check_file(file, "torchvision", architecture)
    assert aside
    assert all(name.startswith(("fc.", "aux", "classifier.3.")) for name in aside)
    params = BackboneParams(architecture=architecture, weights=str(file), mode="frozen")
    network = torchvision_backbone(params, classes=3, image_size=64)
    assert network.has_statistics
    given = load_file(file)
    first = next(name for name in given if name not in aside and name.endswith("weight"))
    assert torch.equal(network.backbone.state_dict()[first], given[first])


@pytest.mark.parametrize(
    ("library", "architecture", "problem"),
    [
        ("timm", "tf_efficientnet_lite1", "missing; is this file of tf_efficientnet_lite1"),
        ("timm", "resnet26", "and [0-9]+ more are missing; is this file of resnet26"),
        ("torchvision", "resnet18", "is this file of resnet18"),
        ("timm", "no_such_network", "timm has no network"),
        ("torchvision", "no_such_network", "torchvision has no classification network"),
    ],
)
def test_a_file_of_another_architecture_is_told_apart(
    library: str, architecture: str, problem: str, tmp_path: Path
) -> None:
    tiny_weights(tmp_path / "a.safetensors")
    with pytest.raises(ModelError, match=problem):
        check_file(tmp_path / "a.safetensors", library, architecture)


def test_a_tensor_that_is_missing_strange_misshapen_or_not_finite_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    tiny_weights(file, without="conv1.0.weight")
    with pytest.raises(ModelError, match=r"Tensor conv1\.0\.weight is missing; is this file of"):
        check_file(file, "timm", TINY)
    tiny_weights(file)
    whole = load_file(file)
    save_file({**whole, "gadget.weight": torch.ones(2)}, file)
    with pytest.raises(ModelError, match=r"Tensor gadget\.weight is not part of this network"):
        check_file(file, "timm", TINY)
    save_file({**whole, "bn1.weight": torch.ones(2)}, file)
    with pytest.raises(ModelError, match=r"Tensor bn1\.weight is 2 and would have to be"):
        check_file(file, "timm", TINY)
    save_file({**whole, "bn1.weight": torch.full_like(whole["bn1.weight"], torch.nan)}, file)
    with pytest.raises(ModelError, match=r"Tensor bn1\.weight holds numbers that are infinite"):
        check_file(file, "timm", TINY)
    # What normalisation counts is nothing that one computes with.
    counted = {name: one for name, one in whole.items() if "num_batches" not in name}
    save_file(counted, file)
    assert set(check_file(file, "timm", TINY)) == {"fc.weight", "fc.bias"}


def test_a_file_that_has_changed_since_it_was_stored_is_not_used(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    tiny_weights(file)
    named = tmp_path / f"{'ab' * 32}.safetensors"
    file.rename(named)
    params = BackboneParams(architecture=TINY, weights=str(named), mode="frozen")
    with pytest.raises(ModelError, match="has changed"):
        timm_backbone(params, classes=2, image_size=32)
    named.unlink()
    with pytest.raises(ModelError, match="is missing; upload it again"):
        timm_backbone(params, classes=2, image_size=32)


def test_scratch_looks_at_no_file() -> None:
    params = BackboneParams(architecture=TINY, weights="/nowhere/a.safetensors", mode="scratch")
    assert not timm_backbone(params, classes=2, image_size=32).has_statistics


def test_pickles_are_refused_by_name_with_a_command_that_converts_them(tmp_path: Path) -> None:
    codes = []
    for number, name in enumerate(("a.pth", "b.PT", "pytorch_model.bin", "c.ckpt", "d.pkl")):
        with pytest.raises(ModelError, match="is a pickle, which can run code") as refused:
            require_name(name)
        torch.save({"a": torch.arange(3.0) + number}, tmp_path / name)
        codes.append(str(refused.value).partition('python -c "')[2].rstrip('"'))
    # The commands that the messages end with do what they say; one process imports torch for all.
    together = [sys.executable, "-c", "\n".join(codes)]
    done = run(together, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    for number, made in enumerate(("a", "b", "pytorch_model", "c", "d")):
        found = load_file(tmp_path / f"{made}.safetensors")
        assert torch.equal(found["a"], torch.arange(3.0) + number)


@pytest.mark.parametrize("name", ["", "a.zip", "safetensors", "a.safetensors.exe"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match=r"no \.safetensors file"):
        require_name(name)


def test_a_pickle_under_another_name_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    for old in (False, True):
        torch.save({"a": torch.ones(2)}, file, _use_new_zipfile_serialization=not old)
        with pytest.raises(ModelError, match="is a pickle"):
            read_header(file)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "does not begin with a header"),
        (b"\x05", "does not begin with a header"),
        ((2**62).to_bytes(8, "little") + b"{}", "does not begin with a header"),
        (file_of(b"{" + b" " * MOST_HEADER + b"}"), "its header has"),
        (file_of(b"[" * 200_000), "is no JSON"),
        (file_of(b"\xff\xfe"), "is no JSON"),
        (file_of([1]), "is no object"),
        (file_of({}), "holds 0 tensors"),
        (file_of({"__metadata__": {"mean": 3}, **SOME}, 24), "is no table of text"),
        (file_of(b'{"a": 1, "a": 2}'), "occurs twice"),
        (file_of({"a": 1}), "has no type"),
        (file_of({"a": {**SOME["a"], "dtype": ["F32"]}}, 24), "has no type"),
        (file_of({"a": {**SOME["a"], "shape": [-2, -3]}}, 24), "has no shape"),
        (file_of({"a": {**SOME["a"], "shape": [True] * 6}}, 24), "has no shape"),
        (file_of({"a": {**SOME["a"], "shape": [1] * 9}}, 24), "has no shape"),
        (file_of({"a": {**SOME["a"], "data_offsets": [0]}}, 24), "has no place"),
        (file_of({"a": {**SOME["a"], "data_offsets": [0, 2**70]}}, 24), "other room"),
        (file_of({"a": SOME["a"], "b": SOME["a"]}, 48), "overlap, or leave gaps"),
        (file_of(SOME, 23), "was it cut off"),
        (file_of(SOME, 25), "was it cut off"),
    ],
)
def test_a_header_that_lies_is_refused(content: bytes, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    file.write_bytes(content)
    with pytest.raises(ModelError, match=problem):
        read_header(file)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)
_TENSOR = st.fixed_dictionaries(
    {"dtype": st.sampled_from(["F32", "U8", "?"]) | _JSON},
    optional={"shape": st.lists(st.integers(-1, 3)) | _JSON, "data_offsets": _JSON},
)


@given(st.binary(max_size=60) | st.dictionaries(st.text(max_size=4), _TENSOR | _JSON).map(file_of))
@example(file_of(SOME, 24))
def test_whatever_comes_is_read_or_refused_as_safetensors_itself_does(content: bytes) -> None:
    import tempfile

    from safetensors import SafetensorError, safe_open

    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "a.safetensors")
        file.write_bytes(content)
        try:
            header = read_header(file)
        except ModelError:
            return
        # What we take, the library takes too, and sees the same in it.
        try:
            with safe_open(file, framework="pt") as opened:
                shapes = {one: tuple(opened.get_slice(one).get_shape()) for one in opened.keys()}  # noqa: SIM118
        except SafetensorError as error:
            pytest.fail(f"{error}: {content!r}")
        assert shapes == header.shapes


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({}, (None, None, None)),
        ({"mean": "[0.5,0.4,0.3]", "input_size": "[3, 240, 240]"}, ((0.5, 0.4, 0.3), None, 240)),
        ({"std": "(0.1 0.2 0.3)", "input_size": "128"}, (None, (0.1, 0.2, 0.3), 128)),
    ],
)
def test_pixel_statistics_are_read_as_people_write_them(
    said: dict[str, str], found: tuple[Any, ...]
) -> None:
    wanted = preprocessing_of(said)
    assert (wanted.mean, wanted.std, wanted.input_size) == found


@pytest.mark.parametrize(
    "said",
    [
        {"mean": "0.5"},
        {"mean": "red"},
        {"mean": "[1e999, 1, 1]"},
        {"std": "[0, 1, 1]"},
        {"std": "[-1, 1, 1]"},
        {"mean": "1-2-3 4 5"},
        {"input_size": "4"},
        {"input_size": "100.5"},
        {"input_size": "[3, 240]"},
        {"input_size": json.dumps([3, 240, 99999])},
    ],
)
def test_pixel_statistics_that_are_none_are_refused(said: dict[str, str]) -> None:
    with pytest.raises(ModelError, match="The file's metadata"):
        preprocessing_of(said)


@pytest.mark.parametrize(
    ("library", "file"),
    [
        ("timm", "models--timm--test_resnet.r160_in1k/snapshots/*/model.safetensors"),
        ("torchvision", "checkpoints/resnet18-f37072fd.pth"),
    ],
)
def test_published_weights_that_cannot_be_had_are_told_with_file_and_path(
    library: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    # Nobody listens there.
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    architecture = TINY if library == "timm" else "resnet18"
    with pytest.raises(ModelError, match="Have an admin upload the file") as missing:
        check_published(library, architecture)
    place = place_of(library, architecture)
    assert place is not None
    assert str(place.path).startswith(str(tmp_path))
    assert str(place.path).endswith(file)
    assert str(place.path) in str(missing.value)
    assert place.url in str(missing.value)
    assert not place.is_there
    there = Path(str(place.path).replace("*", "abc"))
    there.parent.mkdir(parents=True)
    there.write_bytes(b"")
    assert place.is_there


def test_an_architecture_without_published_weights_says_so() -> None:
    names = timm.list_models("vit_*")
    bare = next(name for name in names if place_of("timm", name) is None)
    with pytest.raises(ModelError, match="publishes none"):
        check_published("timm", bare)
