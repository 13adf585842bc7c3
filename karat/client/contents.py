"""The client's part for what examples hold: pictures of images, and texts."""

from karat.client.pool_types import PictureSize
from karat.client.transport import Transport


class ContentsClient:
    """What one example holds; a part of ``PoolClient``."""

    _transport: Transport

    def image(
        self, example_id: int, *, size: PictureSize | None = None, original: bool = False
    ) -> bytes:
        """The picture of an image that everybody sees: upright, in sRGB, opaque.

        Args:
            example_id: The image, such as the ``example_id`` of what was leased.
            size: Longer side of a small version, a WebP; None: whole, a JPEG, a PNG, or another
                file that browsers show.
            original: Whether to have the file as it came instead.

        Returns:
            The bytes of the file; also of images that stay in a bucket.

        Raises:
            KaratError: ``image_gone`` or ``image_changed`` of one in a bucket,
                ``no_picture`` of a text, ``invalid_value`` of a size with ``original``.
        """
        path = f"/examples/{example_id}/image"
        query = {"size": size, "original": original}
        with self._transport.stream(path, query, elsewhere=True) as found:
            return found.read()

    def text(self, example_id: int) -> str:
        """All of a text, of a project of texts.

        Args:
            example_id: The text.
        """
        return self._transport.text(f"/examples/{example_id}/image", {"original": True})

    def link(self, example_id: int, *, seconds: int = 3600) -> str:
        """An address that shows an image to whoever has it, without logging in; for managers.

        Args:
            example_id: The image.
            seconds: How long it is good for, 60 to 604,800.
        """
        query = {"seconds": seconds}
        made = self._transport.request("GET", f"/examples/{example_id}/link", query=query)
        return f"{self._transport.url}{made['url']}"
