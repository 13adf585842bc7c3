"""The client's part for taking examples out of a project for good."""

from collections.abc import Iterator, Sequence

from karat.client.arguments import listed
from karat.client.notebook import Told
from karat.client.pool_types import Filters
from karat.client.transport import Transport
from karat.client.waiting import waited
from karat.client.withdrawal_types import Withdrawal, WithdrawalPreview


class WithdrawalsClient(Told):
    """What was withdrawn from a project; ``PoolClient.withdrawals``."""

    def __init__(self, transport: Transport, path: str) -> None:
        """Name them.

        Args:
            transport: The client's connection.
            path: Of the project's withdrawals.
        """
        self._transport, self._path = transport, path

    def preview(self, which: Sequence[int] | Filters) -> WithdrawalPreview:
        """How many would be withdrawn, and of how many somebody has said something.

        Args:
            which: At most 10,000 ids, or filters.
        """
        found: WithdrawalPreview = self._transport.request(
            "POST", f"{self._path}/preview", body=_selection(which)
        )
        return found

    def begin(self, which: Sequence[int] | Filters, *, images: int | None = None) -> Withdrawal:
        """Take examples out of the project for good; it cannot be taken back.

        What people said of them is kept, and counts for nothing any more. ``import_id`` and
        ``split="all"`` as filters take back an import.

        Args:
            which: At most 10,000 ids, or filters.
            images: How many ``preview`` has told: if they are others by now, nothing is withdrawn.

        Raises:
            KaratError: ``selection_changed``, ``import_running``, ``nothing_matches``, ``too_many``
                or ``withdrawn_already``.
        """
        body = {**_selection(which), "images": images}
        found: Withdrawal = self._transport.request("POST", self._path, body=body)
        return found

    def all(self) -> Iterator[Withdrawal]:
        """Every withdrawal, the newest first."""
        yield from self._transport.pages(self._path)

    def get(self, withdrawal_id: int) -> Withdrawal:
        """One withdrawal, and how far it is.

        Raises:
            KaratError: ``not_found``.
        """
        found: Withdrawal = self._transport.request("GET", f"{self._path}/{withdrawal_id}")
        return found

    def wait(
        self, withdrawal_id: int, *, erased: bool = True, timeout: float | None = None
    ) -> Withdrawal:
        """Wait until a withdrawal is done.

        Args:
            withdrawal_id: Which.
            erased: Whether to wait until files tell nothing of them either, and not only until they
                have left the project; while a job of the project runs, that waits for it.
            timeout: Seconds to wait at most; unlimited if None.

        Raises:
            KaratError: It is not done by then (``timeout``).
        """
        waits_for = {"withdrawing", "erasing"} if erased else {"withdrawing"}
        return waited(
            lambda: self.get(withdrawal_id),
            lambda found: found["state"] not in waits_for,
            lambda found: (
                f"Withdrawal {withdrawal_id} is {found['state']} after {timeout:g} s, with "
                f"{found['done']} of {found['images']}."
            ),
            timeout=timeout,
            interval=2.0,
        )


def _selection(which: Sequence[int] | Filters) -> dict[str, object]:
    return {"filters": which} if isinstance(which, dict) else {"ids": listed(which, "which")}
