"""Images; what is in a file is looked at before it is believed."""

from typing import Final

from core.media.spec import MediumSpec
from core.states import Medium

ENDINGS: Final = (
    *(".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".heic", ".avif"),
    *(".jfif", ".jpe", ".heif", ".hif"),
)
"""Of files that are images, by their names; the likeliest first."""
IMAGES: Final = frozenset(ENDINGS)
IMAGE: Final = MediumSpec(
    name=Medium.IMAGE,
    suffixes=IMAGES,
    bringing=frozenset({".zip", ".tar", ".parquet"}),
    describing=frozenset({".csv", ".tsv", ".jsonl", ".json"}),
    # Encoded. The largest image that is decoded is smaller, unless it is padded.
    most_bytes=256 << 20,
)
