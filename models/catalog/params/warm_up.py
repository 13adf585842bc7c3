"""Parameters of the short training that pruning methods look at."""

from pydantic import Field

from models.catalog.params.job_networks import NetworkParams


class WarmUpParams(NetworkParams):
    """The first epochs on all labels (thesis, section 5.3.1)."""

    epochs: int = Field(default=10, ge=1, le=1000, description="Passes over all labeled images.")
    models: int = Field(
        default=1,
        ge=1,
        le=100,
        description="Independent trainings, whose gradient norms grand averages; it was published "
        "with 10. Everything else looks at the first.",
    )
    learning_rate: float = Field(
        default=0.02, gt=0, le=10, description="Stays what it is to the end."
    )
