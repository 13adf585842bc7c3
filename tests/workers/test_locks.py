"""What one process does at a time."""

import pytest
from sqlalchemy import text

from tests.world import World
from workers.jobs.context import sessions
from workers.jobs.locks import alone, turn

WHAT = 0x74657374


@pytest.mark.usefixtures("world", "installation")
def test_nobody_else_begins_before_the_end_and_whoever_waits_does_then() -> None:
    with turn(sessions(), WHAT, 7) as is_mine:
        with alone(sessions(), WHAT, 7) as first, alone(sessions(), WHAT, 8) as other:
            assert (first, other) == (True, True)
            assert not is_mine()
        assert is_mine()
        assert is_mine()
    with alone(sessions(), WHAT, 7) as again:
        assert again


@pytest.mark.usefixtures("installation")
def test_a_lock_that_went_with_the_database_hides_nothing(world: World) -> None:
    ended = text("SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE classid = :what")

    def cut_off(said: str = "") -> None:
        with alone(sessions(), WHAT, 7) as is_mine:
            assert is_mine
            world.session.execute(ended, {"what": WHAT})
            if said:
                raise ValueError(said)

    cut_off()
    with pytest.raises(ValueError, match="of its own"):
        cut_off("of its own")
    cut_off()
