"""Settings of a project: their shape. Which algorithms exist is the catalog's business."""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator

from core.errors import Conflict
from core.states import MOST_BUDGET, Verdict

Fit = Literal["crop", "pad"]
"""What models see of an image that is not square: its middle, or all of it with bars beside."""

Mode = Literal["single", "grid"]
"""How annotators see images: one at a time, or many at once."""

Goal = Literal["best_model", "find_all"]
"""What a project is after: a model that tells the classes, or all of their images."""

FirstQueue = Literal["typical", "random"]
"""What the first round asks about, while no model can choose (``docs/adr``, 0040)."""

FieldName = Annotated[str, Field(min_length=1, max_length=1000)]
"""Of what an example brought besides itself."""

STRATEGY_OF: Final[dict[Goal, str]] = {"best_model": "expected_value", "find_all": "most_likely"}
"""The strategy that a goal brings, unless another is chosen (``docs/adr``, 0039)."""


class _Stored(BaseModel):
    # A later version has others: it works beside this one, or did before the schema was taken back.
    # What somebody sends is validated with ``extra="forbid"``.
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


class Choice(BaseModel):
    """An algorithm of the catalog and its parameters; missing ones take their defaults."""

    model_config = ConfigDict(extra="forbid")

    name: str
    params: dict[str, Any] = Field(default_factory=dict)


class Cost(_Stored):
    """What a verdict takes from the round's budget.

    Attributes:
        mode: ``fixed`` charges ``c_in`` or ``c_ood``; ``seconds`` charges the measured time.
        c_in: Charge for a class or an unsure verdict, in budget units.
        c_ood: Charge for an OOD verdict, in budget units.
    """

    mode: Literal["fixed", "seconds"] = "fixed"
    c_in: float = Field(default=1.0, gt=0, le=1e6)
    c_ood: float = Field(default=1.0, gt=0, le=1e6)

    def of(self, verdict: Verdict, seconds: float) -> float:
        """Charge for one verdict. A skip is free at fixed prices, since nothing was learned."""
        if self.mode == "seconds":
            return seconds
        if verdict is Verdict.SKIP:
            return 0.0
        return self.c_ood if verdict is Verdict.OOD else self.c_in


class ProjectSettings(_Stored):
    """How a project queries and trains.

    Attributes:
        goal: What the labels are for; it decides the strategy of who chooses none, and what the
            pages say of progress.
        input_size: Side of the square that the model sees, in pixels. ``None`` until the first
            import, which chooses by the sizes of its images.
        fit: How an image lies in that square that is not one: ``crop`` scales the shorter side to
            it, and the middle is seen; ``pad`` the longer one, and all is seen, between bars.
        seed: Makes rounds reproducible.
        budget: What the verdicts of one round may cost, in units of ``cost``.
        cost: Prices of verdicts.
        overlap: How many annotators see each queried image; every verdict costs.
        second_looks: Share of the budget, 0..0.5, for asking once more for answers that are most
            probably wrong; ``None`` = 5 % where several people label, none where one does.
        audit_share: Share of each queue, 0..0.5, that is drawn at random from what is unlabeled and
            that no model learns from, so that it judges them; only where a label is one class.
        shifted_proposals: Share of the queries of boxes, 0..0.5, of whose proposals one is put
            beside where it belongs: how many of these are kept tells who looks.
        zero_wait: While models retrain, annotators go on with the rest of the ranked queue.
        first_queue: What the first round asks about: images that are typical of the pool, and one
            in four drawn at random, or all drawn at random.
        model: Target model.
        strategy: Query strategy.
        purity: Score of being in-distribution.
        informativeness: Score of being worth a label.
        subset: Subset artifact whose dropped labels are left out of training; none if unset.
        learn_from_model_labels: Whether models learn from what models have labeled under
            certificates, as from what people say; normally they do not.
        max_rounds: The project finishes after so many rounds; unlimited if unset.
        lease_seconds: How long a query is kept for the annotator who took it.
        modes: How annotators may see images, in order of ``Mode``; at least one.
        shown_fields: Names of fields of ``Example.meta`` that annotators see beside an example, in
            this order, each once. None if empty: a field may tell the answer.
    """

    goal: Goal = "best_model"
    input_size: int | None = Field(default=None, ge=8, le=512)
    # Settings of earlier versions do not say so.
    fit: Fit = "crop"
    seed: int = Field(default=0, ge=0, lt=2**31)
    budget: float = Field(default=100.0, gt=0, le=MOST_BUDGET)
    cost: Cost = Field(default_factory=Cost)
    overlap: int = Field(default=1, ge=1, le=20)
    second_looks: float | None = Field(default=None, ge=0, le=0.5)
    audit_share: float = Field(default=0.05, ge=0, le=0.5)
    zero_wait: bool = True
    shifted_proposals: float = Field(default=0.0, ge=0, le=0.5)
    first_queue: FirstQueue = "typical"
    model: Choice = Field(default_factory=lambda: Choice(name="auto"))
    strategy: Choice = Field(default_factory=lambda: Choice(name=STRATEGY_OF["best_model"]))
    purity: Choice = Field(default_factory=lambda: Choice(name="probe"))
    informativeness: Choice = Field(default_factory=lambda: Choice(name="margin"))
    subset: int | None = Field(default=None, ge=1, lt=2**63)
    learn_from_model_labels: bool = False
    max_rounds: int | None = Field(default=None, ge=1, le=10_000)
    lease_seconds: int = Field(default=600, ge=1, le=86_400)
    modes: list[Mode] = Field(default_factory=lambda: list(get_args(Mode)))
    shown_fields: list[FieldName] = Field(default_factory=list, max_length=12)

    @property
    def side(self) -> int:
        """``input_size`` of a project that has images.

        Raises:
            Conflict: ``no_images``, nothing was imported yet.
        """
        if self.input_size is None:
            raise Conflict("no_images", "The project has no images yet; import some first.")
        return self.input_size

    @property
    def patch_size(self) -> int:
        """Side of the patches that the model cuts out of an image; 0 if it cuts none."""
        return int(self.model.params.get("patch_size", 0))

    @field_validator("modes")
    @classmethod
    def _some_in_order(cls, modes: list[Mode]) -> list[Mode]:
        if not modes:
            raise ValueError("no mode is left to label in; allow single, grid or both")
        return [mode for mode in get_args(Mode) if mode in modes]

    @field_validator("shown_fields")
    @classmethod
    def _each_once(cls, names: list[str]) -> list[str]:
        return list(dict.fromkeys(names))
