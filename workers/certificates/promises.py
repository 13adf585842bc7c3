"""What is promised, and what has been looked at for it, as ``models.guarantee`` takes them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.artifacts.certificates import Draw, Members, members_file
from core.errors import Conflict
from core.files.storage import Storage
from core.process.version import build
from core.states import LotState
from core.tables import Artifact, Certificate, CertificateLot
from models.catalog.params.certify import CertifyParams
from models.guarantee.certification import Certification
from models.guarantee.human_error import HumanError, from_pairs
from models.guarantee.lots import Lot, make_lots
from models.guarantee.outlook import outlook
from models.guarantee.promise import Bound, Decision, Promise
from workers.labels.draws import pairs

ASKED_AT_ONCE: Final = 500
"""Draws that wait for people at a time, at most."""
FEWEST_PAIRS: Final = 20
"""Fewer say nothing of how often people are wrong."""
_OF_PEOPLE: Final = 0.1
"""Share of what may go wrong that is set aside for how often people are."""
_KEPT: Final = 2
_MOST_PLAYS: Final = 10
_PLAYED: Final = 1_000_000
"""Images of all plays together: where there are many, each play is dear, and plays differ less."""
_WRONG: Final = {"right": False, "wrong": True, "unsure": None}


def lots_of(members: Members) -> list[Lot]:
    """The lots of members: the same whenever they are asked for."""
    sure = members.probability.astype(np.float64)
    return make_lots(members.class_id, sure, members.pool_index)


def read_members(session: Session, storage: Storage, certificate: Certificate) -> Members:
    """Which image is in which lot.

    Raises:
        Conflict: ``certificate_file_missing``.
    """
    artifact: Artifact = session.scalars(members_file(certificate.id)).one()
    path = storage.fetch(artifact.storage_key)
    if not path.exists():
        raise Conflict(
            "certificate_file_missing",
            f"The file of certificate {certificate.id} is not in the data directory; restore it "
            "from a backup, or certify again.",
        )
    return _read(path, artifact.sha256)


@lru_cache(maxsize=_KEPT)
def _read(path: Path, _sha256: str) -> Members:
    return Members.load(path)


def human_error(session: Session, project_id: int, confidence: float) -> HumanError | None:
    """How often people are wrong, by draws that two judged; None where too few were."""
    judged, differed = pairs(session, project_id, by_two=True)
    if judged < FEWEST_PAIRS:
        return None
    return from_pairs(judged, differed, (1 - confidence) * _OF_PEOPLE)


def promise_of(params: CertifyParams, human: HumanError | None, *, earlier: int = 0) -> Promise:
    """What is to be promised.

    Args:
        params: Of the certificate.
        human: How often people are wrong, if that is known.
        earlier: How many draws were judged before anybody was asked, which cost nothing.

    Raises:
        ModelError: It cannot be, as often as people are wrong.
    """
    return Promise(
        target=params.target,
        confidence=params.confidence,
        scope=params.scope,
        missed_in=params.missed_in,
        human_error=0.0 if human is None else human.high,
        human_alpha=0.0 if human is None else (1 - params.confidence) * _OF_PEOPLE,
        at_most=None if params.at_most is None else params.at_most + earlier,
    )


def certification_of(
    certificate: Certificate, members: Members, draws: Sequence[Draw]
) -> Certification:
    """What was looked at so far; what waits is not asked about again."""
    known = certificate.result["human"]
    human = None if known is None else HumanError(**known)
    first = certificate.result["first"]
    params = CertifyParams.model_validate(certificate.settings)
    promise = promise_of(params, human, earlier=len(first))
    certification = Certification(
        lots_of(members),
        promise,
        seed=certificate.result["seed"],
        first=first,
    )
    observe(certification, draws)
    return certification


def observe(certification: Certification, draws: Iterable[Draw]) -> None:
    """Tell what people have said, and what they are asked."""
    for draw in draws:
        if draw.outcome == "waiting":
            certification.asked([draw.index])
        else:
            certification.observe(draw.index, _WRONG[draw.outcome])


def note_decision(
    session: Session, certificate: Certificate, certification: Certification
) -> Decision:
    """Write what is known of each lot by now, what may be promised, and what is to be expected."""
    decision = certification.decide()
    statement = (
        select(CertificateLot)
        .where(CertificateLot.certificate_id == certificate.id)
        .order_by(CertificateLot.number)
    )
    for row, now in zip(session.scalars(statement).all(), decision.lots, strict=True):
        row.state = LotState(now.state)
        row.bound = now.bound
        row.drawn, row.wrong, row.unsure = now.drawn, now.wrong, now.unsure
    certificate.result = {
        **certificate.result,
        "bound": _bound(decision.bound),
        "missed_bound": _bound(decision.missed),
        "expected": 0 if decision.is_over else _expected(certificate, certification),
        # What has decided, whoever prints the report later.
        "karat": build(),
    }
    return decision


def _expected(certificate: Certificate, certification: Certification) -> int:
    """About how many more answers it takes, those that are waited for among them."""
    images = sum(lot.size for lot in certification.lots)
    plays = max(2, min(_MOST_PLAYS, _PLAYED // images))
    seed = certificate.result["seed"]
    found = outlook(certification, at_once=ASKED_AT_ONCE, plays=plays, seed=seed)
    return found.answers + len(certification.waiting())


def _bound(bound: Bound | None) -> dict[str, Any] | None:
    return None if bound is None else asdict(bound)
