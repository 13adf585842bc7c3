"""JSON documents of other tools: which tool's, and what they say of which image."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from core.errors import DomainError
from workers.imports.formats import label_studio, labelme
from workers.imports.formats.boxes import labelme as shapes
from workers.imports.formats.boxes.coco import CocoBoxes
from workers.imports.formats.boxes.label_studio import fields_of as box_fields
from workers.imports.formats.coco import CocoIndex
from workers.imports.formats.json_stream import Readable, begun, elements
from workers.imports.formats.metadata import UNREAD, Metadata, Missing
from workers.imports.formats.said import drawn_on, predicted_on
from workers.imports.items import (
    Item,
    Reference,
    Refused,
    Source,
    invalid_archive,
    printable,
    reference,
    refused_item,
    short_name,
)
from workers.imports.matching import Unmatched
from workers.imports.stated import read_said_of
from workers.imports.values import Values

SUFFIX: Final = ".json"
_LOOKED_AT: Final = 1 << 20
_MARKED_AT: Final = 64
_COCO: Final = frozenset({"images", "annotations", "categories"})
_OF_TASKS: Final = frozenset((None, key) for key in ("annotations", "completions", "predictions"))


class Tool(Enum):
    """Whose document it is."""

    LABEL_STUDIO = "Label Studio"
    COCO = "COCO"
    RESULTS = "COCO results"
    LABELME = labelme.SOURCE


@dataclass(frozen=True, slots=True)
class Document:
    """A document of another tool.

    Attributes:
        name: Its path; paths in it are relative to its folder, or to any.
        tool: Whose it is.
        open: Opens it.
        below: Whether its folder has images, so that it speaks of those.
    """

    name: str
    tool: Tool
    open: Callable[[], BinaryIO]
    below: bool = False

    @property
    def folder(self) -> str:
        """Where it lies; empty at the top."""
        return self.name.rpartition("/")[0]


def whose(file: BinaryIO) -> Tool | Refused:
    """Tell by the beginning of a document whose it is, or why it is nobody's."""
    source = labelme.WithoutPictures(file)
    start, marks = _Beginning(source), labelme.Marks(source)
    try:
        for key, one in elements(start, "it"):
            if key is None:
                fields = one if isinstance(one, dict) else {}
                if isinstance(fields.get("data"), dict):
                    return Tool.LABEL_STUDIO
                is_result = fields.keys() >= {"image_id", "category_id", "score"}
                return Tool.RESULTS if is_result else _nobodys()
            if key in _COCO and isinstance(one, dict):
                return Tool.COCO
            if marks.tell(key, one):
                return Tool.LABELME
    except (DomainError, ValueError) as error:
        if start.left == 0:
            return _of_long(start.seen)
        return Refused(error.detail if isinstance(error, DomainError) else str(error))
    return Tool.LABELME if marks.are_all else _nobodys()


def _of_long(beginning: bytes) -> Tool | Refused:
    """Whose a document is, by what the element begins with that is longer than what was looked at.

    Label Studio writes what is annotated, such as masks, before the data that it is about.
    """
    for path, event in begun(BytesIO(beginning)):
        is_list, is_object = event == "start_array", event == "start_map"
        if (path == (None, "data") and is_object) or (path in _OF_TASKS and is_list):
            return Tool.LABEL_STUDIO
        if len(path) == 2 and path[0] in _COCO and path[1] is None and is_object:
            return Tool.COCO
        if path == (labelme.SHAPES, None, "points") and is_list:
            return Tool.LABELME
    return _nobodys()


class _Beginning:
    """The first bytes of a file, as they are asked for."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._blocks: list[bytes] = []
        self.left = _LOOKED_AT

    @property
    def seen(self) -> bytes:
        """All that was read."""
        return b"".join(self._blocks)

    def read(self, size: int = -1, /) -> bytes:
        is_first = self.left == _LOOKED_AT
        block = self._file.read(min(size, self.left))
        self.left -= len(block)
        self._blocks.append(block)
        if is_first and b"\0" in block[:_MARKED_AT]:
            raise invalid_archive("it cannot be read as JSON: it is UTF-16. Save it as UTF-8")
        return block


def _nobodys() -> Refused:
    return Refused(
        "neither Label Studio's JSON (export as JSON, not as JSON-MIN) nor COCO's or LabelMe's: it "
        "says nothing of the images"
    )


def read_documents(
    documents: Iterable[Document],
    metadata: Metadata,
    work: Path,
    *,
    boxes: bool = False,
    of_model: bool = False,
) -> list[DomainError]:
    """Index what documents say; one that cannot be read becomes a problem, and costs no other.

    Captions, and joints of bodies beside other documents, say nothing of classes.

    Args:
        documents: All that come together.
        metadata: The index.
        work: For what is needed on the way.
        boxes: Whether labels are boxes, and not classes.
        of_model: Whether what is said is a model's: of tasks it is what they predict, and a
            document beside results is only their key.

    Returns:
        Why documents could not be read to their end.
    """
    broken: list[DomainError] = []
    read: list[tuple[Document, CocoIndex]] = []
    results: list[Document] = []
    try:
        for document in documents:
            try:
                if document.tool is Tool.RESULTS:
                    results.append(document)
                elif document.tool is Tool.LABEL_STUDIO:
                    _read_tasks(document, metadata, boxes=boxes, of_model=of_model)
                elif document.tool is Tool.LABELME:
                    _read_labelme(document, metadata, boxes=boxes)
                else:
                    kind = CocoBoxes if boxes else CocoIndex
                    index = kind(work / f"coco-{len(read)}.sqlite", document.name)
                    read.append((document, index))
                    with document.open() as file:
                        index.add(elements(file, document.name))
            except DomainError as error:
                if read and read[-1][0] is document:
                    read.pop()[1].close()
                metadata.problem(document.name, error.detail)
                broken.append(error)
        broken += _read_results(results, [one for _, one in read], metadata, of_model=of_model)
        others = any(one.has_categories and not one.names_keypoints for _, one in read)
        for document, index in read:
            if index.names_keypoints and others:
                reason = "keypoints beside other annotations are left aside"
                metadata.problem(document.name, reason)
                continue
            for problem in index.problems():
                metadata.problem(*problem)
            metadata.add_document(document.folder, index.rows(), below=document.below)
            metadata.list_classes(index.class_names)
    finally:
        for _, index in read:
            index.close()
    return broken


def _read_results(
    results: Iterable[Document], indices: Sequence[CocoIndex], metadata: Metadata, *, of_model: bool
) -> Iterator[DomainError]:
    """Add results to the one document whose images and categories they count."""
    for document in results:
        try:
            if len(indices) != 1:
                raise invalid_archive(
                    f"{printable(document.name)} holds results, which only count images and "
                    "categories: send it in a zip with the one document of COCO that has them "
                    f"(there are {len(indices)})."
                )
            (index,) = indices
            if not isinstance(index, CocoBoxes):
                raise invalid_archive(
                    f"{printable(document.name)} holds boxes, and the labels of the project are "
                    "classes."
                )
            index.is_key |= of_model
            with document.open() as file:
                model = PurePosixPath(printable(document.name)).stem
                index.add_results(elements(file, document.name), model)
        except DomainError as error:
            metadata.problem(document.name, error.detail)
            yield error


def _read_tasks(document: Document, metadata: Metadata, *, boxes: bool, of_model: bool) -> None:
    fields = partial(box_fields, name=printable(document.name)) if boxes else None
    with document.open() as file:
        tasks = (one for _, one in elements(file, document.name))
        rows = label_studio.rows(tasks, document.name, metadata.problem, fields, of_model=of_model)
        metadata.add_document(document.folder, rows, below=document.below)


def _read_labelme(document: Document, metadata: Metadata, *, boxes: bool) -> None:
    read: labelme.Read = shapes.read if boxes else labelme.read
    with document.open() as file:
        found = read(file, document.name)
    if isinstance(found, Refused):
        metadata.problem(document.name, found.reason)
    elif found.fields is None:
        metadata.problem(document.name, "it says nothing of its image: no flag is set")
    else:
        names = labelme.called(document.name, found.image, ())
        metadata.add_document("", [(names, found.fields)], below=False)


def mention(missing: Missing) -> Item:
    """What a document says of an image that does not come with it, but may be there."""
    read = read_said_of(missing.fields)
    said = () if isinstance(read, Refused) else (*read, *drawn_on(missing.fields))
    unread = tuple(missing.fields.get(UNREAD, ()))
    if isinstance(read, Refused):
        unread = (*unread, read.reason)
    meant = _meant(missing)
    if isinstance(meant, Refused):
        return refused_item(missing.file, meant.reason)
    how = missing.found.how if missing.found and not isinstance(missing.found, Unmatched) else ""
    return Item(
        name=short_name(missing.file),
        read=lambda: Refused("the document holds no image"),
        reference=meant,
        said=said,
        predicted=predicted_on(missing.fields),
        unread=unread,
        how=how,
        silence="nothing is said of it, and its image did not come",
    )


def _meant(missing: Missing) -> Reference | Refused:
    """By content where the document tells, else by its path.

    What has another content is another image, whatever it is called.
    """
    content = reference("sha256", missing.fields.get("sha256"))
    if isinstance(content, Reference):
        return content
    found = missing.found
    if found is None or isinstance(found, Unmatched):
        return Refused(
            (found and found.reason)
            or "no image of this import or of the project has this path, or one that ends so"
        )
    return Reference("id", found.image)


class DocumentSource(Source):
    """What a document says of images that the project has."""

    def __init__(
        self,
        path: Path,
        filename: str,
        work: Path,
        pool: Iterable[tuple[int, str]],
        *,
        boxes: bool = False,
        of_model: bool = False,
    ) -> None:
        """Index the document at ``path`` under ``work``.

        Args:
            path: The file.
            filename: What its sender called it.
            work: For the index.
            pool: Ids, 1 and more, and names of the images of the project.
            boxes: Whether labels are boxes, and not classes.
            of_model: As in ``read_documents``.

        Raises:
            DomainError: ``invalid_archive``.
        """
        name = printable(filename).replace("\\", "/").rpartition("/")[2]
        with path.open("rb") as file:
            tool = whose(file)
        if isinstance(tool, Refused):
            raise invalid_archive(f"{name} cannot be imported: {tool.reason.rstrip('.')}.")
        self._metadata = Metadata(work / "metadata.sqlite")
        try:
            document = Document(name, tool, lambda: path.open("rb"))
            for error in read_documents(
                [document], self._metadata, work, boxes=boxes, of_model=of_model
            ):
                raise error
            self._metadata.match_documents((), pool)
            self._total = self._metadata.missing_count() + self._metadata.problem_count()
        except BaseException:
            self._metadata.close()
            raise

    @property
    def total(self) -> int:
        """What it says, of one image each, and what of it cannot be read."""
        return self._total

    @property
    def values(self) -> dict[str, Values]:
        """None: choices and categories are names."""
        return {}

    @property
    def class_names(self) -> list[str]:
        """Classes that it lists, by their numbers."""
        return self._metadata.class_names

    def items(self, start: int) -> Iterator[Item]:
        """What is said of each, from ``start`` on."""
        return islice(self._all(), start, None)

    def _all(self) -> Iterator[Item]:
        yield from map(mention, self._metadata.missing())
        for problem in self._metadata.problems():
            yield refused_item(*problem)

    def close(self) -> None:
        """Close the index."""
        self._metadata.close()
