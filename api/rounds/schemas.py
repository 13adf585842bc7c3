from datetime import datetime
from typing import Any

from pydantic import BaseModel

from core.states import RoundState


class Answered(BaseModel):
    """Counted answers by verdict; a corrected answer counts as what it was corrected to."""

    class_: int
    ood: int
    skip: int
    unsure: int

    model_config = {"alias_generator": lambda name: name.rstrip("_"), "populate_by_name": True}


class RoundOut(BaseModel):
    """A round. ``accuracy`` is that of the model trained on the answers up to this round."""

    number: int
    state: RoundState
    strategy: str
    budget: float
    spent: float
    seed: int
    queries: int
    answered: Answered
    in_share: float | None
    accuracy: float | None
    metrics: dict[str, Any]
    notes: list[str]
    seconds: dict[str, float]
    opened_at: datetime | None
    closing_at: datetime | None
    closed_at: datetime | None
    job_id: int | None
