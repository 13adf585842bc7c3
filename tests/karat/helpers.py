"""What several tests of karat/ need."""

import io
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

Run = Callable[..., subprocess.CompletedProcess[str]]


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.05)
    pytest.fail(f"not within {seconds} s: {what}")


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def wait_gone(processes: list[psutil.Process], seconds: float = 20.0) -> None:
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    assert not alive


def png(seed: int) -> bytes:
    """An image that no other seed gives."""
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 12, 3), dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def image_folder(directory: Path, number: int, first: int = 0) -> Path:
    """A folder of ``number`` different images, and some things that are none."""
    directory.mkdir(parents=True)
    for seed in range(first, first + number):
        (directory / f"image-{seed:03d}.png").write_bytes(png(seed))
    (directory / ".DS_Store").write_bytes(b"hidden")
    (directory / "broken.png").write_bytes(png(first)[:60])
    return directory
