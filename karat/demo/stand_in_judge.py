"""A small OpenAI-compatible server that stands in for a judge, for the demo, tests and benchmarks.

It is no model: it knows how good each row is, as it was told, and errs as often as it is told to.
It can be slow, full, broken, refusing or biased, as real ones are.
"""

import argparse
import asyncio
import contextlib
import hashlib
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

MODEL: Final = "stand-in"
Fault = Literal[
    "malformed", "half", "broken", "empty", "refuse", "rate_limit", "fail", "drop", "silent"
]
"""``malformed``: an order in prose; ``half``: the connection ends within the body; ``broken``: a
body that is no JSON; ``empty``: JSON without an answer; ``refuse``: it declines; ``rate_limit``:
429; ``fail``: 500; ``drop``: the connection ends without a word; ``silent``: it never answers."""

_ROW: Final = re.compile(r"<<<(row-[0-9a-f]+) \[(\d+)\]\n(.*?)\n\1>>>", re.DOTALL)
_MOST_BYTES: Final = 16 << 20


@dataclass
class Behaviour:
    """How it behaves.

    Attributes:
        error: Chance that it gets a comparison of two rows, a doubt or a score wrong.
        bias: Chance that it puts the row that is shown first to the front, whatever it is.
        always: What it answers to everything, if it is set.
        seconds: How long an answer takes.
        slots: Answers that it makes at the same time; others wait.
        per_second: Requests that it takes in a second; others are refused with 429. None: any.
        key: What it wants in ``Authorization``; None: nothing.
        faults: Chance of each fault.
        first: Faults of the first requests, one each, whatever the chances.
        not_taken: Parameters that it refuses, as some models do.
        seed: Of what is left to chance: the same question gets the same answer.
    """

    error: float = 0.0
    bias: float = 0.0
    always: str | None = None
    seconds: float = 0.0
    slots: int = 64
    per_second: float | None = None
    key: str | None = None
    faults: Mapping[Fault, float] = field(default_factory=dict)
    first: Sequence[Fault] = ()
    not_taken: Sequence[str] = ()
    seed: int = 0


def row_key(text: str) -> bytes:
    """What a row is known by, however it is written: its letters and digits."""
    letters = re.sub(r"[\W_]+", "", text).lower()
    return hashlib.sha256(letters.encode("utf-8", "replace")).digest()


class StandIn:
    """The server, for one event loop.

    Attributes:
        behaviour: May be changed while it runs.
        requests: How many came.
        answered: How often each question was answered to the end: what would have been paid for.
        statuses: Responses by status.
    """

    def __init__(self, quality: Callable[[str], float], behaviour: Behaviour) -> None:
        """Take what it knows.

        Args:
            quality: Of a row as it is shown, in 0 (worst) to 1; 0.5 and more is not wrong.
            behaviour: How it behaves.
        """
        self._quality, self.behaviour = quality, behaviour
        self.requests = 0
        self.answered: Counter[bytes] = Counter()
        self.statuses: Counter[int] = Counter()
        self._slots = asyncio.Semaphore(behaviour.slots)
        self._window, self._taken = 0.0, 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        with contextlib.suppress(OSError, EOFError, ValueError, asyncio.CancelledError):
            while (request := await _read(reader)) is not None:
                if not await self._respond(reader, writer, *request):
                    break
        writer.close()

    async def _respond(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        path: str,
        headers: Mapping[str, str],
        content: bytes,
    ) -> bool:
        """Answer one request; whether the connection goes on."""
        self.requests += 1
        how = self.behaviour
        chance = random.Random(hashlib.sha256(content + bytes([how.seed % 256])).digest())
        fault = self._fault(random.Random())
        if how.key is not None and headers.get("authorization") != f"Bearer {how.key}":
            return await self._send(writer, 401, _error("Incorrect API key provided"))
        wait = self._over_rate()
        if fault == "rate_limit" or wait is not None:
            return await self._send(writer, 429, _error("Too many requests"), wait or 0.05)
        if fault == "drop":
            return False
        async with self._slots:
            await asyncio.sleep(3600 if fault == "silent" else how.seconds)
        if reader.at_eof():
            # Whoever asked is gone, as servers notice, too.
            return False
        if fault == "fail":
            return await self._send(writer, 500, _error("Something went wrong"))
        if fault == "broken":
            return await self._send(writer, 200, b"<html>not JSON</html>")
        if fault == "empty":
            return await self._send(writer, 200, b'{"choices": []}')
        body = json.loads(content)
        if path.endswith("/embeddings"):
            return await self._send(writer, 200, _embeddings(body["input"]))
        if not path.endswith("/chat/completions") or body.get("model") in (None, "unknown"):
            return await self._send(writer, 404, _error("The model does not exist"))
        for name in how.not_taken:
            if name in body:
                text = f"Unsupported parameter: '{name}' is not supported with this model."
                return await self._send(writer, 400, _error(text))
        try:
            said = self._say(body["messages"], chance, fault)
        except ValueError:
            return await self._send(writer, 500, _error("This row breaks it"))
        made = json.dumps(_completion(body, said)).encode()
        if fault == "half":
            writer.write(_head(200, len(made)) + made[: len(made) // 2])
            await writer.drain()
            return False
        went_on = await self._send(writer, 200, made)
        self.answered[hashlib.sha256(content).digest()] += 1
        return went_on

    async def _send(
        self, writer: asyncio.StreamWriter, status: int, body: bytes, wait: float | None = None
    ) -> bool:
        self.statuses[status] += 1
        writer.write(_head(status, len(body), wait) + body)
        await writer.drain()
        return True

    def _fault(self, chance: random.Random) -> Fault | None:
        if self.requests <= len(self.behaviour.first):
            return self.behaviour.first[self.requests - 1]
        drawn = chance.random()
        for name, share in self.behaviour.faults.items():
            drawn -= share
            if drawn < 0:
                return name
        return None

    def _over_rate(self) -> float | None:
        """Seconds to wait if there were too many requests within this second."""
        if self.behaviour.per_second is None:
            return None
        now = time.monotonic()
        if now >= self._window + 1.0:
            self._window, self._taken = now, 0
        self._taken += 1
        return None if self._taken <= self.behaviour.per_second else self._window + 1.0 - now

    def _say(
        self, messages: Sequence[Mapping[str, str]], chance: random.Random, fault: Fault | None
    ) -> str:
        if fault == "refuse":
            return "I'm sorry, but I can't help with that."
        if self.behaviour.always is not None:
            return self.behaviour.always
        asked = messages[0]["content"]
        rows = [self._quality(found[3]) for found in _ROW.finditer(asked)]
        errs = chance.random() < self.behaviour.error
        if "hallucinated or wrong content" in asked:
            return "yes" if (rows[0] < 0.5) != errs else "no"
        if "Please output a score" in asked:
            return str(chance.randint(0, 5) if errs else round(5 * rows[0]))
        order = self._ranked(rows, chance)
        if fault == "malformed":
            return f"I think that row {order[0] + 1} is the best one."
        return ">".join(f"[{place + 1}]" for place in order)

    def _ranked(self, rows: Sequence[float], chance: random.Random) -> list[int]:
        """Places by quality, each comparison wrong by chance, as by an insertion sort."""
        order: list[int] = []
        for place, quality in enumerate(rows):
            at = len(order)
            while at and (quality > rows[order[at - 1]]) != (
                chance.random() < self.behaviour.error
            ):
                at -= 1
            order.insert(at, place)
        if chance.random() < self.behaviour.bias:
            order.remove(0)
            order.insert(0, 0)
        return order


def known(truths: Mapping[bytes, float], otherwise: float = 0.5) -> Callable[[str], float]:
    """Qualities by ``row_key``."""
    return lambda text: truths.get(row_key(text), otherwise)


@contextlib.contextmanager
def stand_in(
    quality: Callable[[str], float], behaviour: Behaviour | None = None, port: int = 0
) -> Iterator[tuple[str, StandIn]]:
    """A server on this machine until the end of the block: its ``base_url``, and itself."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    found: list[Any] = []

    async def run() -> None:
        served = StandIn(quality, behaviour or Behaviour())
        server = await asyncio.start_server(served.serve, "127.0.0.1", port, backlog=1024)
        found.extend((server.sockets[0].getsockname()[1], served, asyncio.Event()))
        ready.set()
        await found[2].wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    if not ready.wait(10):
        raise OSError(f"no server could be started at port {port}")
    try:
        yield f"http://127.0.0.1:{found[0]}/v1", found[1]
    finally:
        loop.call_soon_threadsafe(found[2].set)
        thread.join()
        loop.close()


async def _read(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:])
    }
    length = int(headers.get("content-length", "0"))
    if length > _MOST_BYTES:
        return None
    return head[0].split(" ")[1].partition("?")[0], headers, await reader.readexactly(length)


def _head(status: int, length: int, wait: float | None = None) -> bytes:
    later = "" if wait is None else f"retry-after-ms: {1000 * wait:.0f}\r\n"
    return (
        f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\n{later}"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "stand_in", "code": None}}).encode()


def _completion(body: Mapping[str, Any], text: str) -> dict[str, Any]:
    prompt = sum(len(message["content"]) for message in body["messages"])
    return {
        "id": "stand-in",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": prompt // 4 + 1, "completion_tokens": len(text) // 4 + 1},
    }


def _embeddings(texts: Sequence[str]) -> bytes:
    """Words by their hashes: alike texts are near each other."""
    rows = []
    for place, text in enumerate(texts):
        row = [0.0] * 64
        for word in re.findall(r"\w+", text.lower()):
            row[hashlib.sha256(word.encode()).digest()[0] % 64] += 1.0
        rows.append({"object": "embedding", "index": place, "embedding": row})
    return json.dumps({"object": "list", "data": rows, "model": MODEL}).encode()


def main() -> None:
    """Serve until it is interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path, help='JSON Lines of {"text": …, "quality": 0…1}')
    parser.add_argument("--port", type=int, default=8100)
    parser.add_argument("--error", type=float, default=0.0)
    parser.add_argument("--bias", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--slots", type=int, default=64)
    given = parser.parse_args()
    lines = [json.loads(line) for line in given.truth.read_text().split("\n") if line.strip()]
    truths = {row_key(line["text"]): float(line["quality"]) for line in lines}
    behaviour = Behaviour(given.error, given.bias, seconds=given.seconds, slots=given.slots)
    with stand_in(known(truths), behaviour, given.port), contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()


if __name__ == "__main__":
    main()
