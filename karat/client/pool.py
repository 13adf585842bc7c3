"""The client's part for the images of one project."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from karat.client.arguments import listed
from karat.client.contents import ContentsClient
from karat.client.filters import Sort, Which
from karat.client.labeling_types import ShownField
from karat.client.notebook import EXAMPLES, Listing
from karat.client.pool_types import (
    Changed,
    Count,
    DuplicateGroup,
    Example,
    FieldValues,
    Filters,
    Judged,
    LookAlike,
)
from karat.client.resources import Class, FolderChoice, Job, Split, Verdict
from karat.client.transport import Transport
from karat.client.uploads import upload
from karat.client.withdrawals import WithdrawalsClient


class Neighbour(Example):
    """An image beside another; ``similarity`` is their cosine similarity, -1..1."""


class PoolClient(ContentsClient):
    """The images of a project: find them, and act on many at once; ``ProjectClient.pool``.

    What is acted on is a list of at most 10,000 ids, or filters that match no more.
    """

    def __init__(self, transport: Transport, path: str) -> None:
        """Name the pool.

        Args:
            transport: The client's connection.
            path: Of the project, below the API.
        """
        self._transport = transport
        self._imports = f"{path}/imports"
        self._path = f"{path}/examples"
        self._duplicates = f"{path}/duplicates"
        self._project = path.rpartition("/")[2]
        self._withdrawals = f"{path}/withdrawals"

    def __repr__(self) -> str:
        """Of which project, and how to see the examples."""
        return f"<Pool of project {self._project}: find(…) lists its examples>"

    @property
    def withdrawals(self) -> WithdrawalsClient:
        """Examples that were taken out of the project for good, and what takes out more."""
        return WithdrawalsClient(self._transport, self._withdrawals)

    def add(
        self,
        location: str,
        *,
        include: Sequence[str] = (),
        table: str | Path | None = None,
        split: Split = "pool",
        key_column: str | None = None,
        label_column: str | None = None,
        split_column: str | None = None,
        annotation_columns: Sequence[str] = (),
        folder_split: Mapping[str, FolderChoice] | None = None,
        count_from: Literal[0, 1] | None = None,
        dry_run: bool = False,
    ) -> Job:
        """Take in images that stay where they are; Karat reads each once and keeps no copy.

        Doing it again adds nothing twice, and follows images that were moved.

        Args:
            location: ``s3://bucket/folder``, or ``file:///folder`` of the server; the operator
                allows it with ``KARAT_IMPORT_LOCATIONS``.
            include: Patterns of paths below it, such as ``*/2024/*.jpg``; without any, what is
                called like an image. None with a table.
            table: A CSV, JSONL or Parquet file that names the images instead: a file here, as a
                ``Path``, or one below the location.
            split: What the images are for.
            key_column: The table's column with their paths; else ``key``, ``file`` and the like.
            label_column: The table's column with the class names.
            split_column: The table's column with the splits.
            annotation_columns: Columns of the table, or of ``metadata.csv``, whose labels become
                annotations.
            folder_split: What becomes of folders, or of values of the split column, by name.
            count_from: The number of the first class in columns of numbers that do not say it.
            dry_run: Store nothing, and plan the import, as ``ProjectClient.import_images`` does.

        Returns:
            The import's job, for ``Client.wait``.

        Raises:
            KaratError: The API refused, for example ``location_not_allowed``.
            TypeError: ``include`` or ``annotation_columns`` is a string.
            ValueError: ``include`` is given with a table.
        """
        asked = {
            "location": location,
            "split": split,
            "key_column": key_column,
            "label_column": label_column,
            "split_column": split_column,
            "count_from": count_from,
        }
        columns = listed(annotation_columns, "annotation_columns")
        patterns = listed(include, "include")
        if table is not None and patterns:
            raise ValueError("A table names the images; leave include out.")
        job: Job
        if isinstance(table, Path):
            sent = upload(table)
            choices = [f"{name}={choice}" for name, choice in (folder_split or {}).items()]
            query = {
                **asked,
                "filename": sent.filename,
                "annotation_column": columns,
                "folder_split": choices,
                "dry_run": dry_run,
            }
            job = self._transport.request("POST", self._imports, query=query, content=sent.chunks)
        else:
            body = {
                **asked,
                "include": patterns,
                "table": table,
                "annotation_columns": columns,
                "folder_split": dict(folder_split or {}),
            }
            path = f"{self._imports}/bucket"
            job = self._transport.request("POST", path, query={"dry_run": dry_run}, body=body)
        return job

    def find(
        self, filters: Filters | None = None, *, sort: Sort = "pool_index"
    ) -> Listing[Example]:
        """Images that match, page by page; a notebook shows the first as a table.

        Args:
            filters: What they have to be; all images of the pool if None.
            sort: Their order; a minus puts the highest first.
        """
        return Listing("examples", EXAMPLES, lambda: self._pages(filters, sort))

    def _pages(self, filters: Filters | None, sort: Sort) -> Iterator[Example]:
        """What ``find`` lists, from the beginning."""
        query: dict[str, Any] = {**(filters or {}), "sort": sort, "limit": 500}
        while True:
            page = self._transport.request("GET", self._path, query=query)
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            # A round may end meanwhile; all pages are ordered by the scores of the first.
            query |= {"cursor": page["next_cursor"], "round": page["scores_round"]}

    def count(self, filters: Filters | None = None) -> Count:
        """How many images match.

        Args:
            filters: What they have to be; all images of the pool if None.
        """
        query = {**(filters or {})}
        found: Count = self._transport.request("GET", f"{self._path}/count", query=query)
        return found

    def show(self, example_id: int) -> dict[str, Any]:
        """One image with its scores, ``annotations`` and ``places`` in rounds.

        Args:
            example_id: The image.
        """
        found: dict[str, Any] = self._transport.request("GET", f"{self._path}/{example_id}")
        return found

    def neighbours(self, example_id: int, limit: int = 24) -> list[Neighbour]:
        """The most similar images, the nearest first.

        Args:
            example_id: The image.
            limit: How many, up to 100.
        """
        found = self._transport.request(
            "GET", f"{self._path}/{example_id}/neighbours", query={"limit": limit}
        )
        items: list[Neighbour] = found["items"]
        return items

    def fields(self) -> list[ShownField]:
        """What came with 1,000 examples, spread over the project, each with one of its values.

        Those that ``shown_fields`` of the settings names, annotators see.
        """
        found = self._transport.request("GET", f"{self._path}/fields")
        items: list[ShownField] = found["items"]
        return items

    def field_values(self, name: str, filters: Filters | None = None) -> FieldValues:
        """The values of a field, and how many images have each; of up to 50 different ones.

        Args:
            name: Of the field.
            filters: Which images are looked at; what they ask of the field itself is left out.
        """
        query = {**(filters or {}), "of": name}
        found: FieldValues = self._transport.request(
            "GET", f"{self._path}/fields/values", query=query
        )
        return found

    def look_alikes(self) -> list[LookAlike]:
        """Groups of OOD images that look like a class, the largest first.

        A group is all that the filters ``state="ood"``, ``similar_to`` its ``example_ids`` and
        ``similarity_min`` find; ``promote`` makes a class of it.
        """
        found = self._transport.request("GET", f"{self._path}/look-alikes")
        items: list[LookAlike] = found["items"]
        return items

    def look_at(self, example_id: int, class_id: int | None = None) -> Job:
        """Have a worker show where on an image the last round's model sees a class.

        Args:
            example_id: The image.
            class_id: The class; the one that the model says if left out.

        Returns:
            The job; once it has succeeded, its ``result`` holds the ``map``, and the ``box`` around
            what stands out.
        """
        path = f"{self._path}/{example_id}/look-at"
        job: Job = self._transport.request("POST", path, body={"class_id": class_id})
        return job

    def look_up(self, file: str | Path | None = None, *, text: str | None = None) -> Job:
        """Have a worker look at an example that is not in the pool, to find what is like it.

        Args:
            file: An image, or of a project of texts a file of text.
            text: The text itself, in place of a file.

        Returns:
            The job; once it has succeeded, its number is the filter ``similar_file``.

        Raises:
            TypeError: Neither a file nor a text is given, or both.
        """
        if (file is None) == (text is None):
            raise TypeError("Give a file, or a text.")
        content = (text or "").encode()
        chunks = upload(Path(file)).chunks if file is not None else lambda: iter([content])
        path = f"{self._path}/look-up"
        job: Job = self._transport.request("POST", path, content=chunks)
        return job

    def find_by_words(self, words: str) -> Job:
        """Look for images that show what words say, in a project of images.

        Args:
            words: As one would write below a picture.

        Returns:
            The job; once it has succeeded, its number is the filter ``similar_file``.

        Raises:
            KaratError: ``no_caption_weights``, no admin has uploaded weights that understand words.
        """
        path = f"{self._path}/by-words"
        job: Job = self._transport.request("POST", path, body={"words": words})
        return job

    def duplicates(self, which: Which = "all") -> Iterator[DuplicateGroup]:
        """Groups of images that show the same picture, as the last job ``compare`` has found them.

        Args:
            which: All; those both of the pool and to evaluate on; those whose verdicts contradict
                each other.

        Yields:
            The groups, the largest first.
        """
        query: dict[str, Any] = {"which": which, "limit": 100}
        while True:
            page = self._transport.request("GET", self._duplicates, query=query)
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query |= {"cursor": page["next_cursor"]}

    def hold_copies(self, groups: Sequence[int] | None = None, *, which: Which = "all") -> Changed:
        """Keep one image of each group, and hold its unlabeled copies in the pool out.

        Args:
            groups: Ids of groups; all if None.
            which: Of these, only groups of this kind.
        """
        wanted = None if groups is None else listed(groups, "groups")
        changed: Changed = self._transport.request(
            "POST", f"{self._duplicates}/hold-out", body={"groups": wanted, "which": which}
        )
        return changed

    def judge(
        self,
        verdict: Verdict,
        which: Sequence[int] | Filters,
        *,
        class_id: int | None = None,
        label: dict[str, Any] | None = None,
        undoes: str | None = None,
        note: str | None = None,
    ) -> Judged:
        """Give images a verdict that settles them; ``skip`` takes yours of this kind back.

        Args:
            verdict: What they are.
            which: Ids, or filters.
            class_id: With the verdict ``label`` in projects of classes.
            label: With it in others: ``{"type": "boxes", "boxes": []}`` says *no objects*.
            undoes: With ``skip``, the ``call`` of an earlier answer: only what that has said is
                taken back, and what you had said before counts again.
            note: Plain text beside the verdict on each, at most 500 characters.
        """
        body = {**_selection(which), "verdict": verdict, "class_id": class_id}
        if label is not None:
            body["label"] = label
        if undoes is not None:
            body["undoes"] = undoes
        if note is not None:
            body["note"] = note
        changed: Judged = self._transport.request("POST", f"{self._path}/verdict", body=body)
        return changed

    def queue(self, which: Sequence[int] | Filters) -> Changed:
        """Send images to the head of the open round's queue.

        Where one has a verdict, the next answer replaces it.

        Args:
            which: Ids, or filters.
        """
        return self._act("queue", which)

    def unqueue(self, which: Sequence[int] | Filters) -> Changed:
        """Take back what was sent to the queue and has not been looked at.

        Args:
            which: Ids, or filters.
        """
        return self._act("unqueue", which)

    def hold_out(self, which: Sequence[int] | Filters) -> Changed:
        """Leave unlabeled images out of all rounds to come.

        Args:
            which: Ids, or filters.
        """
        return self._act("hold-out", which)

    def release(self, which: Sequence[int] | Filters) -> Changed:
        """Give images that were held out back to the pool.

        Args:
            which: Ids, or filters.
        """
        return self._act("release", which)

    def promote(self, name: str, which: Sequence[int] | Filters) -> Class:
        """Make a class for a group of OOD images, and ask about them again.

        Args:
            name: Of the class.
            which: Ids, or filters.

        Returns:
            The class.
        """
        body = {**_selection(which), "name": name}
        found = self._transport.request("POST", f"{self._path}/promote", body=body)
        made: Class = found["class"]
        return made

    def _act(self, verb: str, which: Sequence[int] | Filters) -> Changed:
        changed: Changed = self._transport.request(
            "POST", f"{self._path}/{verb}", body=_selection(which)
        )
        return changed


def _selection(which: Sequence[int] | Filters) -> dict[str, Any]:
    return {"filters": which} if isinstance(which, dict) else {"ids": listed(which, "which")}
