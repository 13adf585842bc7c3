"""Numbers in addresses, each with the range in which the database and the disk take it."""

from typing import Annotated

from fastapi import Path, Query

PathId = Annotated[int, Path(ge=1, lt=2**63)]
QueryId = Annotated[int, Query(ge=1, lt=2**63)]
RoundNumber = Annotated[int, Path(ge=0, lt=2**31)]
# File systems take no place beyond 2**44 for one, and no log comes near.
LogOffset = Annotated[int, Query(ge=0, lt=2**40, description="Bytes of the log to leave out.")]
