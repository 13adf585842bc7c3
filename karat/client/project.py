"""The client's part for one project."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from karat.client.arguments import SUBSET_BY_ENDING, format_by_ending
from karat.client.certificates import CertificatesClient
from karat.client.findings import (
    Artifact,
    AuditAsked,
    AuditEstimate,
    Outlook,
    Round,
    Subset,
    SubsetComparison,
    SubsetFormat,
)
from karat.client.labeling import LabelingClient
from karat.client.notebook import (
    JOBS,
    ROUNDS,
    SELECTIONS,
    Listing,
    RoundRows,
    Rows,
    project_columns,
)
from karat.client.pool import PoolClient
from karat.client.pool_types import Example
from karat.client.resources import (
    ExampleState,
    Job,
    JobState,
    Member,
    Project,
    ProjectRole,
    Retention,
    Split,
)
from karat.client.review import ReviewClient
from karat.client.review_types import Agreement, Review
from karat.client.selection import SelectionClient
from karat.client.selections import Selection
from karat.client.snapshots import SnapshotsClient
from karat.client.sync import SyncsClient
from karat.client.transfers import TransferClient
from karat.client.transport import Transport
from karat.client.webhook import WebhooksClient


class ProjectClient(LabelingClient, TransferClient):
    """What programs do in one project; made by ``Client.project``."""

    def __init__(self, transport: Transport, project_id: int, name: str | None = None) -> None:
        """Name the project.

        Args:
            transport: The client's connection.
            project_id: The project.
            name: What it is called, where that is known.
        """
        super().__init__(transport, f"/projects/{project_id}")
        self.id = project_id
        self._name = name

    def __repr__(self) -> str:
        """Its number, and what it was called when it was asked for."""
        return f"<Project {self.id}: {self._name}>" if self._name else f"<Project {self.id}>"

    def _repr_html_(self) -> str:
        """Its name, state and counts, and its rounds, as a notebook shows it."""
        rounds = self.rounds()
        project = self.get()
        rows = Rows(project_columns([project]), [project])._repr_html_()
        return rows + (rounds._repr_html_() if rounds else "")

    def get(self) -> Project:
        """The project as it is now."""
        project: Project = self._transport.request("GET", self._path)
        return project

    def update(self, **changes: Any) -> Project:
        """Change the project.

        Args:
            **changes: Any of ``name``, ``guidelines``, ``classes``, ``settings``. Settings that are
                not named stay; they take effect from the next round.

        Returns:
            The changed project.
        """
        project: Project = self._transport.request("PATCH", self._path, body=changes)
        return project

    def start(self) -> Project:
        """Begin with round 0, or go on after a pause or with another round after the last."""
        return self._do("start")

    def pause(self) -> Project:
        """Give annotators nothing more for now."""
        return self._do("pause")

    def resume(self) -> Project:
        """Go on after a pause, or with another round after the last."""
        return self._do("resume")

    def delete(self) -> None:
        """Delete the project with its examples and annotations; for admins."""
        self._transport.request("DELETE", self._path)

    def members(self) -> list[Member]:
        """Who may label, review or manage, each with their role."""
        return list(self._transport.pages(f"{self._path}/members"))

    def add_member(self, user_id: int, role: ProjectRole | None = None) -> None:
        """Let a user in, or give a member another role; harmless if they have it already.

        Args:
            user_id: The user.
            role: ``annotator``, ``reviewer`` or ``manager``. Without one members keep theirs;
                engineers and admins come in as managers, everybody else as annotators.
        """
        body = None if role is None else {"role": role}
        self._transport.request("PUT", f"{self._path}/members/{user_id}", body=body)

    def remove_member(self, user_id: int) -> None:
        """Let a user label no longer.

        Args:
            user_id: The user.
        """
        self._transport.request("DELETE", f"{self._path}/members/{user_id}")

    def retention(self) -> Retention:
        """How long the project is kept after it is finished, and when it goes; for managers."""
        found: Retention = self._transport.request("GET", f"{self._path}/retention")
        return found

    def retain(self, days: int | None) -> Retention:
        """Have the project deleted so many days after it is finished; for admins.

        Args:
            days: At least 7; None keeps it.
        """
        found: Retention = self._transport.request(
            "PUT", f"{self._path}/retention", body={"days": days}
        )
        return found

    def examples(
        self, *, state: ExampleState | None = None, split: Split | Literal["all"] = "pool"
    ) -> Listing[Example]:
        """The project's examples, by ``pool_index``; ``pool.find`` has more filters.

        Args:
            state: Only those in this state.
            split: Those of this split, or of all.
        """
        return self.pool.find({"state": state, "split": split})

    @property
    def pool(self) -> PoolClient:
        """The examples of the project: find them, and act on many at once."""
        return PoolClient(self._transport, self._path)

    @property
    def certificates(self) -> CertificatesClient:
        """Labels that a model gives, with a promise of how many are wrong."""
        return CertificatesClient(self._transport, f"{self._path}/certificates")

    @property
    def syncs(self) -> SyncsClient:
        """Places of buckets that the pool follows."""
        return SyncsClient(self._transport, self._path)

    @property
    def snapshots(self) -> SnapshotsClient:
        """The data set as it was, under names: take, compare and remove snapshots."""
        return SnapshotsClient(self._transport, f"{self._path}/snapshots")

    @property
    def webhooks(self) -> WebhooksClient:
        """Addresses that are told what happens in the project."""
        return WebhooksClient(self._transport, f"{self._path}/webhooks")

    def rounds(self) -> RoundRows[Round]:
        """The rounds so far, the first one first; a notebook shows them as a table and a curve."""
        return RoundRows(ROUNDS, self._transport.pages(f"{self._path}/rounds"))

    def outlook(self, *, least_gain: float = 0.005) -> Outlook:
        """Whether another round is expected to raise accuracy by ``least_gain``, with reasons."""
        path = f"{self._path}/outlook"
        found: Outlook = self._transport.request("GET", path, query={"least_gain": least_gain})
        return found

    def audit(self) -> AuditEstimate:
        """How often the newest model is right on what no strategy has chosen, by random draws."""
        found: AuditEstimate = self._transport.request("GET", f"{self._path}/audit")
        return found

    def ask_audit(self, n: int) -> AuditAsked:
        """Draw images at random and ask about them first of all.

        They join the open round; where the project is finished, a round of their own is opened.

        Args:
            n: How many, 1..10,000; fewer are drawn where fewer are left.

        Raises:
            KaratError: ``no_draws`` if labels are no classes, ``nothing_to_draw``,
                ``no_open_round`` while one closes.
        """
        asked: AuditAsked = self._transport.request("POST", f"{self._path}/audit", body={"n": n})
        return asked

    def close_round(self, number: int) -> Round:
        """Close an open round before its budget is spent.

        Args:
            number: The round.

        Returns:
            The round.
        """
        round_: Round = self._transport.request("POST", f"{self._path}/rounds/{number}/close")
        return round_

    def retry_round(self, number: int) -> Round:
        """Try a failed round again.

        Args:
            number: The round.

        Returns:
            The round.
        """
        round_: Round = self._transport.request("POST", f"{self._path}/rounds/{number}/retry")
        return round_

    def estimate_round(self, model: str | dict[str, Any] | None = None) -> Job:
        """Measure what a round would take, before a model is chosen.

        Args:
            model: Name of a model, or its name and parameters; the project's if it is left out.

        Returns:
            The job, for ``Client.wait``: its ``result`` has an ``estimate`` of seconds, memory and
            phases, of which ``embed`` is done once, and the others in every round.

        Raises:
            KaratError: ``job_active`` if one is measured already, ``invalid_settings``,
                ``no_images``.
        """
        chosen = {"name": model} if isinstance(model, str) else model
        job: Job = self._transport.request(
            "POST", f"{self._path}/rounds/estimate", body={"model": chosen}
        )
        return job

    def start_job(
        self, kind: str, params: dict[str, Any] | None = None, *, dry_run: bool = False
    ) -> Job:
        """Start a job of the catalog; a project runs one of a kind at a time.

        Args:
            kind: Which, such as ``learn_features``; ``Client.algorithms`` lists them.
            params: Parameters that differ from their defaults.
            dry_run: Only check and measure: the ``result`` has an ``estimate`` of seconds, memory
                and phases, and nothing else is left.

        Returns:
            The job, for ``Client.wait``.

        Raises:
            KaratError: ``job_active`` if one is at work already, ``invalid_params``, ``no_images``.
        """
        body = {"kind": kind, "params": params or {}, "dry_run": dry_run}
        job: Job = self._transport.request("POST", f"{self._path}/jobs", body=body)
        return job

    def jobs(self, *, state: JobState | None = None) -> Listing[Job]:
        """The project's jobs, the latest first; a notebook shows the first as a table.

        Args:
            state: Only those in this state.
        """
        query = {"project_id": self.id, "state": state}
        return Listing("jobs", JOBS, lambda: self._transport.pages("/jobs", query))

    def artifacts(self, job_id: int | None = None) -> list[Artifact]:
        """The files that the project's jobs made.

        Args:
            job_id: Only those of this job.
        """
        return list(self._transport.pages(f"{self._path}/artifacts", {"job_id": job_id}))

    def subsets(self) -> list[Subset]:
        """The subsets that pruning jobs have found, newest first."""
        return list(self._transport.pages(f"{self._path}/subsets"))

    def compare_subsets(self, a: int, b: int) -> SubsetComparison:
        """Two subsets side by side: what both keep, and what only one does.

        Args:
            a: One subset.
            b: The other.
        """
        query = {"a": a, "b": b}
        compared: SubsetComparison = self._transport.request(
            "GET", f"{self._path}/subsets/compare", query=query
        )
        return compared

    def export_subset(
        self,
        subset_id: int,
        path: str | Path,
        format: SubsetFormat | None = None,
        *,
        bom: bool = False,
        on_received: Callable[[int], None] | None = None,
    ) -> Path:
        """Save a subset without holding it in memory.

        Args:
            subset_id: The subset.
            path: Where to save; what is there is replaced once the export is complete.
            format: ``csv`` or ``parquet`` for all rows, those that are dropped without a rank;
                ``ids`` for what is kept, one example id a line; ``imagefolder`` for a zip of its
                images. None: by the ending of ``path``, ``ids`` as ``.txt``.
            bom: Whether ``csv`` begins with a byte order mark, so that Excel reads it as UTF-8.
            on_received: Called with the bytes received so far.

        Returns:
            ``path``.

        Raises:
            ValueError: No format is named, and the ending tells none.
        """
        target, url = Path(path), f"{self._path}/subsets/{subset_id}/export"
        query = {"format": format or format_by_ending(target, SUBSET_BY_ENDING), "bom": bom}
        return self._transport.save(url, target, query, on_received)

    def use_subset(self, subset_id: int | None) -> Project:
        """Train the rounds to come on a subset of the labels; nothing is deleted.

        Args:
            subset_id: The subset; all labels count again if None.

        Returns:
            The changed project.
        """
        return self.update(settings={"subset": subset_id})

    def selection(self, job_id: int) -> SelectionClient:
        """What a job has chosen among instructions.

        Args:
            job_id: A job ``select_instructions``.
        """
        return SelectionClient(self._transport, f"{self._path}/jobs/{job_id}/selection")

    def selections(self) -> Listing[Selection]:
        """What jobs have chosen among instructions, the newest first, each asked for in turn."""
        return Listing("selections", SELECTIONS, self._selections)

    def _selections(self) -> Iterator[Selection]:
        query = {"project_id": self.id, "kind": "select_instructions", "state": "succeeded"}
        for job in self._transport.pages("/jobs", query):
            if not job["dry_run"]:
                yield self.selection(job["id"]).get()

    def reviews(self) -> list[Review]:
        """Disagreements of annotators, if any; then reviews of suggested labels, newest first."""
        return list(self._transport.pages(f"{self._path}/reviews"))

    def review(self, job_id: int) -> ReviewClient:
        """The review of what one job suggested.

        Args:
            job_id: A job ``relabel``.
        """
        return ReviewClient(self._transport, f"{self._path}/reviews/{job_id}")

    def disagreements(self) -> ReviewClient:
        """The review of images on which verdicts contradict each other."""
        return ReviewClient(self._transport, f"{self._path}/reviews/disagreements")

    def agreement(self) -> Agreement:
        """How far those agree who have judged the same images."""
        found: Agreement = self._transport.request("GET", f"{self._path}/agreement")
        return found

    def _do(self, verb: str) -> Project:
        project: Project = self._transport.request("POST", f"{self._path}/{verb}")
        return project
