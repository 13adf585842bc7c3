from pathlib import Path


def read_log(path: Path, after: int) -> bytes:
    """The whole lines of a log from a byte on; nothing while there is none.

    A log is bounded where it is written, so what is left of it fits in memory.
    """
    try:
        with path.open("rb") as file:
            file.seek(after)
            text = file.read()
    except FileNotFoundError:
        return b""
    return text[: text.rfind(b"\n") + 1]
