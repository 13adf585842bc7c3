"""What several verdicts on one example amount to."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sqlalchemy import ColumnElement, Select, and_, exists, select, true
from sqlalchemy.orm import InstrumentedAttribute, aliased

from core.states import ExampleState, Source, Verdict
from core.tables import Annotation, Example
from core.tasks.registry import label_of, stored_text, type_of
from core.tasks.spec import Label

Considering = Callable[[type[Annotation]], ColumnElement[bool]]
STANCES: Final = (Verdict.LABEL, Verdict.OOD)
EXAMPLE_STATE_AFTER: Final[Mapping[Verdict, ExampleState]] = {
    Verdict.LABEL: ExampleState.LABELED,
    Verdict.OOD: ExampleState.OOD,
    Verdict.UNSURE: ExampleState.UNSURE,
    # Skip means "not me, not now": the image goes back to the pool and can be selected again.
    Verdict.SKIP: ExampleState.UNLABELED,
}
"""What an example is once a verdict is what holds of it."""


def holds(
    annotation: type[Annotation] = Annotation, considering: Considering = lambda _: true()
) -> ColumnElement[bool]:
    """Condition: ``annotation`` is counted, and no counted one corrects it.

    Args:
        annotation: The table, or an alias of it.
        considering: Condition on the corrections that are looked at; all are if left out.
    """
    correction = aliased(Annotation)
    return and_(
        annotation.counted,
        ~exists().where(
            correction.supersedes_id == annotation.id, correction.counted, considering(correction)
        ),
    )


def by_people(
    example_id: InstrumentedAttribute[int], considering: Considering = lambda _: true()
) -> ColumnElement[bool]:
    """Condition: somebody other than a model has said what an example is, and it holds.

    Args:
        example_id: Column that names the example.
        considering: Condition on the annotations that are looked at; all are if left out.
    """
    said = aliased(Annotation)
    return exists().where(
        said.example_id == example_id,
        said.source != Source.MODEL,
        said.verdict != Verdict.SKIP,
        considering(said),
        holds(said, considering),
    )


def by_model(example_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Condition: an example counts as what a model says under a certificate.

    Args:
        example_id: Column that names the example.
    """
    said = aliased(Annotation)
    given = exists().where(
        said.example_id == example_id,
        said.source == Source.MODEL,
        said.verdict != Verdict.SKIP,
        holds(said),
    )
    return and_(given, ~by_people(example_id))


def held_in_its_round() -> ColumnElement[bool]:
    """Condition: an annotation is counted, and no counted one of the same round corrects it.

    What a round was told and has paid for stays its own when a later one asks about it again.
    """
    return holds(considering=lambda correction: correction.round_id == Annotation.round_id)


def lock_examples(which: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    """Lock examples before their votes are read, as everybody does who adds one.

    Rounds are locked first. In order of id, so that two who lock some of the same never wait for
    each other in a circle.
    """
    return select(Example.id).where(which).order_by(Example.id).with_for_update(key_share=True)


def as_said() -> tuple[ColumnElement[Any], ...]:
    """Order of annotations, the oldest first.

    Time comes before the id: labels of one import were all there at once, and in which order its
    rows were read must not decide between two that contradict each other.
    """
    return (
        Annotation.created_at.asc(),
        Annotation.verdict.asc(),
        # Classes compare faster than labels, and order them alike.
        Annotation.class_id.asc().nulls_last(),
        Annotation.label.asc().nulls_last(),
        Annotation.id.asc(),
    )


def votes(considering: Considering = lambda _: true()) -> Select[*tuple[Any, ...]]:
    """Annotations that hold, oldest first; the rows are for ``Vote.of``.

    Args:
        considering: Condition on the annotations that are looked at, and on what corrects them; all
            are if left out.
    """
    return (
        select(
            Annotation.id,
            Annotation.example_id,
            Annotation.annotator_id,
            Annotation.source,
            Annotation.source_name,
            Annotation.job_id,
            Annotation.verdict,
            Annotation.label,
        )
        .where(considering(Annotation), holds(considering=considering))
        .order_by(*as_said())
    )


@dataclass(frozen=True, slots=True)
class Vote:
    """One verdict that holds: counted, and not corrected since.

    Attributes:
        verdict: What was said.
        label: Of a verdict that has one.
        final: A reviewer's, who knew what the others had said.
        by_model: Given under a certificate: it counts where no person has an opinion.
    """

    verdict: Verdict
    label: Label | None = None
    final: bool = False
    by_model: bool = False

    @classmethod
    def of(cls, row: Any) -> Self:
        """The vote of a row of ``votes``."""
        final, by_model = row.source == Source.REVIEW, row.source == Source.MODEL
        return cls(Verdict(row.verdict), label_of(row.label), final, by_model)


def opinions(votes: Iterable[Vote]) -> list[Vote]:
    """The votes of people that say something: a skip does not."""
    return [vote for vote in votes if vote.verdict is not Verdict.SKIP and not vote.by_model]


def consensus(votes: Iterable[Vote]) -> Vote | None:
    """The latest final vote; without one, what most say, and of equals what was said first.

    Where no person has an opinion, what a model says that was certified.

    Args:
        votes: Oldest first.

    Returns:
        ``None`` if nobody has an opinion.
    """
    votes = list(votes)
    held = opinions(votes)
    if not held:
        # A skip of a model takes back what it superseded.
        said = (one for one in votes if one.by_model and one.verdict is not Verdict.SKIP)
        return next(said, None)
    final = [vote for vote in held if vote.final]
    if final:
        return final[-1]
    # max takes the first of equals.
    most = max(_gathered(held), key=len, default=None)
    return None if most is None else Vote(most[0].verdict, _agreed(most))


def _gathered(votes: Iterable[Vote]) -> list[list[Vote]]:
    """Votes that say the same, each as the first of its group; groups in their order."""
    found: list[list[Vote]] = []
    for vote in votes:
        for group in found:
            if same(group[0], vote):
                group.append(vote)
                break
        else:
            found.append([vote])
    return found


def same(one: Vote, other: Vote) -> bool:
    """Whether two votes say the same of an example."""
    if one.verdict is not other.verdict:
        return False
    if one.label is None or other.label is None:
        return one.label is other.label
    return type_of(one.label).same(one.label, other.label)


def _agreed(group: Sequence[Vote]) -> Label | None:
    """What the votes of one group amount to."""
    labels = [vote.label for vote in group if vote.label is not None]
    if not labels:
        return None
    agreed: Label = labels[0] if len(labels) == 1 else type_of(labels[0]).agree(labels)
    return agreed


def stances(votes: Iterable[Vote]) -> list[tuple[Label | None, int]]:
    """What annotators say the image is, and how many each.

    Args:
        votes: Oldest first.

    Returns:
        Labels, None for OOD: what most say first, and of equals what was said first. Whoever is
        unsure says neither, and reviewers and models are not counted.
    """
    said = _gathered(one for one in opinions(votes) if one.verdict in STANCES and not one.final)
    # The order of equals stays.
    said.sort(key=len, reverse=True)
    return [(_agreed(group), len(group)) for group in said]


def is_disputed(votes: Collection[Vote]) -> bool:
    """Whether the ``votes`` contradict each other, and no reviewer has settled it."""
    return len(stances(votes)) > 1 and not any(vote.final for vote in opinions(votes))


def is_settled(votes: Collection[Vote], wanted: int) -> bool:
    """Whether the example needs no more than the ``votes`` it has, where ``wanted`` are asked."""
    held = opinions(votes)
    return len(held) >= wanted or any(vote.final for vote in held)


def answered(
    said: Mapping[int, Collection[Vote]], compared: Mapping[int, Collection[Vote]] | None = None
) -> dict[str, list[Any]]:
    """Parameters of ``mark_answered``: what the votes on each example give it.

    Args:
        said: By example.
        compared: Votes that tell whether each is disputed, where those are others.
    """
    outcomes = {example_id: outcome(votes) for example_id, votes in said.items()}
    return {
        "answered": list(outcomes),
        "states": [state.value for state, _ in outcomes.values()],
        "labels": [stored_text(label) for _, label in outcomes.values()],
        "disputes": [is_disputed((compared or said)[example_id]) for example_id in said],
    }


def outcome(votes: Iterable[Vote]) -> tuple[ExampleState, Label | None]:
    """The state, and the label if any, that ``votes`` give their example."""
    agreed = consensus(votes)
    if agreed is None:
        return EXAMPLE_STATE_AFTER[Verdict.SKIP], None
    return EXAMPLE_STATE_AFTER[agreed.verdict], agreed.label
