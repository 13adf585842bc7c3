"""Learning how large the loss of an example would be, without its label.

Source: D. Yoo, I. S. Kweon, "Learning Loss for Active Learning", CVPR 2019, sections 3.2 and 3.3.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.errors import ModelError
from models.ranking.mqnet import ranking_loss

WIDTH: Final = 128
MARGIN: Final = 1.0
SHIELDED_FROM: Final = 0.6
"""Share of training after which the module no longer changes the backbone."""

_STAGES: Final = 4


class LossPrediction(nn.Module):
    """Features of some stages, each pooled, 128 wide and through a ReLU; together one number."""

    def __init__(self, widths: Sequence[int]) -> None:
        """Take the number of channels of each stage."""
        super().__init__()
        self.stages = nn.ModuleList(nn.Linear(width, WIDTH) for width in widths)
        self.last = nn.Linear(WIDTH * len(widths), 1)

    def forward(self, features: Sequence[Tensor]) -> Tensor:
        """Map one (B, channels, H, W) or (B, channels) tensor a stage to (B,) predictions.

        Only the order of predictions means something; higher = larger loss.
        """
        pooled = [
            value.float().mean(dim=(2, 3)) if value.ndim == 4 else value for value in features
        ]
        hidden = [
            functional.relu(stage(value)) for stage, value in zip(self.stages, pooled, strict=True)
        ]
        predicted: Tensor = self.last(torch.cat(hidden, dim=1)).squeeze(1)
        return predicted


def pair_loss(predicted: Tensor, losses: Tensor) -> Tensor:
    """Average the ranking loss over pairs that split a batch: equation 2 of the paper.

    The first half is paired with the second; the last example of an odd batch has no partner, and a
    batch of one gives 0. Pairs of equal loss have no order and give neither loss nor gradient.

    Args:
        predicted: (B,) by the module.
        losses: (B,) of the task; they are targets, no gradient flows into them.

    Returns:
        A scalar, >= 0.
    """
    half = len(losses) // 2
    losses = losses.detach()
    pairs = ranking_loss(
        predicted[:half], predicted[half : 2 * half], losses[:half], losses[half : 2 * half], MARGIN
    )
    return pairs.sum() / max(1, half)


class Stages:
    """The places in a network whose features the module sees: the last four resolutions.

    Attributes:
        names: of the submodules of the backbone, in order.
        widths: their channels.
    """

    def __init__(self, names: Sequence[str], widths: Sequence[int]) -> None:
        """Take one name and one width a stage."""
        self.names, self.widths = tuple(names), tuple(widths)

    @classmethod
    def find(cls, backbone: nn.Module, image_size: int) -> "Stages":
        """Look for a chain of submodules that shrinks the image at least three times.

        Args:
            backbone: any network on (B, 3, S, S) images.
            image_size: S.

        Raises:
            ModelError: there is none, as in a transformer.
        """
        shapes = _output_shapes(backbone, image_size)
        for container, _ in backbone.named_modules():
            last: dict[tuple[int, ...], tuple[str, int]] = {}
            before: tuple[int, ...] | None = None
            for name, (_, channels, *size) in shapes.items():
                # Both sides have to shrink: a layer that keeps channels last would look like it.
                if name.rpartition(".")[0] == container and (
                    before is None or (size[0] <= before[0] and size[1] <= before[1])
                ):
                    before = tuple(size)
                    last[before] = (name, channels)
            if len(last) >= _STAGES:
                return cls(*zip(*list(last.values())[-_STAGES:], strict=True))
        raise ModelError(
            "loss_prediction needs a convolutional network of four stages, each smaller than the "
            "one before, and this one has none; turn loss_prediction off or choose another network."
        )

    @contextmanager
    def watched(self, backbone: nn.Module) -> Iterator[dict[str, Tensor]]:
        """Collect the features of each stage by name while the backbone runs."""
        taken: dict[str, Tensor] = {}
        handles = []
        for name in self.names:

            def take(
                module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor, name: str = name
            ) -> None:
                del module, inputs
                taken[name] = output

            handles.append(backbone.get_submodule(name).register_forward_hook(take))
        try:
            yield taken
        finally:
            for handle in handles:
                handle.remove()


@torch.no_grad()
def _output_shapes(backbone: nn.Module, image_size: int) -> dict[str, torch.Size]:
    """Shapes of what the submodules give that keep a map, by name in the order of their calls."""
    shapes: dict[str, torch.Size] = {}
    handles = []
    for name, module in backbone.named_modules():
        if not name or isinstance(module, nn.AdaptiveAvgPool2d):
            continue

        def note(
            module: nn.Module, inputs: tuple[Tensor, ...], output: object, name: str = name
        ) -> None:
            del module, inputs
            if isinstance(output, Tensor) and output.ndim == 4:
                shapes[name] = output.shape

        handles.append(module.register_forward_hook(note))
    training = backbone.training
    try:
        backbone.eval()(torch.zeros(1, 3, image_size, image_size))
    finally:
        backbone.train(training)
        for handle in handles:
            handle.remove()
    return shapes
