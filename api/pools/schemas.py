from pydantic import BaseModel

from core.states import ExampleState, Split


class ExampleOut(BaseModel):
    id: int
    pool_index: int
    name: str
    width: int
    height: int
    split: Split
    state: ExampleState
    label: str | None
    image_url: str
