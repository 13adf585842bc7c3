"""Storing what models predict of the images of a pool, in the place of what they did before."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import bindparam, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from core.database.among import among
from core.states import Split
from core.tables import Prediction
from core.tasks.proposals import plant
from core.tasks.registry import task_type
from workers.imports.labels import Labeled
from workers.imports.lookup import find
from workers.imports.predicted import Foreseen

# One statement a batch, as of examples.
_STORE: Final = text("""
    INSERT INTO predictions (example_id, model, project_id, import_id, proposals, planted, luck)
    SELECT example_id, model, :project_id, :import_id, proposals, planted, luck
    FROM jsonb_to_recordset(:rows) AS new (
        example_id bigint, model text, proposals jsonb, planted jsonb, luck float
    )
    ON CONFLICT (example_id, model) DO UPDATE SET
        import_id = excluded.import_id, proposals = excluded.proposals,
        planted = excluded.planted, luck = excluded.luck
""").bindparams(bindparam("rows", type_=JSONB))


def store(
    session: Session, project_id: int, task: str, import_id: int, said: Mapping[int, Labeled]
) -> dict[int, int]:
    """Store predictions; of one image and model the last in ``said`` holds.

    Args:
        session: Of the transaction.
        project_id: Whose images they are of.
        task: What a label of the project is.
        import_id: The job that brings them.
        said: What is said of images, by keys of the caller's.

    Returns:
        How many predictions of each key are new, or others than before; without those of none.
    """
    said = {key: one for key, one in said.items() if one.predicted}
    if not said:
        return {}
    meant = find(session, project_id, {one.reference for one in said.values()})
    found: dict[tuple[int, str], tuple[int, Foreseen]] = {}
    for key, one in said.items():
        for example_id, split in meant.get(one.reference, ()):
            if split is Split.POOL:
                found |= {(example_id, each.model): (key, each) for each in one.predicted}
    ids = sorted({example_id for example_id, _ in found})
    before: dict[tuple[int, str], Any] = {
        (example_id, model): proposals
        for example_id, model, proposals in session.execute(
            select(Prediction.example_id, Prediction.model, Prediction.proposals).where(
                among(Prediction.example_id, ids)
            )
        )
    }
    of_objects = task_type(task).lists_objects
    rows: list[dict[str, Any]] = []
    news: dict[int, int] = defaultdict(int)
    for (example_id, model), (key, foreseen) in sorted(found.items(), key=lambda entry: entry[0]):
        proposals = foreseen.proposals
        row: dict[str, Any] = {"example_id": example_id, "model": model, "proposals": proposals}
        if of_objects and proposals:
            planted = plant(proposals, (example_id, model))
            row["planted"] = {"place": planted.place, "box": planted.box}
            row["luck"] = planted.luck
        rows.append(row)
        if before.get((example_id, model)) != proposals:
            news[key] += 1
    session.execute(_STORE, {"project_id": project_id, "import_id": import_id, "rows": rows})
    return dict(news)
