"""Freezing what is known when a round closes: whatever comes later belongs to the next."""

from dataclasses import replace

from workers.advance.advance import Advance
from workers.advance.reads import open_queries
from workers.features.stored import latest
from workers.labels.draws import reached
from workers.labels.snapshot import labeled_outside, take
from workers.labels.subset import dropped_of


def take_snapshot(advance: Advance) -> None:
    """Freeze what is known."""
    with advance.context.sessions() as session:
        project_id = advance.context.project_id
        closing = advance.closing
        released = [] if closing is None else reached(session, project_id, closing, closing)
        models = advance.settings.learn_from_model_labels
        snapshot = take(session, project_id, closing, released, models=models)
        dropped = dropped_of(session, advance.context.storage, advance.settings.subset, snapshot)
        outside = labeled_outside(session, project_id)
        replace(snapshot, dropped=dropped, **outside).save(advance.file("snapshot.npz"))
        noted = {
            # Images answered meanwhile drop out at publishing; rank enough to replace them.
            "spare": open_queries(session, project_id),
            # What was drawn and is learned from, as the strategy has come to it.
            "released": released,
            "learned_by": latest(session, project_id) if advance.needs_learned_features else None,
        }
        advance.note("snapshot", noted)
