"""The ``certify`` job: score what nobody has judged, put it into lots, and begin to ask people."""

from dataclasses import asdict
from functools import cached_property
from typing import Any, Final

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.artifacts.certificates import Members
from core.files.storage import write_atomically
from core.lifecycle import move_certificate
from core.states import ArtifactKind, CertificateState, LotState
from core.tables import Certificate, CertificateLot, Job, Project
from core.webhooks import note_certificate
from models.catalog.params.certify import CertifyParams
from models.files.arrays import read_arrays
from workers.certificates.observing import begin_asking, refuse
from workers.certificates.promises import (
    FEWEST_PAIRS,
    human_error,
    lots_of,
    promise_of,
)
from workers.certify.dry_run import prepare
from workers.certify.earlier import judged
from workers.certify.scoring import (
    CANDIDATES,
    EARLIER,
    NO_PROBABILITY,
    Facts,
    gather,
    members_of,
    score,
    scores_of,
)
from workers.dry_run import dry_run
from workers.jobs.artifacts import keep
from workers.jobs.context import JobContext, Phase
from workers.jobs.work import JobWork, read_json, write_json
from workers.labels.job_inputs import class_names
from workers.labels.snapshot import Snapshot

_FACTS: Final = "facts.json"
_MEMBERS: Final = "members.parquet"
_FEW: Final = (
    f"People are taken to be right: fewer than {FEWEST_PAIRS} images were judged by two people, "
    "one without the other, so nothing tells how often they are wrong."
)


def run(context: JobContext) -> dict[str, Any]:
    """Begin a certificate; a killed job goes on where it was, and asks nothing twice."""
    if context.dry_run:
        return dry_run(context, prepare)
    task = Certifying(context, CertifyParams.of(context))
    task.take_up()
    return task.run(PHASES)


def failed(session: Session, job: Job) -> None:
    """Say in the certificate why nothing came of it; a retry takes it up again."""
    if job.dry_run:
        return
    certificate = _of_job(session, job.id)
    if certificate is None or certificate.state is not CertificateState.SCORING:
        return
    refuse(session, certificate, job.error["detail"] if job.error else "The job was cancelled.")
    note_certificate(certificate)


def _of_job(session: Session, job_id: int) -> Certificate | None:
    statement = select(Certificate).where(Certificate.job_id == job_id)
    return session.scalars(statement.with_for_update(key_share=True)).one_or_none()


def _begun_before(session: Session, certificate: Certificate) -> int:
    """How many others people were asked for, of the same model."""
    assert certificate.model is not None
    statement = select(func.count()).where(
        Certificate.project_id == certificate.project_id,
        Certificate.id < certificate.id,
        Certificate.model["digest"].as_string() == certificate.model["digest"],
    )
    return session.scalar(statement) or 0


class Certifying(JobWork[CertifyParams]):
    """One job; each phase leaves a file of its unfinished work."""

    def take_up(self) -> None:
        """Begin again a certificate whose job has failed, or was cancelled."""
        if "result" in self.context.checkpoint:
            return
        with self.context.sessions() as session:
            of = select(Certificate.state).where(Certificate.job_id == self.context.job_id)
            if session.scalar(of) is not CertificateState.REFUSED:
                return
        # Others may have labeled meanwhile what it was to label.
        self.context.start_over("what nobody has judged may be other images by now")
        with self.context.transaction() as (session, job):
            certificate = _of_job(session, job.id)
            assert certificate is not None
            move_certificate(certificate, CertificateState.SCORING)

    @cached_property
    def facts(self) -> Facts:
        """Of which model, data and settings it is."""
        return Facts(**read_json(self.file(_FACTS)))

    @cached_property
    def members(self) -> Members:
        """Which image is in which lot."""
        return Members.load(self.file(_MEMBERS))

    @cached_property
    def snapshot(self) -> Snapshot:
        """What people had said when the model was frozen."""
        return Snapshot.load(self.file("snapshot.npz"))

    def gather(self) -> None:
        """Freeze the model and what it is to label, and see whether anything can be promised."""
        facts = gather(self.context)
        with self.context.sessions() as session:
            human = human_error(session, self.context.project_id, self.params.confidence)
        # As often as people are wrong, it may be that nothing can be promised.
        promise_of(self.params, human)
        write_json(self.file(_FACTS), asdict(facts))

    def score(self) -> None:
        """Let the model say what each image is."""
        rows, known = np.load(self.file(CANDIDATES)), scores_of(self.context, self.facts)
        outputs = score(self.context, self.facts, known, rows, self.progress)
        members = members_of(self.context, self.facts, outputs)
        write_atomically(self.file(_MEMBERS), members.save)

    def publish(self) -> None:
        """Fill the certificate, and ask the first people."""
        context, members = self.context, self.members
        lots = lots_of(members)
        warnings = self._warnings()
        kept = keep(context, self.file(_MEMBERS), ArtifactKind.CERTIFICATE, {})
        with context.transaction() as (session, job):
            # Locked in the order that everybody keeps: job, project, certificate, rounds.
            project = session.get_one(
                Project, context.project_id, with_for_update={"key_share": True}
            )
            certificate = _of_job(session, job.id)
            assert certificate is not None
            noted = {"certificate_id": certificate.id, "images": len(members), "lots": len(lots)}
            if certificate.state is CertificateState.SCORING:
                kept.meta = {"certificate_id": certificate.id}
                session.add(kept)
                self._fill(session, certificate)
                if certificate.result["human"] is None:
                    warnings = [*warnings, _FEW]
                if (before := _begun_before(session, certificate)) > 0:
                    warnings = [
                        *warnings,
                        f"Certificates of the same model that were begun before: {before}. Each by "
                        "itself is as sure as it says; whoever asks until one passes is misled "
                        "more often.",
                    ]
                certificate.result = {**certificate.result, "warnings": warnings}
                session.add_all(
                    CertificateLot(
                        certificate_id=certificate.id,
                        number=number,
                        class_id=None if lot.label < 0 else lot.label,
                        low=lot.low,
                        high=lot.high,
                        size=lot.size,
                        state=LotState.OPEN,
                    )
                    for number, lot in enumerate(lots)
                )
                begin_asking(session, context.storage, project, certificate)
            context.note(job, {"result": {**noted, "notes": warnings}})

    def _fill(self, session: Session, certificate: Certificate) -> None:
        facts, project_id = self.facts, self.context.project_id
        human = human_error(session, project_id, self.params.confidence)
        draws = judged(self.members, read_arrays(self.file(EARLIER)))
        certificate.observations = [draw.to_json() for draw in draws]
        certificate.images = len(self.members)
        certificate.model = facts.model
        certificate.data_digest = facts.data_digest
        certificate.settings_digest = facts.settings_digest
        certificate.result = {
            # Known before anything is looked at, and another for each certificate.
            "seed": (facts.seed * 10_007 + certificate.id) % 2**31,
            "first": [draw.index for draw in draws],
            "human": None if human is None else asdict(human),
            # Whoever has judged the first draws could name these.
            "classes": self.snapshot.class_ids.tolist(),
        }

    def _warnings(self) -> list[str]:
        unseen = np.delete(self.snapshot.class_ids, self.snapshot.inside()[1])
        found = []
        if len(unseen):
            names = ", ".join(class_names(self.context, unseen))
            found.append(
                f"Nobody has labeled an image of these classes yet, so the model never names "
                f"them: {names}."
            )
        if np.isnan(self.members.inside).all():
            found.append(NO_PROBABILITY)
        return found


PHASES: Final = (
    Phase("gather", Certifying.gather),
    Phase("score", Certifying.score),
)
