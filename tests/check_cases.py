"""Labeled pictures that are easily told apart, for checks of labels."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

COLOURS = {"red": (200, 40, 40), "green": (40, 190, 60), "blue": (50, 60, 210)}
SIDE = 16


def coloured(colour: str, seed: int) -> bytes:
    """A PNG of one colour with stripes and noise, another one for each seed."""
    random = np.random.default_rng(seed)
    pixels = np.array(COLOURS[colour], dtype=float) + random.normal(0, 18, (SIDE, SIDE, 3))
    pixels[:: 2 + list(COLOURS).index(colour)] *= 0.6
    stream = io.BytesIO()
    Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(stream, "PNG")
    return stream.getvalue()


def labeled(each: int = 20, wrong: int = 2) -> dict[str, bytes]:
    """Images by path, each in the folder of its label; ``wrong`` of each colour in another's.

    The files of those are called ``wrong-…``.
    """
    names = list(COLOURS)
    files = {}
    for number, colour in enumerate(names):
        for place in range(each):
            is_wrong = place < wrong
            folder = names[(number + 1) % len(names)] if is_wrong else colour
            prefix = "wrong" if is_wrong else "right"
            path = f"{folder}/{prefix}-{colour}-{place}.png"
            files[path] = coloured(colour, 1000 * number + place)
    return files


def put(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def write_table(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """Write a CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path
