"""The client's part for what goes into a project, and what comes out of it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from core.files.local_folder import LeftOut
from karat.client.arguments import BY_ENDING, format_by_ending, listed
from karat.client.findings import ExportedClass
from karat.client.notebook import JOBS, Rows
from karat.client.pool_types import Filters, ImportedPredictions
from karat.client.resources import ExportFormat, ExportFormatInfo, FolderChoice, Job, Split
from karat.client.task_types import known_task
from karat.client.transport import Transport
from karat.client.uploads import upload, warn_left_out


class TransferClient:
    """Imports and exports; part of ``ProjectClient``."""

    _transport: Transport
    _path: str

    def import_images(
        self,
        path: str | Path,
        *,
        split: Split = "pool",
        image_column: str | None = None,
        text_column: str | None = None,
        label_column: str | None = None,
        split_column: str | None = None,
        annotation_columns: Sequence[str] = (),
        key_column: str | None = None,
        predictions: str | None = None,
        probability_column: str | None = None,
        folder_split: Mapping[str, FolderChoice] | None = None,
        count_from: Literal[0, 1] | None = None,
        dry_run: bool = False,
        on_sent: Callable[[int, int], None] | None = None,
        on_left_out: LeftOut = warn_left_out,
    ) -> Job:
        """Send images or texts, labels or both; a worker takes them in.

        Sending the same again adds nothing twice.

        Args:
            path: A folder (zipped on the way), a zip or tar, a Parquet file, one image; or labels
                for images that are there: CSV, TSV, JSON Lines, or JSON of Label Studio or COCO.
                What was exported as any of them needs no column named. Texts: CSV, TSV, JSON, JSON
                Lines (of doccano, too), JSON of Label Studio, Parquet, or .txt and .md files,
                alone, in a folder, zip or tar. Instruction data: JSON Lines, JSON, CSV or Parquet
                with the columns of Alpaca, of chats (``messages``), or of ShareGPT
                (``conversations``). Each file may be compressed: .gz, .bz2, .xz.
            split: What the images are for that say no split themselves.
            image_column: The Parquet column with the image bytes.
            text_column: The column with the texts, where several could be meant.
            label_column: The Parquet column with the class names.
            split_column: The Parquet column with the splits.
            annotation_columns: Columns of the CSV, the Parquet file or the metadata whose labels
                become annotations: a class by name or number, ``ood``, ``unsure``, ``skip``, or
                nothing.
            key_column: The column that says which image a row is about, where none comes with it;
                else ``example_id``, ``sha256`` or a name like ``file``.
            predictions: A model's name: the file brings what that predicts, to be suggested to
                annotators, and no labels. Boxes as their format has them, with scores; classes in
                the one column that ``annotation_columns`` names.
            probability_column: The column that says how sure the model is of the class.
            folder_split: What becomes of folders, or of values of the split column, by name, where
                the name does not say it: a split, ``leave_out``, or ``class``.
            count_from: The number of the first class in columns of numbers. Where they have a 0,
                and none beyond the last class, they say it themselves.
            dry_run: Store nothing, and plan the import: the job's ``result`` is an ``ImportPlan``,
                for ``start_import`` or ``discard_import``.
            on_sent: Called with the bytes sent and the bytes in all.
            on_left_out: Called with each file of a folder that cannot be sent, and the reason; a
                warning if left out. Hidden files are passed over.

        Returns:
            The import's job, for ``Client.wait``.

        Raises:
            FileNotFoundError: There is nothing at ``path`` that could be sent.
            TypeError: ``annotation_columns`` is a string.
            KaratError: The API refused.
        """
        columns = listed(annotation_columns, "annotation_columns")
        what = upload(Path(path), on_left_out)
        query = {
            "filename": what.filename,
            "split": split,
            "image_column": image_column,
            "text_column": text_column,
            "label_column": label_column,
            "split_column": split_column,
            "annotation_column": columns,
            "key_column": key_column,
            "predictions": predictions,
            "probability_column": probability_column,
            "packed": what.packed,
            "folder_split": [f"{name}={choice}" for name, choice in (folder_split or {}).items()],
            "count_from": count_from,
            "dry_run": dry_run,
        }
        content = partial(what.counted, on_sent)
        job: Job = self._transport.request(
            "POST", f"{self._path}/imports", query=query, content=content
        )
        return job

    def start_import(
        self,
        job_id: int,
        *,
        split: Split | None = None,
        image_column: str | None = None,
        text_column: str | None = None,
        label_column: str | None = None,
        split_column: str | None = None,
        annotation_columns: Sequence[str] | None = None,
        key_column: str | None = None,
        predictions: str | None = None,
        probability_column: str | None = None,
        folder_split: Mapping[str, FolderChoice] | None = None,
        count_from: Literal[0, 1] | None = None,
        dry_run: bool = False,
    ) -> Job:
        """Start a planned import, or plan it anew, from what was sent for its plan.

        Arguments that are left out stay as planned; ``import_images`` says what they mean.

        Args:
            job_id: The plan's job, which has succeeded; with ``dry_run`` also one that failed, as
                where a column was missing.
            split: What the images are for that say no split themselves.
            image_column: The Parquet column with the image bytes.
            text_column: The column with the texts.
            label_column: The Parquet column with the class names.
            split_column: The Parquet column with the splits.
            annotation_columns: Columns whose labels become annotations.
            key_column: The column that says which image a row is about.
            predictions: The model whose predictions it brings; empty for labels.
            probability_column: The column that says how sure the model is of the class.
            folder_split: What becomes of folders, or of values of the split column, by name; those
                that are not named stay as planned.
            count_from: The number of the first class in columns of numbers.
            dry_run: Store nothing, and plan the import anew.

        Returns:
            The job of the import, or of the new plan, for ``Client.wait``.

        Raises:
            KaratError: The API refused, for example ``plan_expired`` after 24 hours, or
                ``plan_not_ready`` of a plan that failed.
        """
        columns: list[str] | None = None
        if annotation_columns is not None:
            columns = listed(annotation_columns, "annotation_columns")
        body = {
            "split": split,
            "image_column": image_column,
            "text_column": text_column,
            "label_column": label_column,
            "split_column": split_column,
            "annotation_columns": columns,
            "key_column": key_column,
            "predictions": predictions,
            "probability_column": probability_column,
            "folder_split": dict(folder_split or {}),
            "count_from": count_from,
            "dry_run": dry_run,
        }
        path = f"{self._path}/imports/{job_id}/start"
        job: Job = self._transport.request("POST", path, body=body)
        return job

    def discard_import(self, job_id: int) -> None:
        """Forget a planned import, and remove what was sent for it.

        Args:
            job_id: The plan's job.
        """
        self._transport.request("DELETE", f"{self._path}/imports/{job_id}")

    def imports(self) -> Rows[Job]:
        """The imports so far, and plans that wait; a notebook shows them as a table."""
        return Rows(JOBS, self._transport.pages(f"{self._path}/imports"))

    def predictions(self) -> list[ImportedPredictions]:
        """Models whose predictions were imported, that which came last first: it is suggested."""
        found: list[ImportedPredictions] = self._transport.request(
            "GET", f"{self._path}/predictions"
        )["items"]
        return found

    def remove_predictions(self, model: str) -> int:
        """Suggest nothing of a model any more; what was answered with its suggestions stays.

        Args:
            model: Its name.

        Returns:
            Of how many images, or texts, its predictions were removed.
        """
        removed: int = self._transport.request(
            "DELETE", f"{self._path}/predictions", query={"model": model}
        )["removed"]
        return removed

    def import_report(self, job_id: int, path: str | Path) -> Path:
        """Save what became of each file of an import, as CSV.

        Args:
            job_id: The import's job.
            path: Where to save it; what is there is replaced.

        Returns:
            ``path``.
        """
        return self._transport.save(f"{self._path}/imports/{job_id}/report.csv", Path(path))

    def exported_classes(self) -> list[ExportedClass]:
        """The numbers and folders of the classes in exports, and how many images show each."""
        found: list[ExportedClass] = self._transport.request("GET", f"{self._path}/export/classes")[
            "items"
        ]
        return found

    def export_formats(self) -> list[ExportFormatInfo]:
        """The formats of ``export``; those that cannot hold the project's examples say why."""
        found: list[ExportFormatInfo] = self._transport.request(
            "GET", f"{self._path}/export/formats"
        )["items"]
        return found

    def export(
        self,
        path: str | Path,
        format: ExportFormat | None = None,
        *,
        effective: bool = False,
        unlabeled: bool = False,
        images: bool = True,
        bom: bool = False,
        snapshot: str | None = None,
        people_only: bool = False,
        after: int | None = None,
        filters: Filters | None = None,
        on_received: Callable[[int], None] | None = None,
    ) -> Path:
        """Save the annotations, or images with what is known of them; memory stays flat.

        Args:
            path: Where to save; what is there is replaced once the export is complete.
            format: ``csv`` or ``jsonl`` for annotations; ``imagefolder``, ``yolo``, ``coco`` or
                ``label_studio`` for a zip of images; ``parquet`` for a file as Hugging Face reads
                it. Texts leave in ``csv``, ``jsonl``, ``parquet``, ``label_studio`` and
                ``doccano``; boxes in ``csv``, ``jsonl``, ``parquet``, ``label_studio``, ``coco``,
                ``yolo``, ``voc`` and ``cvat``; instruction data in ``alpaca``, ``messages`` and
                ``parquet``, and what people said of it in ``rankings``, which alone
                ``import_images`` does not read. None: by the
                ending of ``path``, which is ``.csv``, ``.jsonl``, ``.parquet``, or ``.zip`` for
                ``imagefolder``; of instruction data ``.jsonl`` is ``alpaca``.
            effective: Whether ``csv`` and ``jsonl`` hold of each image only the one annotation
                that it counts as, instead of all that was said of it.
            unlabeled: Whether images go along that nobody has judged (not in ``imagefolder``).
            images: Whether ``coco`` and ``label_studio`` bring the images, or are JSON alone.
            bom: Whether ``csv`` begins with a byte order mark, so that Excel reads it as UTF-8.
            snapshot: Name of a snapshot: what everything counted as when it was taken; what it
                counts as now if None.
            people_only: Whether what models have labeled under certificates is left out.
            after: Only annotations above this ``annotation_id``, the last that you have; 0 to begin
                with.
            filters: What images have to be, as for ``pool.find``; all leave if None. The file says
                that it is a part, and by which filters, where its format has a place for that.
            on_received: Called with the bytes received so far.

        Returns:
            ``path``.

        Raises:
            ValueError: No format is named, and the ending tells none.
        """
        query = {
            "format": format or self._format_of(Path(path)),
            "effective": effective,
            "unlabeled": unlabeled,
            "images": images,
            "bom": bom,
            "snapshot": snapshot,
            "people_only": people_only,
            "after": after,
            **(filters or {}),
        }
        return self._transport.save(f"{self._path}/export", Path(path), query, on_received)

    def _format_of(self, path: Path) -> str:
        """The format that a file's ending tells; what is in JSON Lines depends on the project."""
        found = format_by_ending(path, BY_ENDING)
        if found != "jsonl":
            return found
        return known_task(self._transport.request("GET", self._path)["task"]).json_lines
