"""The boxes that annotators of a queue are shown first."""

from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.database.among import among
from core.tables import Example, Round
from core.tasks.proposals import to_store
from models.ranking.pool_scores import PoolScores
from models.tasks.boxes.proposals import proposals
from workers.advance.advance import Advance
from workers.advance.first_boxes import proposed

_BLOCK: Final = 5000


def propose(
    session: Session,
    advance: Advance,
    round_: Round,
    scores: PoolScores | None,
    rows: list[dict[str, Any]],
) -> None:
    """Give the rows of queries to come what the round's detector has found in their images.

    What it has not looked at keeps what an earlier one has found. Without a detector it is what a
    classifier has found of another project, if any has.
    """
    if scores is None or scores.detections is None:
        begun = proposed(advance)
        for row in rows:
            row["proposals"] = row.get("proposals") or begun.get(row["example_id"])
        return
    place_of = {index: place for place, index in enumerate(scores.indices.tolist())}
    class_ids = advance.snapshot.class_ids.tolist()
    by_example: dict[int, list[dict[str, Any]]] = {}
    ids = list({row["example_id"] for row in rows})
    for start in range(0, len(ids), _BLOCK):
        statement = select(Example.id, Example.pool_index, Example.width, Example.height).where(
            among(Example.id, ids[start : start + _BLOCK])
        )
        for example_id, pool_index, width, height in session.execute(statement):
            if (place := place_of.get(pool_index)) is not None:
                assert width is not None
                assert height is not None
                found = proposals(scores.detections[place], width, height, class_ids, scores.frame)
                by_example[example_id] = to_store(
                    found,
                    shifted=advance.settings.shifted_proposals,
                    seed=(round_.seed, example_id),
                )
    for row in rows:
        row["proposals"] = by_example.get(row["example_id"], row.get("proposals"))
