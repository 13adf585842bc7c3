"""One image as an upload of its own."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from workers.imports.items import (
    MAX_IMAGE_BYTES,
    Item,
    Refused,
    Source,
    short_name,
)
from workers.imports.values import Values


class SingleSource(Source):
    """The one item of an upload that is neither a zip nor Parquet."""

    total = 1

    def __init__(self, path: Path, filename: str) -> None:
        """Name the file at ``path`` as its sender did."""
        self._path, self._filename = path, filename

    def items(self, start: int) -> Iterator[Item]:
        """The image, unless it was read already."""
        if start == 0:
            yield Item(name=short_name(self._filename), read=self._read)

    @property
    def values(self) -> Mapping[str, Values]:
        """It has no columns."""
        return {}

    def close(self) -> None:
        """Nothing stays open."""

    def _read(self) -> bytes | Refused:
        if self._path.stat().st_size > MAX_IMAGE_BYTES:
            return Refused(f"larger than {MAX_IMAGE_BYTES >> 20} MiB")
        return self._path.read_bytes()
