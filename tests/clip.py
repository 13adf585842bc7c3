"""A CLIP that is small enough for tests."""

import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def tiny_clip(cache: Path) -> Iterator[str]:
    """Name of a tiny CLIP of random weights, in a cache like that of the Hugging Face hub."""
    import torch
    from huggingface_hub import constants
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPTokenizer

    revision = "0" * 40
    repository = cache / "models--tests--tiny-clip"
    folder = repository / "snapshots" / revision
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(revision)
    letters = [letter + end for letter in string.ascii_lowercase + "." for end in ("", "</w>")]
    words = {word: number for number, word in enumerate(letters)}
    start, end = len(words), len(words) + 1
    words |= {"<|startoftext|>": start, "<|endoftext|>": end}
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    small["num_attention_heads"] = 2
    torch.manual_seed(0)
    config = CLIPConfig(
        text_config={
            **small, "vocab_size": len(words), "max_position_embeddings": 64,
            "bos_token_id": start, "eos_token_id": end, "pad_token_id": end,
        },
        vision_config={**small, "image_size": 16, "patch_size": 8},
        projection_dim=8,
    )  # fmt: skip
    CLIPModel(config).save_pretrained(folder)
    CLIPTokenizer(vocab=words, merges=[]).save_pretrained(folder)
    size = {"shortest_edge": 16}
    CLIPImageProcessor(size=size, crop_size={"height": 16, "width": 16}).save_pretrained(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "HF_HUB_CACHE", str(cache))
        yield "tests/tiny-clip"
