"""Texts within an import: exact UTF-8 in the database, and once more in the store for models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from sqlalchemy import bindparam, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from core.database.among import among
from core.files.storage import Storage
from core.media.nouns import in_words_of
from core.media.texts.medium import MEDIA_TYPE, TEXT, TEXTS, NotText, decoded, require_text
from core.settings import Settings
from core.settings.project import ProjectSettings
from core.states import Medium
from core.tables import Example, ExampleText, Project
from models.media.texts.store import TextStore, TextWriter
from workers.imports.items import Item, Refused, beginning
from workers.imports.media.base import Addition, Begun, Content, Made, Sample, unwrapped
from workers.imports.media.text_store import mend_store

# What describes the others, by its name, wherever it lies.
_ABOUT: Final = frozenset({"readme", "license", "licence", "changelog"})
_TABLES: Final = frozenset({".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".xls"})
# Characters of a text that stand for it.
_SHOWN: Final = 100
_INSERT = text("""
    INSERT INTO example_texts (example_id, content, fields)
    SELECT examples.id, new.content, new.fields
    FROM jsonb_to_recordset(:rows) AS new (pool_index bigint, content text, fields jsonb)
    JOIN examples ON project_id = :project_id AND examples.pool_index = new.pool_index
""").bindparams(bindparam("rows", type_=JSONB))


def is_called_text(name: str) -> bool:
    """Whether a file is called like a text: many collections of them give no ending.

    A number after a dot is none.
    """
    ending = PurePosixPath(name).suffix.lower()
    is_text = ending in TEXTS or not ending or ending[1:].isdecimal()
    return is_text and not is_about(name)


def is_about(name: str) -> bool:
    """Whether a file tells of those that it lies beside, by its name."""
    path = PurePosixPath(name)
    return path.stem.casefold() in _ABOUT and path.suffix.lower() in {"", *TEXTS}


@dataclass(frozen=True, slots=True)
class MadeText:
    """A text that may enter the pool; ``fields`` are its parts, where it has any."""

    content: str
    fields: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    media_type: str = MEDIA_TYPE
    width: None = None
    height: None = None
    as_is: bool = True


class TextReading:
    """Reads texts."""

    row_bytes: Final = 0
    """A text is kept as it came."""

    def __init__(self, settings: Settings) -> None:
        """Know how long a text may be."""
        self._most = settings.max_text_bytes

    def read(self, item: Item) -> Content | Refused:
        """The text that an item brings, as UTF-8."""
        unlike = self.unlike(item)
        if unlike is not None:
            return unlike
        found = item.read()
        if isinstance(found, Refused):
            return found
        came = unwrapped(found)
        try:
            read = decoded(came.content)
            content = require_text(read.content, self._most)
        except NotText as error:
            return Refused(str(error))
        notes = () if read.encoding == "UTF-8" else (f"the text was {read.encoding}",)
        return Content(content, came.origin, notes)

    def unlike(self, item: Item) -> Refused | None:
        """Why a file is no text, by its name and size; rows of a table have no size."""
        if item.size == 0:
            return None
        ending = PurePosixPath(item.name).suffix.lower()
        if is_about(item.name):
            return Refused("it tells of the others, by its name; call it otherwise if it is a text")
        if ending in _TABLES:
            return Refused("a table that is not read in here; import it on its own")
        if not is_called_text(item.name):
            return Refused(f"not a text by its name ({ending}); call it .txt if it is one")
        if item.size > TEXT.most_bytes:
            return Refused(f"larger than {TEXT.most_bytes >> 20} MiB")
        return None

    def foretell(self, item: Item) -> Refused | None:
        """Why a row holds no text, which is at hand; of a file by its name and size."""
        if item.size:
            return self.unlike(item)
        found = self.read(item)
        return found if isinstance(found, Refused) else None

    def beginning(self, item: Item) -> str:
        """The first words of a row; a file has a name of its own."""
        found = None if item.size else self.read(item)
        if found is None or isinstance(found, Refused):
            return ""
        return beginning(" ".join(self._words(found.content).split()), _SHOWN)

    def helped(self, name: str, refused: Refused) -> Refused:  # noqa: ARG002
        """A text is whole before anything is made of it."""
        return refused

    def worded(self, reason: str) -> str:
        """A reason, said of texts."""
        return in_words_of(Medium.TEXT, reason)

    def _words(self, content: bytes) -> str:
        """What a text says, as people know it."""
        return content.decode()

    def foresee(
        self,
        settings: ProjectSettings,  # noqa: ARG002
        samples: Iterable[Iterable[Sample]],  # noqa: ARG002
        total: int,  # noqa: ARG002
    ) -> Mapping[str, Any]:
        """Nothing is chosen."""
        return {}


class TextMedium(TextReading):
    """Texts of one project. Only one import of a project runs at a time."""

    medium: Final = Medium.TEXT
    facts: Final[Sequence[str]] = ()
    has_originals: Final = False
    is_begun: Final = True

    def __init__(
        self, session: Session, storage: Storage, project: Project, settings: Settings
    ) -> None:
        """Take up a pool, and make its store again if that was lost.

        Args:
            session: For reading what the pool has.
            storage: For the text store.
            project: The project.
            settings: For the longest text.
        """
        super().__init__(settings)
        self.project_id = project.id
        self._folder = storage.texts(project.id)
        self._writer: TextWriter | None = None
        mend_store(session, self._folder, project.id)

    def look(self, samples: Iterable[Iterable[Sample]], total: int) -> None:
        """Nothing depends on what comes."""

    def begin(self, session: Session) -> Begun:  # noqa: ARG002
        """Nothing is chosen."""
        return Begun()

    def make(self, contents: Sequence[bytes]) -> Sequence[Made | Refused]:
        """Texts of UTF-8 that ``read`` gave."""
        return [MadeText(content.decode()) for content in contents]

    def write(self, first: int, additions: Sequence[Addition]) -> None:
        """Append to the store; what an import left there that was killed is written over."""
        if not additions:
            return
        if self._writer is None:
            self._writer = TextStore.writer(self._folder)
        self._writer.write(first, [_made(one).content for one in additions])
        self._writer.flush()

    def hold(self, session: Session, additions: Sequence[Addition]) -> None:
        """A text has no file that another project could take with it."""

    def came_again(self, session: Session, contents: Mapping[bytes, bytes]) -> None:
        """Put back what the database has lost of texts; the next job mends the store by it."""
        if not contents:
            return
        statement = (
            select(Example.content_hash, Example.pool_index)
            .outerjoin(ExampleText, ExampleText.example_id == Example.id)
            .where(Example.project_id == self.project_id, ExampleText.example_id.is_(None))
            .where(among(Example.content_hash, contents))
        )
        lost = session.execute(statement).all()
        made = self.make([contents[digest] for digest, _ in lost])
        self._insert(session, zip([index for _, index in lost], made, strict=True))

    def added(self, session: Session, first: int, additions: Sequence[Addition]) -> None:
        """Add what the texts say."""
        self._insert(session, enumerate((one.made for one in additions), first))

    def _insert(self, session: Session, made: Iterable[tuple[int, Made | Refused]]) -> None:
        rows = [
            {"pool_index": index, "content": one.content, "fields": one.fields}
            for index, one in made
            if isinstance(one, MadeText)
        ]
        if rows:
            session.execute(_INSERT, {"project_id": self.project_id, "rows": rows})

    def close(self) -> None:
        """Close the store."""
        if self._writer is not None:
            self._writer.close()


def _made(addition: Addition) -> MadeText:
    assert isinstance(addition.made, MadeText)
    return addition.made
