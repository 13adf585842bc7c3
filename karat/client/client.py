"""The Python client: what programs need of the HTTP API, with retries and types.

Example::

    from karat import Client

    karat = Client("http://127.0.0.1:8080", token="karat_…")
    digits = karat.create_project("Digits", ["zero", "one"])
    karat.wait(digits.import_images("pool.zip"))
    digits.start()
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from karat.client import credentials
from karat.client.accounts import AccountsClient
from karat.client.arguments import class_spec, listed, numbered
from karat.client.judges import JudgesClient
from karat.client.naming import named
from karat.client.notebook import ALGORITHMS, JOBS, Listing, Rows, project_columns
from karat.client.pauses import paused_words
from karat.client.project import ProjectClient
from karat.client.resources import Algorithm, ClassSpec, Job, JobState, Medium, ProjectListed
from karat.client.task_types import FIRST, known_task
from karat.client.transport import KaratError, Transport
from karat.client.waiting import waited
from karat.client.webhook import WebhooksClient
from karat.client.weights import WeightsClient

_ENDED = {"succeeded", "failed", "cancelled", "paused"}
_LOG_SECONDS = 1.0


class Client(AccountsClient):
    """A connection to Karat, safe to share between threads.

    Requests are tried again while Karat cannot be reached or is busy. That never does a thing
    twice: what may have been done is repeated only where the API knows repetitions.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        retry_seconds: float = 30.0,
        connect_seconds: float | None = None,
        answer_seconds: float = 600.0,
    ) -> None:
        """Prepare a connection.

        Args:
            url: Where Karat is; the one of ``KARAT_URL`` or the last ``karat login`` if None.
            token: API token; that of ``KARAT_TOKEN`` or the last ``karat login`` to ``url`` if
                None. Without any, call ``login``.
            retry_seconds: How long to try again while Karat cannot be reached or is busy.
            connect_seconds: The same, before Karat was ever reached; ``retry_seconds`` if None.
            answer_seconds: How long to wait for an answer; a large snapshot takes minutes.

        Raises:
            ValueError: ``url`` is no address.
        """
        found = credentials.find(url, token)
        first = retry_seconds if connect_seconds is None else connect_seconds
        super().__init__(Transport(found.url, found.token, retry_seconds, first, answer_seconds))

    def __repr__(self) -> str:
        """Where Karat is."""
        return f"<Karat at {self.url}>"

    @property
    def url(self) -> str:
        """Where Karat is."""
        return self._transport.url

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        self.close()

    def version(self) -> str:
        """The version of the server."""
        return str(self._transport.request("GET", "/version")["version"])

    def projects(self) -> Rows[ProjectListed]:
        """The projects the user may see; a notebook shows them as a table."""
        found = list(self._transport.pages("/projects"))
        return Rows(project_columns(found), found)

    def project(self, project: int | str) -> ProjectClient:
        """What can be done in one project.

        Args:
            project: Its number; or as a string its name or its number, with ``name:`` or
                ``number:`` before it where both fit.

        Returns:
            The project's part of the client.

        Raises:
            KaratError: No project that the user may see has this name or number
                (``project_not_found``, ``not_found``), or one has this number and another this
                name (``ambiguous_project``).
        """
        if isinstance(project, str):
            known = self.projects()
            number = named(project, known, "project", "that you may see")
            name = next(one["name"] for one in known if one["id"] == number)
        else:
            # At the call, and not at the first thing that is done with it.
            number, name = project, ProjectClient(self._transport, project).get()["name"]
        return ProjectClient(self._transport, number, name)

    def create_project(
        self,
        name: str,
        classes: Sequence[str | ClassSpec] = (),
        *,
        medium: Medium | None = None,
        task: str = FIRST,
        guidelines: str = "",
        settings: dict[str, Any] | None = None,
        from_project: int | None = None,
        exist_ok: bool = False,
    ) -> ProjectClient:
        """Make a project; for admins and engineers, who become members of it.

        Args:
            name: Its name, which no other project has.
            classes: Names of the classes, or dictionaries with colour and hotkey; none for
                ``instructions``.
            medium: What its examples are: ``image`` or ``text``; None: images, and texts for
                ``instructions``. It stays so.
            task: What a label is: ``classification``, ``boxes``, ``instructions`` (rankings of rows
                of instruction data), or a type that a package on the server brings. It stays so.
            guidelines: What annotators should know.
            settings: What differs from ``default_settings``.
            from_project: Id of a project of another task whose pool is taken over, in a job that
                begins at once; without ``classes`` its classes are, too.
            exist_ok: Take the project of this name that is there, as it is, with its own classes
                and settings; so a script can be run again.

        Returns:
            The project's part of the client.

        Raises:
            KaratError: ``name_taken``; with ``exist_ok`` only by a project of another medium or
                task, or one that the user may not see.
            TypeError: ``classes`` is a string.
            ValueError: A class has an empty name.
        """
        body: dict[str, Any] = {
            "name": name,
            "medium": medium or known_task(task).medium,
            "guidelines": guidelines,
            "classes": [class_spec(one) for one in listed(classes, "classes")],
            "settings": settings or {},
        }
        if task != FIRST:
            body["task"] = task
        if from_project is not None:
            body["from_project"] = from_project
        try:
            project = self._transport.request("POST", "/projects", body=body)
        except KaratError as error:
            if error.code != "name_taken":
                raise
            if not exist_ok:
                error.add_note(f"To work in that one: project({name!r}), or pass exist_ok=True.")
                raise
            like = {"name": name.strip(), "medium": body["medium"], "task": task}
            there = [one for one in self.projects() if like.items() <= one.items()]
            if not there:
                raise
            project = there[0]
        return ProjectClient(self._transport, project["id"], project["name"])

    def default_settings(
        self,
        goal: str = "best_model",
        medium: Medium = "image",
        task: str = FIRST,
    ) -> dict[str, Any]:
        """The settings of a new project that is after the ``best_model``, or to ``find_all``."""
        query = {"goal": goal, "medium": medium}
        if task != FIRST:
            query["task"] = task
        settings: dict[str, Any] = self._transport.request("GET", "/settings/defaults", query=query)
        return settings

    def algorithms(self, kind: str | None = None) -> Rows[Algorithm]:
        """The catalog: models, scores, strategies, pruning methods and jobs.

        Args:
            kind: Only this kind: ``model``, ``strategy``, ``purity``, ``informativeness``,
                ``pruning``, ``learner``, ``instruction_selection`` or ``job``.

        Raises:
            ValueError: There is no such kind; the message names those there are.
        """
        every = list(self._transport.pages("/algorithms"))
        kinds = list(dict.fromkeys(one["kind"] for one in every))
        if kind is not None and kind not in kinds:
            raise ValueError(f"There is no kind {kind!r} of algorithms; known: {', '.join(kinds)}.")
        found = [one for one in every if kind in (None, one["kind"])]
        return Rows(ALGORITHMS, found, widest=200, first=len(found))

    def jobs(
        self,
        *,
        project_id: int | None = None,
        kind: str | None = None,
        state: JobState | None = None,
    ) -> Listing[Job]:
        """Jobs, the latest first, got page by page; a notebook shows the first as a table.

        Args:
            project_id: Only this project's.
            kind: Only this kind: ``import_pool``, ``advance_round``, or one of the catalog.
            state: Only those in this state.

        Returns:
            The jobs: iterate, or make a list of them.
        """
        query = {"project_id": project_id, "kind": kind, "state": state}
        return Listing("jobs", JOBS, lambda: self._transport.pages("/jobs", query))

    def job(self, job_id: int) -> Job:
        """A job.

        Args:
            job_id: The job.
        """
        job: Job = self._transport.request("GET", f"/jobs/{job_id}")
        return job

    def job_log(self, job_id: int, after: int = 0) -> str:
        """What a job has said of itself, over all attempts: an event a line, with its time in UTC.

        Args:
            job_id: The job.
            after: Leaves out so many bytes, which the caller has already.
        """
        return self._transport.text(f"/jobs/{job_id}/log", {"after": after})

    def follow_log(self, job_id: int) -> Iterator[str]:
        """The log of a job, and what is added to it until the job ends or is paused.

        Args:
            job_id: The job.

        Yields:
            Whole lines, one or more at a time, each with its line end.
        """
        known = 0
        while True:
            ended = self.job(job_id)["state"] in _ENDED
            if lines := self.job_log(job_id, known):
                known += len(lines.encode())
                yield lines
            if ended:
                return
            time.sleep(_LOG_SECONDS)

    def cancel_job(self, job_id: int) -> Job:
        """Ask a job to stop; a running one does so at its next step.

        Args:
            job_id: The job.

        Returns:
            The job.
        """
        job: Job = self._transport.request("POST", f"/jobs/{job_id}/cancel", repeatable=True)
        return job

    def retry_job(self, job_id: int) -> Job:
        """Run a failed or cancelled job again, from its last checkpoint.

        Args:
            job_id: The job.

        Returns:
            The job.
        """
        job: Job = self._transport.request("POST", f"/jobs/{job_id}/retry")
        return job

    def resume_job(
        self, job_id: int, *, spend_at_most: float | None = None, finish: bool = False
    ) -> Job:
        """Have a paused job go on where it was; its ``pause`` says how far it is.

        Args:
            job_id: The job.
            spend_at_most: What it may spend in all from now on, more than it has.
            finish: Ask nothing more, and end with what is there; the rest is unranked.

        Returns:
            The job.

        Raises:
            KaratError: ``job_not_paused``, ``cap_too_low``, ``nothing_to_finish_with``,
                ``job_active``.
        """
        body: dict[str, Any] = {"finish": True} if finish else {}
        body |= {} if spend_at_most is None else {"spend_at_most": spend_at_most}
        job: Job = self._transport.request("POST", f"/jobs/{job_id}/resume", body=body)
        return job

    def wait(
        self,
        job: int | Job,
        on_progress: Callable[[Job], None] | None = None,
        *,
        timeout: float | None = None,
    ) -> Job:
        """Wait for a job to end.

        Args:
            job: The job, or its number.
            on_progress: Called with the job each time it is looked at.
            timeout: Seconds to wait at most; unlimited if None.

        Returns:
            The job, which succeeded.

        Raises:
            KaratError: It failed (with the job's error code), was cancelled (``job_cancelled``),
                waits for somebody to decide (``job_paused``) or took too long (``timeout``).
            TypeError: ``job`` is something else, such as a round: its job is ``one["job_id"]``.
        """
        job_id = numbered(job)

        def look() -> Job:
            now = self.job(job_id)
            if on_progress is not None:
                on_progress(now)
            return now

        now = waited(
            look,
            lambda now: now["state"] in _ENDED,
            lambda _: f"Job {job_id} took longer than {timeout:g} s.",
            timeout=timeout,
            interval=1.0,
        )
        if (paused := now["pause"]) is not None:
            raise KaratError("job_paused", f"Job {job_id} is paused: {paused_words(paused)}")
        if now["state"] == "cancelled":
            raise KaratError("job_cancelled", f"Job {job_id} was cancelled.")
        if now["state"] == "failed":
            error = now["error"] or {"code": "job_failed", "detail": now["message"] or ""}
            raise KaratError(error["code"], f"Job {job_id} failed: {error['detail']}")
        return now

    @property
    def webhooks(self) -> WebhooksClient:
        """Addresses that are told what happens in all projects; for admins."""
        return WebhooksClient(self._transport, "/admin/webhooks")

    @property
    def weights(self) -> WeightsClient:
        """Weights that projects start from instead of published ones."""
        return WeightsClient(self._transport)

    @property
    def judges(self) -> JudgesClient:
        """Models behind an address that rank instructions."""
        return JudgesClient(self._transport)

    def download_artifact(self, artifact_id: int, path: str | Path) -> Path:
        """Save a file that a job made.

        Args:
            artifact_id: The artifact.
            path: Where to save it; what is there is replaced.

        Returns:
            ``path``.
        """
        return self._transport.save(f"/artifacts/{artifact_id}/content", Path(path))
