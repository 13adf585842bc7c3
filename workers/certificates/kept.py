"""What is still promised of a pool when a certificate is applied to what is left of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from core.errors import Conflict
from core.states import LotState
from core.tables import Certificate
from core.tables import CertificateLot as Lot
from models.catalog.params.certify import CertifyParams

LEFT_TO_PEOPLE: Final = (
    "People judged so many images of some lots meanwhile that more than was promised of the others "
    "may be wrong: these lots are left to people."
)
ALL_TOGETHER: Final = (
    "People judged images of these lots meanwhile. What was promised is of all images of the lots; "
    "of those that the model labels a little more may be wrong."
)
_LEFT: Final = 0.8
"""Least share of what was promised of that the model still labels: it is told of, if less."""


def kept_promises(
    certificate: Certificate,
    passed: Sequence[Lot],
    left: Mapping[int, int],
    gone: Mapping[int, int],
) -> list[Lot]:
    """The lots of which what was promised is still so; the others are left to people.

    At most so many of all members are wrong, however many of these people have judged meanwhile:
    the promise is of the members, whoever labels them. The fewer are left to the model, the larger
    the share of *them* that may be wrong, which is what the certificate says from then on; where
    less than four in five are left, that is too far from what was asked for.

    Args:
        certificate: Its ``result`` is brought up to date.
        passed: The lots that have passed.
        left: By number of a lot, how many of its members would be labeled.
        gone: How many of its members nobody will label, as they are held out.

    Raises:
        Conflict: ``pool_changed``, nothing can be labeled.
    """
    params = CertifyParams.model_validate(certificate.settings)
    families = _families(certificate, params, passed)
    kept = [one for one in families if one.still_so(left, gone)]
    lots = [lot for one in kept for lot in one.lots]
    count = _sum(lots, left)
    if count == 0:
        raise _changed()
    for lot in passed:
        if lot not in lots:
            lot.state, lot.bound = LotState.PEOPLE, None
    warnings = list(certificate.result.get("warnings", []))
    if len(lots) < len(passed):
        warnings.append(LEFT_TO_PEOPLE)
    _state(certificate, kept, left, warnings)
    return lots


def restated(certificate: Certificate, passed: Sequence[Lot], labeled: Mapping[int, int]) -> None:
    """Say of what has been labeled what was promised; people may have judged some meanwhile.

    All that may be wrong of lots that passed together may be in those of which any were labeled.

    Args:
        certificate: Its ``result`` is brought up to date.
        passed: The lots that have passed; each is told the share of all that were labeled of the
            lots that passed with it.
        labeled: By number of a lot, how many were labeled.

    Raises:
        Conflict: ``pool_changed``, it is nothing.
    """
    if _sum(passed, labeled) == 0:
        raise _changed()
    families = _families(certificate, CertifyParams.model_validate(certificate.settings), passed)
    _state(certificate, families, labeled, list(certificate.result.get("warnings", [])))
    for one in families:
        bound = _bound(one, labeled)
        for lot in one.lots:
            lot.bound = None if bound is None else bound["share"]


def _state(
    certificate: Certificate,
    families: Sequence["_Family"],
    left: Mapping[int, int],
    warnings: list[str],
) -> None:
    count = sum(_sum(one.lots, left) for one in families)
    if ALL_TOGETHER not in warnings and any(
        one.wrong_of(left) > one.promised * _sum(one.lots, left) for one in families
    ):
        warnings.append(ALL_TOGETHER)
    wrong = sum(one.wrong_of(left) for one in families)
    ood = next((one for one in families if one.is_ood), None)
    certificate.result = {
        **certificate.result,
        "bound": {"share": wrong / count, "wrong": wrong, "of": count},
        "missed_bound": None if ood is None else _bound(ood, left),
        "warnings": warnings,
    }


def _changed() -> Conflict:
    return Conflict(
        "pool_changed",
        "So many images were judged, asked about or held out since that what was promised does "
        "not hold of those that are left. Certify again; what people said stays.",
    )


@dataclass(frozen=True)
class _Family:
    """Lots that passed together, and share one bound.

    Attributes:
        lots: Which.
        wrong: How many of their members are wrong, at most.
        promised: Share of their members that may be.
        is_ood: Whether they are what the model takes for OOD.
    """

    lots: list[Lot]
    wrong: int
    promised: float
    is_ood: bool

    def wrong_of(self, left: Mapping[int, int]) -> int:
        """How many of those that are left are wrong, at most."""
        return min(self.wrong, _sum(self.lots, left))

    def still_so(self, left: Mapping[int, int], gone: Mapping[int, int]) -> bool:
        """Whether enough is left that what was promised tells of it."""
        members = sum(lot.size - lot.drawn - gone.get(lot.number, 0) for lot in self.lots)
        rest = _sum(self.lots, left)
        return rest >= _LEFT * members and self.wrong <= self.promised * members + 1e-9


def _families(
    certificate: Certificate, params: CertifyParams, passed: Sequence[Lot]
) -> list[_Family]:
    """The lots by what was promised of them: OOD apart, the classes together or each by itself."""
    missed = (certificate.result.get("missed_bound") or {"wrong": 0})["wrong"]
    ood = [lot for lot in passed if lot.class_id is None]
    classes = [lot for lot in passed if lot.class_id is not None]
    found = [_Family(ood, missed, params.missed, is_ood=True)] if ood else []
    if params.scope == "all":
        wrong = (certificate.result.get("bound") or {"wrong": 0})["wrong"] - (missed if ood else 0)
        return [*found, _Family(classes, wrong, params.target, is_ood=False)] if classes else found
    for class_id in sorted({lot.class_id for lot in classes if lot.class_id is not None}):
        mine = [lot for lot in classes if lot.class_id == class_id]
        at_risk = round(sum((lot.bound or 0.0) * (lot.size - lot.drawn) for lot in mine))
        found.append(_Family(mine, at_risk, params.target, is_ood=False))
    return found


def _sum(lots: Iterable[Lot], left: Mapping[int, int]) -> int:
    return sum(left.get(lot.number, 0) for lot in lots)


def _bound(family: _Family, left: Mapping[int, int]) -> dict[str, float] | None:
    count, wrong = _sum(family.lots, left), family.wrong_of(left)
    return {"share": wrong / count, "wrong": wrong, "of": count} if count else None
