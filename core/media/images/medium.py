"""Images; what is in a file is looked at before it is believed."""

from typing import Final

from core.media.spec import MediumSpec
from core.states import Medium

IMAGES: Final = frozenset(
    {
        *(".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff"),
        *(".avif", ".heic", ".heif", ".hif"),
    }
)
"""Endings of files that are images, by their names."""
IMAGE: Final = MediumSpec(
    name=Medium.IMAGE,
    suffixes=IMAGES,
    bringing=frozenset({".zip", ".tar", ".parquet"}),
    describing=frozenset({".csv", ".tsv", ".jsonl", ".json"}),
    # Encoded. The largest image that is decoded is smaller, unless it is padded.
    most_bytes=256 << 20,
)
