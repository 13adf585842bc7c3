from datetime import date
from typing import Literal

from pydantic import BaseModel

from core.states import Medium, ProjectState


class ReviewsWaiting(BaseModel):
    """A job whose suggestions wait for somebody to decide; `open` counts up to 1,000."""

    job_id: int
    open: int


class ProjectWork(BaseModel):
    """What the caller can do in a project now.

    `waiting` counts images that they would be handed, up to 1,000 and to what the round's budget
    pays for. Where it is 0, `waiting_for` says why; where that is `training`, `waits` says what
    keeps the job that is to do it, if that has not begun. `disagreements` counts images, up to
    1,000, on which others disagree.
    """

    id: int
    name: str
    medium: Medium
    state: ProjectState
    waiting: int
    waiting_for: Literal[
        "nothing", "training", "failed", "disk", "paused", "finished", "others", "start"
    ]
    waits: str | None
    reviews: ReviewsWaiting | None
    disagreements: int


class DayOfWork(BaseModel):
    date: date
    verdicts: int
    seconds: float


class Pace(BaseModel):
    """The caller's verdicts of the last 14 days, today last; corrections count no second time,
    but take their seconds.

    `since` is the first day that is whole: only the latest 50,000 verdicts of each project, reviews
    and those by hand in the pool among them, are looked at.
    """

    days: list[DayOfWork]
    since: date


class Agreed(BaseModel):
    """How many of `compared` are the same."""

    compared: int
    same: int


class MyAgreement(BaseModel):
    """The caller's latest verdicts, up to 1,000 of a project, beside those of others.

    `others` pairs them with verdicts of other people on the same image, by IN or OOD and, where
    both say a class, by class; `reviews` with what a reviewer has decided.
    """

    in_ood: Agreed
    classes: Agreed
    reviews: Agreed


class Home(BaseModel):
    """What waits for the caller in the projects that they are a member of, and how they do."""

    projects: list[ProjectWork]
    pace: Pace
    agreement: MyAgreement


class DiskOut(BaseModel):
    """The disk of the data directory, in bytes; what is large is refused unless it is `ok`.

    `files` is how many more files it takes, where these are too few, however much room is left.
    """

    state: Literal["ok", "low", "full"]
    free: int
    total: int
    files: int | None
