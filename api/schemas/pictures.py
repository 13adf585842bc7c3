"""Addresses of pictures, and of texts."""

from core.media.images.rendition import VERSION


def image_url(example_id: int, *, is_text: bool = False) -> str:
    """Where the picture of an example is; another, once pictures are made by other rules.

    Of a text it is where all of it is.
    """
    if is_text:
        return f"/api/examples/{example_id}/image?original=true"
    return f"/api/examples/{example_id}/image?v={VERSION}"
