"""What a worker and the process that asks for it tell each other: JSON, a line each."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from workers.judges.budget import Price
from workers.judges.client import Judge
from workers.judges.judging import is_wrong, rank, score
from workers.judges.settings import JudgeSettings


@dataclass(frozen=True)
class Order:
    """Whom to ask, for whom; the first line.

    Attributes:
        settings: The judge, with its key.
        job_id: What pays.
        spend_at_most: In all; None for any amount.
    """

    settings: JudgeSettings
    job_id: int
    spend_at_most: float | None

    @classmethod
    def parse(cls, found: dict[str, Any]) -> Self:
        """Read what ``to_json`` has written."""
        settings = found["settings"]
        price = Price(**settings["price"])
        return cls(**{**found, "settings": JudgeSettings(**{**settings, "price": price})})

    def to_json(self) -> dict[str, Any]:
        """As it is sent: with the key, so by a pipe and nothing else."""
        return asdict(self)


class Ask(NamedTuple):
    """One thing to ask.

    Attributes:
        number: What the answer is known by.
        what: The order of the items, whether the one item is wrong, its score, or embeddings.
        items: What rows say.
        permutations: Of an order.
        file: Where embeddings are written.
    """

    number: int
    what: Literal["rank", "wrong", "score", "embed"]
    items: list[str]
    permutations: int = 1
    file: str | None = None


async def answered(judge: Judge, ask: Ask) -> dict[str, Any]:
    """What a judge says: a ``judging.Ranked`` or ``Said`` as JSON, and nothing of embeddings."""
    match ask.what:
        case "rank":
            ranked = await rank(judge, ask.items, permutations=ask.permutations, seed=0)
            return asdict(ranked)
        case "wrong":
            return asdict(await is_wrong(judge, ask.items[0]))
        case "score":
            return asdict(await score(judge, ask.items[0]))
        case "embed":
            # NumPy, which nothing else here needs.
            from workers.judges.embeddings import write_block

            assert ask.file is not None
            await write_block(judge, ask.items, Path(ask.file))
            return {}
