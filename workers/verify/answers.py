"""Answers: each is there once, and images are what their answers say."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import select

from core.states import ExampleState, Split
from core.tables import Annotation, Example, Query, QueryMember
from core.tasks.instructions import RankingLabel, members_of
from core.tasks.registry import label_of, stored
from core.verdicts.consensus import Vote, is_disputed, opinions, outcome, votes
from core.verdicts.groups import of_group
from workers.imports.pool import TRUTH
from workers.verify.check import BATCH, Check, Scope, by_sql

_RESTORE: Final = (
    "Rows were changed by hand or the disk lost some: restore the last backup, or mend them in the "
    "database."
)
_HELD: Final = """
    a.counted AND a.source = 'annotator' AND a.verdict <> 'skip' AND NOT EXISTS (
        SELECT FROM annotations c WHERE c.supersedes_id = a.id AND c.counted)
"""


def _states(scope: Scope) -> Iterator[str]:
    """Compare each image with what its votes amount to, a block of images at a time."""
    after = 0
    while True:
        examples = scope.connection.execute(
            select(
                Example.id,
                Example.split,
                Example.state,
                Example.label,
                Example.disputed,
                Example.meta[TRUTH].is_not(None).label("contradicted"),
            )
            .where(Example.id > after)
            .order_by(Example.id)
            .limit(BATCH)
        ).all()
        if not examples:
            return
        first, after = examples[0].id, examples[-1].id
        grouped, asked = _members(scope, first, after)
        together = grouped | asked
        said: dict[int, list[Vote]] = defaultdict(list)
        alone: dict[int, list[Vote]] = defaultdict(list)
        between = Annotation.example_id.between(first, after)
        about = of_group().label("of_group")
        for row in scope.connection.execute(votes().add_columns(about).where(between)):
            is_alone = row.example_id in together and not row.of_group
            (alone if is_alone else said)[row.example_id].append(Vote.of(row))
        waiting = set(
            scope.connection.scalars(
                select(Query.example_id).where(Query.example_id.between(first, after), ~Query.done)
            )
        )
        waiting |= asked
        for example in examples:
            held, own = said.get(example.id, []), alone.get(example.id, [])
            wrong = _wrong(example, held, own, example.id in waiting)
            if wrong and not (example.id in grouped and _is_of_group(example)):
                yield f"image {example.id} {wrong}"


def _members(scope: Scope, first: int, last: int) -> tuple[set[int], set[int]]:
    """Of examples, those that were asked about in a group, and those that are."""
    statement = (
        select(QueryMember.example_id, Query.done)
        .join(Query, Query.id == QueryMember.query_id)
        .where(QueryMember.example_id.between(first, last))
    )
    found: dict[bool, set[int]] = {True: set(), False: set()}
    for example_id, done in scope.connection.execute(statement):
        found[done].add(example_id)
    return found[True], found[False]


def _is_of_group(example: Any) -> bool:
    """Whether an example may be so because its group was answered, of which another has the votes.

    A label that ranks it, or none where the whole group has none.
    """
    if example.split is not Split.POOL or example.disputed:
        return False
    if example.state is not ExampleState.LABELED:
        return example.label is None and example.state is not ExampleState.HELD_OUT
    label = label_of(example.label)
    return isinstance(label, RankingLabel) and example.id in members_of(label)


def _wrong(example: Any, said: list[Vote], alone: list[Vote], waiting: bool) -> str | None:
    """What is wrong with an image, if anything; ``alone`` are verdicts not on its group, but it."""
    if example.split is None:
        return "is withdrawn, and has verdicts that count" if said or alone else None
    if example.split is not Split.POOL:
        labeled = example.label is not None
        if example.state is not ExampleState.UNLABELED or said or alone:
            return f"is of the split {example.split} and has verdicts"
        # Labels that contradict each other leave an evaluation image without a class.
        may_lack = labeled or not example.contradicted
        if labeled != (example.split is Split.EVALUATION) and may_lack:
            return f"is of the split {example.split}, {'with' if labeled else 'without'} a label"
        return None
    state, label = outcome(alone if opinions(alone) else said)
    if example.label != stored(label):
        return f"has the label {_told(example.label)}, its verdicts say {_told(stored(label))}"
    if example.state is ExampleState.QUERIED and state is ExampleState.UNLABELED:
        return None if waiting else "is queried, and in no queue"
    if example.state is ExampleState.HELD_OUT and state is ExampleState.UNLABELED:
        return "is held out, and in a queue" if waiting else None
    if example.state is not state:
        return f"is {example.state}, its verdicts say {state}"
    if example.disputed is not is_disputed(said):
        return f"is {'' if example.disputed else 'not '}disputed, its verdicts say otherwise"
    return None


def _told(label: dict[str, Any] | None) -> str:
    return "none" if label is None else json.dumps(label)


CHECKS: Final = (
    Check(
        "answers_once",
        "every answer is stored once",
        f"{_RESTORE} The index uq_annotations_client_key must exist.",
        by_sql(
            "SELECT 'key ' || client_key || ', ' || count(*) || ' times' FROM annotations "
            "GROUP BY client_key HAVING count(*) > 1"
        ),
    ),
    Check(
        "answer_heads",
        "every chain of corrections has one end",
        f"{_RESTORE} The index uq_annotations_supersedes must exist.",
        by_sql(
            "SELECT 'answer ' || supersedes_id || ' is corrected ' || count(*) || ' times' "
            "FROM annotations WHERE supersedes_id IS NOT NULL "
            "GROUP BY supersedes_id HAVING count(*) > 1 "
            "UNION ALL SELECT 'answer ' || a.id || ' corrects ' || b.id || ', which is '"
            "|| CASE WHEN b.id >= a.id THEN 'newer' ELSE 'of another image' END "
            "FROM annotations a JOIN annotations b ON b.id = a.supersedes_id "
            "WHERE b.id >= a.id OR b.example_id <> a.example_id"
        ),
    ),
    Check(
        "answer_owners",
        "every answer belongs to one project",
        _RESTORE,
        by_sql(
            "SELECT 'answer ' || a.id FROM annotations a "
            "JOIN examples e ON e.id = a.example_id "
            "LEFT JOIN queries q ON q.id = a.query_id LEFT JOIN rounds r ON r.id = a.round_id "
            "LEFT JOIN classes c ON c.id = a.class_id "
            "WHERE e.project_id <> a.project_id OR q.project_id <> a.project_id "
            "OR r.project_id <> a.project_id OR c.project_id <> a.project_id "
            "OR q.example_id <> a.example_id"
        ),
    ),
    Check(
        "answers_wanted",
        "no image has more counted answers than were wanted",
        f"{_RESTORE} Correct the surplus with an answer that supersedes it.",
        by_sql(
            "SELECT 'image ' || said.example_id || ' has ' || said.n || ' of ' || said.people "
            "|| ' people' FROM (SELECT a.example_id, count(*) AS n, "
            f"count(DISTINCT a.annotator_id) AS people FROM annotations a WHERE {_HELD} "
            "GROUP BY a.example_id HAVING count(*) > 1) said "
            "WHERE said.n > said.people OR said.n > coalesce((SELECT "
            "max(coalesce((r.settings ->> 'overlap')::int, 1)) FROM queries q "
            "JOIN rounds r ON r.id = q.round_id WHERE q.example_id = said.example_id), 1)"
        ),
    ),
    Check(
        "image_states",
        "every image is what its answers say",
        f"{_RESTORE} A new answer to the image sets it right.",
        _states,
    ),
    Check(
        "review_decisions",
        "every decision of a review is an answer to its image",
        "Take the review back with karat review revert, and decide again.",
        by_sql(
            "SELECT 'suggestion ' || s.id FROM suggestions s "
            "LEFT JOIN annotations a ON a.id = s.annotation_id "
            "WHERE (s.decision IS NULL) <> (s.annotation_id IS NULL) "
            "OR a.example_id <> s.example_id"
        ),
    ),
)
