"""What a client hears of an answer."""

from typing import Literal, Protocol

from api.labeling.schemas import AnswerIn, AnswerResult


class Stored(Protocol):
    """The part of a stored answer that is reported."""

    @property
    def id(self) -> int: ...
    @property
    def counted(self) -> bool: ...


def result_of(
    answer: AnswerIn,
    stored: Stored,
    number: int | None,
    outcome: Literal["accepted", "duplicate", "late"],
) -> AnswerResult:
    return AnswerResult(
        key=answer.key,
        status=outcome,
        annotation_id=stored.id,
        counted=stored.counted,
        round=number,
        code=None,
        detail=None,
    )


def rejected(answer: AnswerIn, code: str, detail: str) -> AnswerResult:
    return AnswerResult(
        key=answer.key,
        status="rejected",
        annotation_id=None,
        counted=False,
        round=None,
        code=code,
        detail=detail,
    )
