"""Addresses of pictures."""

from core.pictures.rendition import VERSION


def image_url(example_id: int) -> str:
    """Where the picture of an example is; another, once pictures are made by other rules."""
    return f"/api/examples/{example_id}/image?v={VERSION}"
