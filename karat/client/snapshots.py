"""The client's part for snapshots of a project."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from karat.client.notebook import Told
from karat.client.pool_types import Filters
from karat.client.snapshot_types import (
    Snapshot,
    SnapshotChange,
    SnapshotDiff,
    SnapshotDifference,
)
from karat.client.transport import Transport

# As many as the API gives at once.
_AT_ONCE: Final = 200


class SnapshotsClient(Told):
    """Data sets as they were, by their names; made by ``ProjectClient.snapshots``.

    ``ProjectClient.export`` takes the name of one, for every format.
    """

    def __init__(self, transport: Transport, path: str) -> None:
        """Name them.

        Args:
            transport: The client's connection.
            path: Of the project's snapshots.
        """
        self._transport, self._path = transport, path

    def take(self, name: str, filters: Filters | None = None) -> Snapshot:
        """Keep what every example counts as now.

        Args:
            name: Letters, digits, spaces, ``.``, ``+``, ``-`` and ``_``, at most 80.
            filters: What examples have to be; without any every one is part of it.

        Raises:
            KaratError: ``name_taken``, or ``nothing_matches``.
        """
        body = {"name": name, "filters": filters or None}
        found: Snapshot = self._transport.request("POST", self._path, body=body)
        return found

    def all(self) -> Iterator[Snapshot]:
        """Every snapshot, the newest first."""
        yield from self._transport.pages(self._path)

    def get(self, name: str) -> Snapshot:
        """The snapshot of a name.

        Raises:
            KaratError: ``not_found``.
        """
        found: Snapshot = self._transport.request("GET", self._named(name))
        return found

    def remove(self, name: str) -> None:
        """Remove a snapshot; labels stay as they are."""
        self._transport.request("DELETE", self._named(name))

    def diff(self, one: str, other: str) -> SnapshotDiff:
        """What changed from a snapshot to another, with the first examples that differ.

        Args:
            one: The name of the older one.
            other: The name of the newer one.
        """
        query = {"with": other}
        found: SnapshotDiff = self._transport.request(
            "GET", f"{self._named(one)}/diff", query=query
        )
        return found

    def changes(
        self, one: str, other: str, change: SnapshotDifference | None = None
    ) -> Iterator[SnapshotChange]:
        """Every example that differs.

        Args:
            one: The name of the older one.
            other: The name of the newer one.
            change: ``added``, ``gone``, ``label`` or ``origin``; all if None.
        """
        query: dict[str, Any] = {"with": other, "change": change, "limit": _AT_ONCE}
        yield from self._transport.pages(f"{self._named(one)}/diff", query)

    def _named(self, name: str) -> str:
        return f"{self._path}/{quote(name, safe='')}"
