"""The client's part for places of buckets that a pool follows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from karat.client.arguments import listed
from karat.client.notebook import Told
from karat.client.resources import FolderChoice, Split
from karat.client.sync_types import Sync, SyncFinding, SyncObject
from karat.client.transport import Transport

_PAGE = 1000


class SyncsClient(Told):
    """Places of buckets that the pool follows; ``ProjectClient.syncs``."""

    def __init__(self, transport: Transport, path: str) -> None:
        """Name the project.

        Args:
            transport: The client's connection.
            path: Of the project, below ``/api``.
        """
        self._transport = transport
        self._path = f"{path}/syncs"

    def list(self) -> "list[Sync]":
        """The places, and what was last found there."""
        return [*self._transport.pages(self._path)]

    def add(
        self,
        location: str,
        *,
        every_minutes: int | None = 60,
        include: Sequence[str] = (),
        split: Split = "pool",
        folder_split: Mapping[str, FolderChoice] | None = None,
        count_from: Literal[0, 1] | None = None,
        annotation_columns: Sequence[str] = (),
    ) -> Sync:
        """Follow a place: what is new there is imported now, and whenever it is looked at.

        Args:
            location: ``s3://bucket/folder``, or ``file:///folder`` of the server.
            every_minutes: How often to look; None: only when asked to.
            include: Patterns of paths below it.
            split: Of what names none itself.
            folder_split: What folders are, by name.
            count_from: The number of the first class in columns of numbers.
            annotation_columns: Columns of the metadata that become annotations.

        Raises:
            KaratError: ``already_followed``, ``too_many_syncs``, ``wrong_medium``, and what
                ``PoolClient.add`` raises for a location.
        """
        body = {
            "location": location,
            "every_minutes": every_minutes,
            "include": listed(include, "include"),
            "split": split,
            "folder_split": dict(folder_split or {}),
            "count_from": count_from,
            "annotation_columns": listed(annotation_columns, "annotation_columns"),
        }
        made: Sync = self._transport.request("POST", self._path, body=body)
        return made

    def update(self, sync_id: int, *, every_minutes: int | None) -> Sync:
        """Look more or less often.

        Args:
            sync_id: The place.
            every_minutes: How often; None: only when asked to.
        """
        body = {"every_minutes": every_minutes}
        changed: Sync = self._transport.request("PATCH", f"{self._path}/{sync_id}", body=body)
        return changed

    def run(self, sync_id: int, *, again: bool = False) -> Sync:
        """Look now; an import that failed or was cancelled is begun anew.

        Args:
            sync_id: The place.
            again: Whether to read once more what was passed over.
        """
        body = {"again": again}
        shown: Sync = self._transport.request("POST", f"{self._path}/{sync_id}/run", body=body)
        return shown

    def remove(self, sync_id: int) -> None:
        """Follow a place no more; what was imported from it stays.

        Args:
            sync_id: The place.
        """
        self._transport.request("DELETE", f"{self._path}/{sync_id}")

    def objects(self, sync_id: int, finding: SyncFinding) -> Iterator[SyncObject]:
        """Objects about which there is something to say, by path.

        Args:
            sync_id: The place.
            finding: ``changed``, ``gone``, or ``passed``: what no example came of.
        """
        query: dict[str, Any] = {"finding": finding, "limit": _PAGE}
        path = f"{self._path}/{sync_id}/objects"
        while True:
            items: list[SyncObject] = self._transport.request("GET", path, query=query)["items"]
            yield from items
            if len(items) < _PAGE:
                return
            query["after"] = items[-1]["name"]
