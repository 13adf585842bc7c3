"""What links are signed with."""

from sqlalchemy.orm import Mapped, mapped_column

from core.tables.base import Base


class SigningKey(Base):
    """A key that all API processes share; made when it is first needed.

    Whoever reads the database reads more than it opens. Without its row, all links end.
    """

    __tablename__ = "signing_keys"

    name: Mapped[str] = mapped_column(primary_key=True)
    secret: Mapped[bytes]
