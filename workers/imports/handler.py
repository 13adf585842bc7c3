"""The ``import_pool`` job: batches in order, each committed with its checkpoint."""

import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, replace
from functools import cache, partial
from itertools import chain
from typing import Any, Final

from core import events
from core.files.buckets import Buckets
from core.files.storage import sha256
from core.jobs.imports import ImportParams
from core.process.cpus import usable_cpus
from core.states import ArtifactKind, Split
from core.tables import Artifact
from workers.imports.batch import Candidate, Looked, Prepared, batches, decide
from workers.imports.items import Item, Reference, Source
from workers.imports.labels import LabelWriter
from workers.imports.lookup import find
from workers.imports.media import open_medium
from workers.imports.media.base import Sample
from workers.imports.moved import Met, keep, lost, move
from workers.imports.pool import PoolWriter
from workers.imports.predicted import foresee, of_model
from workers.imports.predictions import store
from workers.imports.question_index import QuestionIndex
from workers.imports.ranked import Ranked, notes_of, rankings_of
from workers.imports.rankings import Taken, tell_round_of, write_rankings
from workers.imports.reading import LabelReader
from workers.imports.report import Line, Outcome, ReportFile, Tally, reasons
from workers.imports.sampling import samples_of
from workers.imports.sources import open_source
from workers.imports.split_words import normal
from workers.imports.sync.compare import settle
from workers.jobs.context import JobContext
from workers.jobs.yielding import Turn

_PHASE: Final = "import"
_RANK: Final = "rank"
_LAST: Final = "last"
_MOST_THREADS: Final = 4
_NOTIFY_SECONDS: Final = 1.0


def run(context: JobContext) -> dict[str, Any]:
    """Import the upload, from where an earlier attempt got to; a dry run plans it."""
    if context.dry_run:
        from workers.imports.plan import plan  # only here: it knows every kind of source

        return plan(context)
    context.plan([_PHASE])
    if "result" not in context.checkpoint:
        _import(context)
    result: dict[str, Any] = context.checkpoint["result"]
    settle(context)
    upload = ImportParams.of(context).upload
    if upload is not None:
        context.storage.remove_upload(upload)
    shutil.rmtree(context.work, ignore_errors=True)
    return result


def _import(context: JobContext) -> None:
    began = time.monotonic()
    with closing(open_source(context)) as source:
        items = _left(context, source)
        if items is not None:
            _take_in(context, source, items, began)
            return
    context.start_over("what it reads comes in another order than when it began")
    _import(context)


def _left(context: JobContext, source: Source) -> Iterator[Item] | None:
    """What earlier attempts have not come to; ``None`` where other items stand before it by now.

    How many there were says nothing once another version leaves out what was counted.
    """
    end = context.checkpoint["tally"]["total"] if "tally" in context.checkpoint else 0
    items = source.items(max(0, end - 1))
    if end == 0:
        return items
    last = next(items, None)
    return None if last is None or last.name != context.checkpoint.get(_LAST) else items


def _take_in(context: JobContext, source: Source, items: Iterator[Item], began: float) -> None:
    """Import what is left of a source that was opened when the clock said ``began``."""
    turn: Turn | None = None
    with closing(Import(context)) as task:
        steps = source.total
        params = ImportParams.of(context)
        chosen = {normal(name): choice for name, choice in params.folder_split.items()}
        reader = LabelReader(task.pool.classes, source.values, params.count_from, task.pool.task)
        context.progress(task.tally.total, steps, _PHASE)
        items = of_model(items, params)
        for batch in batches(items, params.split, reader, task.medium, chosen):
            context.check()
            turn = turn or Turn(context, time.monotonic() - began)
            if not task.medium.is_begun and any(isinstance(one, Candidate) for one in batch):
                task.begin(samples_of(source, params, task.medium, reader, batch), steps)
            task.say(reader.notes)
            task.add(batch, reader)
            context.progress(task.tally.total, steps, _PHASE)
            turn.check()
        task.say(notes_of(source))
        task.rank(rankings_of(source))
        task.finish()


class Import:
    """An import under way: where it is, and what it writes to."""

    def __init__(self, context: JobContext) -> None:
        """Take up the last checkpoint."""
        self.context = context
        stored = context.checkpoint
        self.tally = Tally.from_json(stored["tally"]) if "tally" in stored else Tally()
        self._threads = ThreadPoolExecutor(min(_MOST_THREADS, usable_cpus()))
        self.medium = open_medium(
            context.sessions, context.storage, context.settings, context.project_id, self._threads
        )
        self.pool = PoolWriter(context.sessions, context.project_id, self.medium)
        with context.sessions() as session:
            self._labels = LabelWriter(session, context.project_id, context.job_id, context.work)
        self._report = ReportFile(context.work / "report.csv", stored.get("report_end", 0))
        self._buckets = Buckets(context.settings)
        self._notified = 0.0
        self._last = stored.get(_LAST)

    def begin(self, samples: Iterable[Iterable[Sample]], total: int) -> None:
        """Choose what the examples decide; whoever resumes finds it in the settings."""
        self.medium.look(samples, total)
        with self.context.transaction() as (session, job):
            begun = self.medium.begin(session)
            if begun.facts:
                self.context.checkpoint = {**self.context.checkpoint, **begun.facts}
                self.say(begun.notes)
                job.checkpoint = self.context.checkpoint

    def say(self, notes: Iterable[str]) -> None:
        """Note what is to be said of the import as a whole, each once; kept with the next batch."""
        known = self.context.checkpoint.get("notes", [])
        new = [one for one in dict.fromkeys(notes) if one not in known]
        if new:
            self.context.checkpoint = {**self.context.checkpoint, "notes": [*known, *new]}

    def add(self, batch: list[Prepared], reader: LabelReader) -> None:
        """Import a batch: files and store first, then rows and checkpoint in one transaction."""
        context = self.context
        # Looked up once for all rows that have no image.
        first_name = cache(self.pool.first_name)
        known = partial(self.pool.known, import_id=context.job_id)
        looked = Looked(
            known,
            self._find,
            self.medium.make,
            self.medium.helped,
            first_name,
            reader.settled,
            self.pool.sizes,
            partial(foresee, reader=reader),
        )
        decided = decide(batch, looked)
        self._last = batch[-1].name
        self.pool.write_files(decided.additions)
        moved = self._moved(decided.met)
        with context.transaction() as (session, job):
            move(session, context.project_id, moved)
            self.pool.add_rows(session, decided.additions, context.job_id)
            self.pool.settle_truths(session, decided.truths, context.job_id)
            self.pool.replace(session, decided.replaced)
            self.medium.came_again(session, {key: one.content for key, one in decided.met.items()})
            written = self._labels.write(session, decided.labeled, self.tally.total)
            foretold = store(
                session, context.project_id, self.pool.task.name, context.job_id, decided.labeled
            )
            self.tally.predictions += sum(foretold.values())
            self.tally.annotations += written.annotations
            self.tally.contradicting += written.contradicting
            self._note(decided.told(written, foretold, self.pool.text_of, self.medium.worded))
            job.checkpoint = self._checkpoint()
            if time.monotonic() - self._notified >= _NOTIFY_SECONDS:
                session.execute(events.notify(context.project_id, events.Topic.POOL, {}))
                self._notified = time.monotonic()
        self.pool.advance(len(decided.additions))

    def _note(self, lines: list[Line]) -> None:
        for line in lines:
            self.tally.count(line.outcome, line.name, line.reason, line.split)
            if line.before is not None and line.split is not None:
                self.tally.replace(line.before, line.split)
            self.tally.note(line.notes)
        self._report.append(
            [
                (line.name, line.outcome.value, reasons(line.reason, line.notes))
                for line in lines
                if line.outcome is not Outcome.ADDED or line.reason or line.notes
            ]
        )

    def _moved(self, met: Mapping[bytes, Met]) -> dict[bytes, Met]:
        """Those of the images that came again whose originals were lost; they are stored."""
        if not met or not self.medium.has_originals:
            return {}
        context = self.context
        with context.sessions() as session:
            moved = lost(
                session, context.project_id, met, context.storage, self._buckets, self._threads
            )
        keep(context.storage, moved, self._threads)
        return moved

    def _find(self, references: Collection[Reference]) -> dict[Reference, list[tuple[int, Split]]]:
        with self.context.sessions() as session:
            return find(session, self.context.project_id, references)

    def rank(self, said: Iterator[Ranked]) -> None:
        """Take up what is said of several rows together, once all of them are there.

        A block of questions is a transaction with its checkpoint.
        """
        first = next(said, None)
        if first is None:
            return
        context = self.context
        context.plan([_PHASE, _RANK])
        context.progress(0, 0, _RANK)
        taken = replace(Taken(**context.checkpoint.get(_RANK, {})), is_waiting=False)
        path = context.work / "rankings.sqlite"
        # No transaction is open while the file is read once more.
        with closing(QuestionIndex(path, chain([first], said), context.check)) as index:
            steps = index.total
            for block in index.blocks(taken.questions):
                context.progress(taken.questions, steps, _RANK)
                before = taken.labels
                with context.transaction() as (session, job):
                    taken = write_rankings(session, job, block, taken)
                    self.tally.annotations += taken.labels - before
                    job.checkpoint = self._checkpoint(**{_RANK: asdict(taken)})
                if taken.is_waiting:
                    break
            with context.transaction() as (session, job):
                taken = tell_round_of(session, taken)
                job.checkpoint = self._checkpoint(**{_RANK: asdict(taken)})
        self.say(taken.notes)

    def finish(self) -> None:
        """Publish the report, and note that all is done before anything is removed."""
        context = self.context
        key = f"projects/{context.project_id}/imports/{context.job_id}.csv"
        path = context.storage.artifact(key)
        self._report.publish(path)
        context.storage.publish(key)
        with context.transaction() as (session, job):
            session.add(
                Artifact(
                    project_id=context.project_id,
                    job_id=context.job_id,
                    kind=ArtifactKind.IMPORT_REPORT,
                    storage_key=key,
                    sha256=sha256(path),
                    bytes=path.stat().st_size,
                )
            )
            chosen = {
                name: context.checkpoint[name]
                for name in (*self.medium.facts, "notes")
                if name in context.checkpoint
            }
            job.checkpoint = self._checkpoint(result={**self.tally.to_json(), **chosen})
            session.execute(events.notify(context.project_id, events.Topic.POOL, {}))

    def close(self) -> None:
        """Close files and threads."""
        self._threads.shutdown()
        self._labels.close()
        self._report.close()
        self.medium.close()

    def _checkpoint(self, **more: Any) -> dict[str, Any]:
        self.context.checkpoint = {
            **self.context.checkpoint,
            "tally": self.tally.to_json(),
            "report_end": self._report.end,
            _LAST: self._last,
            **more,
        }
        return self.context.checkpoint
