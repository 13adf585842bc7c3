from pydantic import BaseModel


class PredictionsOut(BaseModel):
    """What was imported of one model: of how many examples, and which job last brought some."""

    model: str
    examples: int
    import_id: int


class PredictionsRemoved(BaseModel):
    """Of how many examples predictions were removed."""

    removed: int
