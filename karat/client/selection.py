"""The client's part for what a job has chosen among instructions."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from karat.client.arguments import SELECTION_BY_ENDING, format_by_ending
from karat.client.notebook import Told
from karat.client.selections import (
    SelectedCluster,
    SelectedRow,
    Selection,
    SelectionComparison,
    SelectionFormat,
    SelectionReason,
)
from karat.client.transport import Transport


class SelectionClient(Told):
    """What one job ``select_instructions`` has chosen; made by ``ProjectClient.selection``."""

    def __init__(self, transport: Transport, path: str) -> None:
        """Name it.

        Args:
            transport: The client's connection.
            path: Of the selection.
        """
        self._transport, self._path = transport, path

    def get(self) -> Selection:
        """What was chosen, in numbers; where people have ranked since, their order counts.

        Raises:
            KaratError: ``not_selected`` while the job has chosen nothing.
        """
        found: Selection = self._transport.request("GET", self._path)
        return found

    def clusters(
        self, show: Literal["all", "undecided", "unranked", "people"] = "all"
    ) -> Iterator[SelectedCluster]:
        """Clusters with all their rows, the best first.

        Args:
            show: ``undecided`` or ``unranked``: those of which the judge was unsure, or said
                nothing; ``people``: those that people were asked about.
        """
        yield from self._transport.pages(f"{self._path}/clusters", {"show": show})

    def rows(
        self, *, kept: bool | None = None, reason: SelectionReason | None = None
    ) -> Iterator[SelectedRow]:
        """Rows, and what became of each.

        Args:
            kept: Only those that are kept, or dropped.
            reason: Only those with this reason.
        """
        query: dict[str, Any] = {"kept": kept, "reason": reason}
        yield from self._transport.pages(f"{self._path}/rows", query)

    def compare(self, other_job: int) -> SelectionComparison:
        """This selection beside another: what both keep, and what only one does.

        Args:
            other_job: The other's job.
        """
        compared: SelectionComparison = self._transport.request(
            "GET", f"{self._path}/compare", query={"with": other_job}
        )
        return compared

    def export(
        self,
        path: str | Path,
        format: SelectionFormat | None = None,
        *,
        everything: bool = False,
        on_received: Callable[[int], None] | None = None,
    ) -> Path:
        """Save what is kept without holding it in memory.

        Args:
            path: Where to save; what is there is replaced once the export is complete.
            format: ``alpaca`` for JSONL of instruction, input and output; ``messages`` for JSONL of
                chats; ``parquet`` with what became of each row; ``ids``, one example id a line.
                None: by the ending of ``path``: ``.jsonl`` (``alpaca``), ``.parquet``, ``.txt``.
            everything: Whether ``parquet`` also has what is dropped, with the reason.
            on_received: Called with the bytes received so far.

        Returns:
            ``path``.

        Raises:
            ValueError: No format is named, and the ending tells none.
        """
        target = Path(path)
        chosen = format or format_by_ending(target, SELECTION_BY_ENDING)
        query = {"format": chosen, "everything": everything}
        return self._transport.save(f"{self._path}/export", target, query, on_received)
