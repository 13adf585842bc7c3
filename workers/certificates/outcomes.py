"""What became of the draws of a certificate, by what people say of them now."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from core.artifacts.certificates import NO_CLASS, Draw, Members, Outcome, draws_of
from core.database.among import among
from core.states import ExampleState, Source, Verdict
from core.tables import Annotation, Certificate, Example
from core.tasks.registry import class_of
from core.verdicts.consensus import Vote, by_model, consensus, is_settled, opinions, votes
from core.withdrawals import is_kept
from workers.certificates.asking import asked, last_annotation


def taken(
    session: Session, certificate: Certificate, members: Members
) -> tuple[list[Draw], set[int]]:
    """What became of the draws of a certificate, by all that people have said since.

    Those that are answered are heard again, too: what was corrected, or settled by a reviewer,
    counts as it is now. Which verdict stood when does not matter for what may be promised: the
    order of the draws is fixed, only the first of them without a gap count, and what is true of
    one does not depend on when it was learned.

    Args:
        session: To read with.
        certificate: Its draws are left as they are.
        members: Its images.

    Returns:
        As many draws, in the same order; ids of those of their examples that are in a queue.
    """
    draws = draws_of(certificate)
    wanted, first = certificate.result.get("overlap", 1), set(certificate.result["first"])
    ids = [draw.example_id for draw in draws]
    queued = asked(session, ids)
    said: dict[int, list[tuple[int, Vote]]] = defaultdict(list)
    statement = votes().where(among(Annotation.example_id, ids), Annotation.source != Source.MODEL)
    for row in session.execute(statement):
        said[row.example_id].append((row.id, Vote.of(row)))
    silent = [id_ for id_ in ids if not opinions(vote for _, vote in said[id_])]
    closed, gone = _closed(session, silent), _withdrawn(session, ids)
    found, doubted = [], []
    for draw in draws:
        if draw.example_id in gone:
            # What people saw of it then stays true of the lot that it was drawn from.
            found.append(draw.answered("unsure") if draw.outcome == "waiting" else draw)
            continue
        held = [vote for id_, vote in said[draw.example_id] if id_ > draw.after]
        is_first = draw.index in first
        # Skipped by all, or held out: nobody can say what it is. Nor is asked again about what was
        # drawn before the certificate.
        is_over = is_first or (
            draw.example_id not in queued and (held or draw.example_id in closed)
        )
        if draw.outcome in ("right", "wrong") and draw.example_id not in closed:
            # What was said of it may have been taken back, which leaves a skip: it waits again.
            is_over = is_over and (is_first or bool(opinions(held)))
        if not (is_over or is_settled(held, 1 if draw.again else wanted)):
            found.append(draw.answered("waiting"))
            continue
        outcome = _outcome(held, int(members.class_id[members.place(draw.index)]))
        if outcome == "wrong" and not (draw.again or is_first) and len(opinions(held)) == 1:
            doubted.append(len(found))
        found.append(draw.answered(outcome))
    # Where it is known how often people are wrong, somebody else looks at what contradicts the
    # model.
    if doubted and certificate.result["human"] is not None:
        last = last_annotation(session, [found[at].example_id for at in doubted])
        for at in doubted:
            found[at] = found[at].asked_again(last[found[at].example_id])
    return found, queued


def _closed(session: Session, example_ids: Sequence[int]) -> set[int]:
    """Those of what nobody has said anything of that nobody will.

    They are held out, or labeled by another model.
    """
    nobody_will = or_(Example.state == ExampleState.HELD_OUT, by_model(Example.id))
    return set(
        session.scalars(select(Example.id).where(among(Example.id, example_ids), nobody_will))
    )


def _withdrawn(session: Session, example_ids: Sequence[int]) -> set[int]:
    gone = select(Example.id).where(among(Example.id, example_ids), ~is_kept())
    return set(session.scalars(gone))


def _outcome(held: Sequence[Vote], class_id: int) -> Outcome:
    vote = consensus(held)
    if vote is None or vote.verdict is Verdict.UNSURE:
        return "unsure"
    said = NO_CLASS if vote.verdict is Verdict.OOD else class_of(vote.label)
    return "right" if said == class_id else "wrong"
