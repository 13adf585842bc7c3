"""What verdicts cost, as strategies count it."""

from core.tasks.registry import task_type
from models.ranking.candidates import Prices
from workers.advance.advance import Advance
from workers.advance.reads import seconds_of_boxes
from workers.labels.timing import median_seconds


def prices_of(advance: Advance) -> Prices:
    """What verdicts cost; of boxes, where seconds count, by how many there are to draw."""
    cost = advance.settings.cost
    if cost.mode == "fixed":
        return Prices(cost.c_in, cost.c_ood)
    if not task_type(advance.snapshot.task).lists_objects:
        return Prices()
    with advance.context.sessions() as session:
        known = seconds_of_boxes(session, advance.context.project_id)
        if known is None:
            return Prices()
        look, box = known
        usual = median_seconds(session, advance.context.project_id)
        return Prices(usual, look, box)
