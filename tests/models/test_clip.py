"""Networks of captions against the packages that their weights come from."""

import weakref
from pathlib import Path
from typing import Any

import numpy as np
import open_clip
import pytest
import torch
from safetensors.torch import save
from torch.nn import functional
from transformers import CLIPConfig, CLIPModel

from models.catalog.params.scores import ClipParams
from models.errors import ModelError
from models.media.images.networks.clip import Clip, check_clip
from models.numerics.probability import softmax
from models.protocols import PoolView
from models.purity.clip import score
from tests.captions import prepared, tiny, weights

PIXELS = np.random.default_rng(0).integers(0, 256, (3, 32, 32, 3), dtype=np.uint8)
CAPTIONS = ["a dog", "An elephant, far away"]


def kept(folder: Path, content: bytes) -> Path:
    path = folder / "clip.safetensors"
    path.write_bytes(content)
    return path


def unit(rows: Any) -> Any:
    return functional.normalize(getattr(rows, "pooler_output", rows), dim=1).numpy()


@torch.no_grad()
def test_it_sees_and_reads_as_open_clip_does(tmp_path: Path) -> None:
    network = tiny()
    clip = Clip(kept(tmp_path, weights(network)), "ViT-B-32")
    tokens = open_clip.SimpleTokenizer(context_length=16)(CAPTIONS)
    np.testing.assert_allclose(clip.texts(CAPTIONS), unit(network.encode_text(tokens)), atol=1e-5)
    expected = unit(network.encode_image(prepared(PIXELS)))
    np.testing.assert_allclose(clip.images(PIXELS), expected, atol=1e-5)
    # Images of another size are scaled to what the network sees.
    larger = PIXELS.repeat(2, axis=1).repeat(2, axis=2)
    assert (clip.images(larger) * expected).sum(axis=1).min() > 0.99


@torch.no_grad()
def test_weights_of_transformers_are_read_by_their_names(tmp_path: Path) -> None:
    common = {"num_hidden_layers": 1, "num_attention_heads": 2, "hidden_act": "quick_gelu"}
    text = {"hidden_size": 16, "intermediate_size": 64, "max_position_embeddings": 16, **common}
    text |= {"vocab_size": 49_408, "bos_token_id": 49_406, "eos_token_id": 49_407}
    vision = {"hidden_size": 32, "intermediate_size": 128, "image_size": 32, "patch_size": 8}
    config = CLIPConfig(text_config=text, vision_config=vision | common, projection_dim=16)
    network = CLIPModel(config).eval()
    file = kept(tmp_path, weights(network, quick_gelu=True))
    assert check_clip(file, "ViT-B-32-quickgelu") == ()
    clip = Clip(file, "ViT-B-32-quickgelu")
    tokens = open_clip.SimpleTokenizer(context_length=16)(CAPTIONS)
    expected = unit(network.get_text_features(input_ids=tokens))
    np.testing.assert_allclose(clip.texts(CAPTIONS), expected, atol=1e-5)
    expected = unit(network.get_image_features(pixel_values=prepared(PIXELS)))
    np.testing.assert_allclose(clip.images(PIXELS), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("config", "architecture", "says"),
    [
        ('{"embed_dim": 16}', "ViT-B-32", "model_cfg of the file describes no CLIP: vision_cfg"),
        (None, "ViT-B-32", "261 more are missing; is this file of ViT-B-32"),
        (None, "ViT-B-16-SigLIP", "no network 'ViT-B-16-SigLIP' with the tokenizer of CLIP"),
        (None, "resnet18", "no network 'resnet18'"),
        (None, "vit_relpos_medium_patch16_cls_224", "numbers that are in no file"),
    ],
)
def test_what_is_no_such_network_is_refused(
    config: str | None, architecture: str, says: str, tmp_path: Path
) -> None:
    metadata = {} if config is None else {"model_cfg": config}
    file = kept(tmp_path, save(dict(tiny().state_dict()), metadata))
    with pytest.raises(ModelError, match=says):
        check_clip(file, architecture)


def test_a_tensor_that_is_missing_is_named(tmp_path: Path) -> None:
    network = tiny()
    del network.ln_final
    with pytest.raises(ModelError, match=r"Tensors? ln_final\.weight, ln_final\.bias are missing"):
        check_clip(kept(tmp_path, weights(network)), "ViT-B-32")


def test_a_check_holds_one_tensor_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone, held, read = torch.clone, [0], []

    def change(by: int) -> None:
        held.append(held[-1] + by)

    def counted(tensor: torch.Tensor) -> torch.Tensor:
        found = clone(tensor)
        read.append(found.nbytes)
        change(found.nbytes)
        weakref.finalize(found, change, -found.nbytes)
        return found

    file = kept(tmp_path, weights(tiny().half()))
    monkeypatch.setattr(torch, "clone", counted)
    assert check_clip(file, "ViT-B-32") == ()
    assert sum(read) > 0.9 * file.stat().st_size
    # Of one tensor, and the one that is read next.
    assert max(held) <= sum(sorted(read)[-2:])


@pytest.mark.parametrize("name", ["visual.proj", "logit_scale"])
def test_numbers_that_are_none_are_found(tmp_path: Path, name: str) -> None:
    network = tiny()
    network.state_dict()[name].fill_(torch.nan)
    with pytest.raises(ModelError, match=f"Tensor {name} holds numbers that are infinite or none"):
        check_clip(kept(tmp_path, weights(network)), "ViT-B-32")


@torch.no_grad()
def test_purity_compares_with_names_by_an_uploaded_file(tmp_path: Path, view: PoolView) -> None:
    network, part = tiny(), view.take(np.array([0, 7, 199]))
    assert view.model is not None
    assert part.indices is not None
    pixels = torch.from_numpy(view.model.pixels(part.indices)).permute(0, 3, 1, 2).float() / 255
    sides = (32, 32)
    scaled = functional.interpolate(pixels, sides, mode="bicubic", antialias=True).clip(0, 1) * 255
    images = unit(network.encode_image(prepared(scaled.permute(0, 2, 3, 1).numpy())))
    captions = ["my cat", "my dog", "my car"]
    tokens = open_clip.SimpleTokenizer(context_length=16)(captions)
    cosines = images @ unit(network.encode_text(tokens)).T
    file = str(kept(tmp_path, weights(network)))
    asked = ClipParams(
        classes="cat,  dog,", ood="car", template="my {}", uploaded=file, architecture="ViT-B-32"
    )
    expected = softmax(cosines / 0.01)[:, :2].sum(axis=1)
    np.testing.assert_allclose(score(part, asked), expected, rtol=1e-3)


@pytest.mark.parametrize(
    ("ood", "temperature", "expected"),
    [("", None, False), ("b", None, True), ("b", 0.01, True), ("b", 0.1, False), ("", 0.01, False)],
)
def test_it_is_a_probability_at_the_temperature_of_its_training_alone(
    ood: str, temperature: float | None, expected: bool
) -> None:
    params = ClipParams(classes="a, c", ood=ood, temperature=temperature)
    assert params.is_probability() is expected
