"""Parameter schemas of the catalog. Torch-free: the API validates settings with them."""

from pydantic import BaseModel, ConfigDict


class Params(BaseModel):
    """Base of all parameter schemas: unknown fields are refused, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class NoParams(Params):
    """An algorithm without parameters."""
