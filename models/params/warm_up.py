"""Parameters of the short training that pruning methods look at."""

from typing import Any, Literal

from pydantic import Field

from models.params import Params


class WarmUpParams(Params):
    """The first epochs on all labels (thesis, section 5.3.1)."""

    network: Literal["resnet18_small", "cnn_tiny"] = Field(
        default="resnet18_small",
        description="resnet18_small for images up to 64 px, on a GPU; cnn_tiny on a CPU.",
    )
    width: int = Field(
        default=32, ge=4, le=256, description="Channels of the first layer of cnn_tiny."
    )
    epochs: int = Field(default=10, ge=1, le=1000, description="Passes over all labeled images.")
    models: int = Field(
        default=1,
        ge=1,
        le=100,
        description="Independent trainings, whose gradient norms grand averages; it was published "
        "with 10. Everything else looks at the first.",
    )
    batch_size: int = Field(default=128, ge=2, le=8192, description="Examples per iteration.")
    learning_rate: float = Field(
        default=0.02, gt=0, le=10, description="Stays what it is to the end."
    )
    flip: bool = Field(
        default=True,
        description="Mirror images at random; turn off where left and right matter, as in digits.",
    )

    def model_params(self, *, steps: int) -> dict[str, Any]:
        """Return the parameters of the catalog's model `network`."""
        params = self.model_dump(include={"batch_size", "learning_rate", "flip"})
        if self.network == "cnn_tiny":
            params["width"] = self.width
        return params | {"steps": steps}
