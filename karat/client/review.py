"""The client's part for reviews: of what one relabeling suggests, or annotators disagree on."""

import uuid
from collections.abc import Sequence

from karat.client.notebook import Told
from karat.client.review_types import Decision, DecisionReceipt, Review, ReviewEstimate, Suggestion
from karat.client.transport import Transport


class ReviewClient(Told):
    """Suggested labels; made by ``ProjectClient.review`` and ``ProjectClient.disagreements``."""

    def __init__(self, transport: Transport, path: str) -> None:
        """Name the review.

        Args:
            transport: The client's connection.
            path: Of the review, below the API.
        """
        self._transport = transport
        self._path = path

    def get(self) -> Review:
        """How far the suggestions are decided."""
        review: Review = self._transport.request("GET", self._path)
        return review

    def lease(self, n: int = 16) -> list[Suggestion]:
        """Take ``n`` open suggestions, those worth most first; those held already included.

        Args:
            n: How many.
        """
        lease = self._transport.request(
            "POST", f"{self._path}/lease", body={"n": n}, repeatable=True
        )
        items: list[Suggestion] = lease["items"]
        return items

    def lease_alike(self, passed: Sequence[int] = ()) -> list[Suggestion]:
        """Take all open suggestions of a group: the same two labels, and alike to look at.

        Args:
            passed: Groups that are not wanted again, by ``alike``.

        Returns:
            Two at least, or none where no group is left.
        """
        body = {"alike": True, "passed": list(passed)}
        lease = self._transport.request("POST", f"{self._path}/lease", body=body, repeatable=True)
        items: list[Suggestion] = lease["items"]
        return items

    def estimate(self) -> ReviewEstimate:
        """What the decisions say so far: how often the job was right, and when to stop."""
        found: ReviewEstimate = self._transport.request("GET", f"{self._path}/estimate")
        return found

    def audit(self, n: int = 50) -> ReviewEstimate:
        """Have the review ask about labels that were not suggested, drawn by chance.

        Args:
            n: How many there are to be in all, those drawn before included.

        Returns:
            The estimate, whose ``audit`` says how many of them are wrong once they are decided.
        """
        found: ReviewEstimate = self._transport.request(
            "POST", f"{self._path}/audit", body={"n": n}, repeatable=True
        )
        return found

    def recent(self, limit: int = 10) -> list[Suggestion]:
        """What you decided last, the latest first.

        Args:
            limit: How many.
        """
        query = {"limit": limit}
        return list(self._transport.pages(f"{self._path}/recent", query))

    def decide(self, decisions: Sequence[Decision]) -> DecisionReceipt:
        """Decide on suggestions. Each has a key, made here if missing, so that a retry counts once.

        Args:
            decisions: 1 to 256 of ``keep``, ``accept``, ``other`` with a ``class_id``, ``ood`` or
                ``unsure``, or None to take back what you decided before. Each may have a
                ``note``, at most 500 characters.

        Returns:
            What became of each, and how far the review is.
        """
        body = {"decisions": [{"key": str(uuid.uuid4()), **one} for one in decisions]}
        receipt: DecisionReceipt = self._transport.request(
            "POST", f"{self._path}/decisions", body=body, repeatable=True
        )
        return receipt

    def revert(self) -> int:
        """Take back every decision: all labels are what they were before the review.

        Returns:
            How many there were.
        """
        found = self._transport.request("POST", f"{self._path}/revert")
        return int(found["reverted"])
