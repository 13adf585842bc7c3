"""What a project knows of each image, block by block, for exports that hold images."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from anyio import to_thread
from sqlalchemy import ColumnElement, Subquery, and_, exists, or_, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.exports.part import Part, after
from api.exports.portions import stored_bytes, within_bytes
from api.exports.tables import BY_MODEL, speaks
from api.exports.texts import contents, within_memory
from api.exports.votes import SAID, Certified, Vote, counts_as, read_votes, votes_of
from core import tables
from core.database.among import among
from core.media.originals import Original
from core.states import ExampleState, Split, Verdict
from core.tables import Annotation, Example, Query, Round
from core.tasks.registry import label_of, written
from core.tasks.spec import Label
from core.withdrawals import is_kept

_FETCH: Final = 500


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the model that last asked about an image took it for; probabilities in 0..1."""

    model_version: str
    class_name: str
    probability: float | None
    in_probability: float | None


@dataclass(frozen=True, slots=True)
class Imported:
    """What a model predicts whose predictions were imported, as ``predictions`` holds it."""

    model: str
    proposals: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Record:
    """One image with all that is known of it.

    ``class_name`` is what it counts as, its ``label``, as files write it: of an evaluation image
    what it came with.
    """

    example_id: int
    pool_index: int
    name: str
    content_hash: bytes
    media_type: str
    bytes: int
    width: int | None
    height: int | None
    split: Split
    state: ExampleState
    class_name: str | None
    meta: dict[str, Any]
    location: str | None
    location_tag: str | None
    label: Label | None = None
    votes: list[Vote] = field(default_factory=list)
    prediction: Prediction | None = None
    imported: Sequence[Imported] = ()

    @property
    def verdict(self) -> Verdict | None:
        """What its verdicts amount to: a skip only if there is nothing else."""
        if self.split is not Split.POOL:
            return None
        return counts_as(self.state, [vote.verdict for vote in self.votes])

    @property
    def certified(self) -> Certified | None:
        """What its label rests on, if a model has given it."""
        return next((vote.certified for vote in self.votes if vote.certified), None)

    @property
    def label_source(self) -> str | None:
        """Whether a model or a person has said what it is; None while nobody has."""
        if self.certified is not None:
            return BY_MODEL
        return None if self.verdict in (None, Verdict.SKIP) else "person"

    def without_models(self) -> "Record":
        """The same, without what a model has said."""
        if self.certified is None:
            return self
        people = [vote for vote in self.votes if vote.certified is None]
        return replace(
            self, votes=people, state=ExampleState.UNLABELED, class_name=None, label=None
        )

    @property
    def original(self) -> Original:
        """Its bytes."""
        return Original.of(self)

    def stated(self) -> dict[str, Any]:
        """The fields by which an import takes all of it back (``workers.imports.stated``)."""
        return {
            "name": self.name,
            "sha256": self.content_hash.hex(),
            "split": self.split.value,
            "verdict": self.verdict.in_files if self.verdict else None,
            "label": self.class_name,
            "votes": [
                {
                    "annotator": vote.annotator,
                    "verdict": vote.verdict.in_files,
                    "class": vote.class_name,
                    "seconds": vote.seconds,
                    "created_at": vote.created_at.isoformat(),
                    "round": vote.round,
                }
                for vote in self.votes
            ],
            "round": self.round,
            **self.provenance(),
            "model_version": self.prediction.model_version if self.prediction else None,
            "meta": self.meta,
        }

    def provenance(self) -> dict[str, Any]:
        """Who has said what it is, and of a model how surely and how much of the lot is at risk."""
        found = self.certified
        return {
            "label_source": self.label_source,
            "label_probability": None if found is None else found.probability,
            "label_lot": None if found is None else found.lot,
            "label_bound": None if found is None else found.bound,
        }

    @property
    def round(self) -> int | None:
        """The last round in which a verdict on it was given."""
        return max((vote.round for vote in self.votes if vote.round is not None), default=None)


@dataclass(frozen=True, slots=True)
class _Block:
    """Rows of images, of their votes, and what models took them for."""

    rows: Sequence[Any]
    votes: Sequence[Any]
    predictions: Mapping[int, Prediction]
    imported: Mapping[int, Sequence[Imported]]


@dataclass(frozen=True)
class Images:
    """Which images leave.

    Attributes:
        sessions: Makes a session for each block.
        project_id: Whose they are.
        classes: Names of the project's classes by their ids, in their order, when the export began.
            Classes may be renamed and added while it leaves; what is said of newer ones stays
            behind.
        all: Whether also those leave of the pool that nobody has judged.
        people_only: Whether what models have labeled counts as judged by nobody.
        part: What of them leaves at all; everything if None.
        with_imported: Whether what was imported of models goes along.
    """

    sessions: async_sessionmaker[AsyncSession]
    project_id: int
    classes: Mapping[int, str]
    all: bool = False
    people_only: bool = False
    part: Part | None = None
    with_imported: bool = False

    @property
    def named(self) -> str:
        """What its file is called, but for the format."""
        return f"karat-project-{self.project_id}{'' if self.part is None else '-filtered'}"

    @property
    def class_names(self) -> list[str]:
        """The classes in their order."""
        return list(self.classes.values())

    async def blocks(self) -> AsyncIterator[list[Record]]:
        """The images in order of import, some hundreds at a time.

        Each block is a transaction of its own, as in ``tables.rows``.
        """
        last: int | None = -1
        while last is not None:
            inside, end = after(self.part, last)
            async with self.sessions() as session:
                # What an image counts as and its votes come from several statements.
                await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
                read = await self._block(session, inside)
            if not read.rows:
                last = end
                continue
            last = read.rows[-1].pool_index
            # Thousands of boxes take a while to read, and requests are not to wait for it.
            yield self.heard(await to_thread.run_sync(self._records, read))

    def heard(self, records: list[Record]) -> list[Record]:
        """Without what models say, if only people are to be heard."""
        if not self.people_only:
            return records
        found = [one.without_models() for one in records]
        return [
            one
            for one in found
            if self.all or one.split is not Split.POOL or one.state in SAID or one.votes
        ]

    async def blocks_with_texts(self) -> AsyncIterator[list[tuple[Record, str]]]:
        """The texts in order of import with what is known of each, some megabytes at a time."""
        async for block in self.blocks():
            for some in within_memory(block, lambda one: one.bytes):
                found = await contents(self.sessions, [one.example_id for one in some])
                yield [(one, found[one.example_id]) for one in some]

    async def _block(self, session: AsyncSession, inside: ColumnElement[bool]) -> "_Block":
        next_ = self._next(inside)
        statement = (
            select(
                Example.id.label("example_id"),
                Example.pool_index,
                Example.name,
                Example.content_hash,
                Example.media_type,
                Example.bytes,
                Example.width,
                Example.height,
                Example.split,
                Example.state,
                Example.label,
                Example.meta,
                Example.location,
                Example.location_tag,
            )
            .join(next_, next_.c.id == Example.id)
            .order_by(Example.pool_index)
        )
        rows: Sequence[Any] = (await session.execute(statement)).all()
        ids = [row.example_id for row in rows]
        votes = await votes_of(session, and_(among(Annotation.example_id, ids), speaks()))
        predictions = await predictions_of(session, ids, self.classes)
        imported = await _imported_of(session, ids) if self.with_imported else {}
        return _Block(rows, votes, predictions, imported)

    def _next(self, inside: ColumnElement[bool]) -> Subquery:
        """The ids of a block: the first of those ``inside`` whose labels fit memory together."""
        first = (
            select(Example.id, Example.pool_index, stored_bytes(Example.label).label("bytes"))
            .where(Example.project_id == self.project_id, inside, is_kept())
            .order_by(Example.pool_index)
            .limit(_FETCH)
        )
        if not self.all:
            first = first.where(_is_judged())
        return within_bytes(first.subquery(), "pool_index")

    def _records(self, read: "_Block") -> list[Record]:
        votes = read_votes(read.votes, self.classes, is_part=self.part is not None)
        return [self._record(row, votes[row.example_id], read) for row in read.rows]

    def _record(self, row: Any, votes: list[Vote], read: "_Block") -> Record:
        fields = dict(row._mapping)
        label = label_of(fields.pop("label"))
        text = written(label, self.classes)
        if label is not None and text is None:
            fields["state"] = ExampleState.UNLABELED
        return Record(
            **fields,
            class_name=text,
            label=None if text is None else label,
            votes=votes,
            prediction=read.predictions.get(row.example_id),
            imported=read.imported.get(row.example_id, ()),
        )


def _is_judged() -> ColumnElement[bool]:
    return or_(
        Example.split != Split.POOL,
        Example.state.in_(tuple(SAID)),
        exists().where(Annotation.example_id == Example.id),
    )


async def predictions_of(
    session: AsyncSession, ids: Sequence[int], classes: Mapping[int, str]
) -> dict[int, Prediction]:
    """Of each image the latest; what chose round n was trained when round n - 1 closed.

    What a person sent to the queue is left out: its prediction can be of any round.
    """
    statement = (
        select(
            Query.example_id,
            Round.number,
            Query.predicted_class_id,
            Query.probability,
            Query.in_probability,
        )
        .join(Round, Round.id == Query.round_id)
        .where(
            among(Query.example_id, ids),
            among(Query.predicted_class_id, classes),
            ~Query.requested,
        )
        .order_by(Round.number, Query.id)
    )
    rows: Sequence[Any] = (await session.execute(statement)).all()
    return {
        example_id: Prediction(f"round-{number - 1}", classes[class_id], *sure)
        for example_id, number, class_id, *sure in rows
    }


async def _imported_of(session: AsyncSession, ids: Sequence[int]) -> dict[int, Sequence[Imported]]:
    """What was imported of each image, in order of the models' names."""
    held = tables.Prediction
    statement = (
        select(held.example_id, held.model, held.proposals)
        .where(among(held.example_id, ids))
        .order_by(held.model)
    )
    found: defaultdict[int, list[Imported]] = defaultdict(list)
    for example_id, model, proposals in await session.execute(statement):
        found[example_id].append(Imported(model, proposals))
    return dict(found)
