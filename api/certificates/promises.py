"""What is still promised of a pool when a certificate is applied to what is left of it."""

from collections.abc import Iterable, Mapping, Sequence

from core.errors import Conflict
from core.states import LotState
from core.tables import Certificate
from core.tables import CertificateLot as Lot
from models.params.certify import CertifyParams

LEFT_TO_PEOPLE = (
    "People judged so many images of some lots meanwhile that more than was promised of the others "
    "may be wrong: these lots are left to people."
)


def kept_promises(
    certificate: Certificate, passed: Sequence[Lot], left: Mapping[int, int]
) -> list[Lot]:
    """The lots of which what was promised is still so; the others are left to people.

    At most so many of all members are wrong, however many of these people have judged meanwhile.
    So the fewer are left to the model, the larger the share of them that may be.

    Args:
        certificate: Its ``result`` is brought up to date.
        passed: The lots that have passed.
        left: By number of a lot, how many of its members would be labeled.

    Raises:
        Conflict: ``pool_changed``, nothing can be labeled.
    """
    params = CertifyParams.model_validate(certificate.settings)
    kept = list(passed)
    missed = certificate.result.get("missed_bound")
    none = [lot for lot in kept if lot.class_id is None]
    if missed is not None and missed["wrong"] > params.missed * _sum(none, left):
        kept = [lot for lot in kept if lot.class_id is not None]
    if params.scope == "class":
        families = {lot.class_id for lot in kept}
        bounds = {one: _at_risk(kept, one) for one in families}
        kept = [
            lot
            for lot in kept
            if bounds[lot.class_id]
            <= params.target * _sum([one for one in kept if one.class_id == lot.class_id], left)
        ]
        wrong = sum(bounds[one] for one in {lot.class_id for lot in kept})
    else:
        wrong = (certificate.result.get("bound") or {"wrong": 0})["wrong"]
        if wrong > params.target * _sum(kept, left):
            kept = []
    count = _sum(kept, left)
    if count == 0:
        raise Conflict(
            "pool_changed",
            "So many images were judged, asked about or held out since that what was promised does "
            "not hold of those that are left. Certify again; what people said stays.",
        )
    dropped = [lot for lot in passed if lot not in kept]
    for lot in dropped:
        lot.state, lot.bound = LotState.PEOPLE, None
    warnings = certificate.result.get("warnings", [])
    certificate.result = {
        **certificate.result,
        "bound": {"share": wrong / count, "wrong": wrong, "of": count},
        "missed_bound": _of(missed, _sum([lot for lot in kept if lot.class_id is None], left)),
        "warnings": [*warnings, LEFT_TO_PEOPLE] if dropped else warnings,
    }
    return kept


def _sum(lots: Iterable[Lot], left: Mapping[int, int]) -> int:
    return sum(left.get(lot.number, 0) for lot in lots)


def _at_risk(lots: Iterable[Lot], class_id: int | None) -> int:
    """How many of a class may be wrong: its lots passed together, and share one bound."""
    mine = [lot for lot in lots if lot.class_id == class_id]
    return round(sum((lot.bound or 0.0) * (lot.size - lot.drawn) for lot in mine))


def _of(missed: Mapping[str, int] | None, count: int) -> dict[str, float] | None:
    if missed is None or count == 0:
        return None
    return {"share": missed["wrong"] / count, "wrong": missed["wrong"], "of": count}
