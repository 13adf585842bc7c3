"""The client's part for labeling: what an annotator's program does all day."""

import uuid
from collections.abc import Sequence

from karat.client.arguments import listed
from karat.client.labeling_types import Answer, AnswerReceipt, LabelingStatus, Lease, RecentAnswer
from karat.client.transport import Transport


class LabelingClient:
    """Queries and answers of one project; a part of ``ProjectClient``."""

    def __init__(self, transport: Transport, path: str) -> None:
        """Name the project, and take a name under which to hold queries.

        Args:
            transport: The client's connection.
            path: The project's, below the API's root.
        """
        self._transport = transport
        self._path = path
        self._client_key = str(uuid.uuid4())

    def lease(
        self,
        n: int = 16,
        *,
        client: str | None = None,
        grouped: bool = False,
        open_clients: Sequence[str] | None = None,
    ) -> Lease:
        """Take up to ``n`` queries to label, those held already included.

        A program should have an account of its own: when somebody opens the label page, it frees
        what other clients of the same user hold. Answers to those are stored all the same, as late
        ones unless they come first.

        Args:
            n: How many to hold in total.
            client: Names who holds them, as a UUID; this object's own if None.
            grouped: Prefer queries that the model takes for the same.
            open_clients: The user's other clients that are still at work; what any further one
                holds, such as a program that was killed, is free again first, unless it was leased
                in the last five seconds. Empty frees all, None nothing.

        Returns:
            The queries, and why there are none if so.
        """
        body: dict[str, object] = {
            "n": n,
            "client": client or self._client_key,
            "grouped": grouped,
        }
        if open_clients is not None:
            body["open_clients"] = listed(open_clients, "open_clients")
        lease: Lease = self._transport.request(
            "POST", f"{self._path}/labeling/lease", body=body, repeatable=True
        )
        return lease

    def answer(self, answers: Sequence[Answer]) -> AnswerReceipt:
        """Give verdicts. Each has a key, made here if missing, so that a retry counts once.

        Args:
            answers: 1 to 256 verdicts, each with a ``note`` of at most 500 characters if you like.

        Returns:
            What became of each, and what there is to do next.
        """
        body = {"answers": [{"key": str(uuid.uuid4()), **one} for one in answers]}
        receipt: AnswerReceipt = self._transport.request(
            "POST", f"{self._path}/labeling/answers", body=body, repeatable=True
        )
        return receipt

    def recent(self, limit: int = 10, *, reviewed: bool = False) -> list[RecentAnswer]:
        """What you answered last, the latest first.

        To correct one, answer its ``query_id`` once more, with its ``key`` as ``supersedes``.

        Args:
            limit: How many, up to 100.
            reviewed: Only those, of your last 1,000, with a note of a reviewer who says otherwise.
        """
        query: dict[str, object] = {"limit": limit}
        if reviewed:
            query["reviewed"] = True
        found = self._transport.request("GET", f"{self._path}/labeling/recent", query=query)
        items: list[RecentAnswer] = found["items"]
        return items

    def release(self, *, client: str | None = None, keep: Sequence[int] = ()) -> int:
        """Give back the queries held.

        Args:
            client: Who holds them; this object if None.
            keep: Ids of up to 256 queries that it holds for an hour at least instead.

        Returns:
            How many were given back.
        """
        body: dict[str, object] = {"client": client or self._client_key}
        if keep:
            body["keep"] = listed(keep, "keep")
        released = self._transport.request(
            "POST", f"{self._path}/labeling/release", body=body, repeatable=True
        )
        return int(released["released"])

    def labeling_status(self) -> LabelingStatus:
        """What there is to label, and if nothing, why."""
        status: LabelingStatus = self._transport.request("GET", f"{self._path}/labeling/status")
        return status
