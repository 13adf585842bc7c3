"""Karat under annotators who never pause: a project with a long queue, and their tokens."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import psycopg

from api.callers.credentials import secret_hash
from api.projects.settings import checked
from benchmarks.http_load import HttpConnection, Log
from benchmarks.tally import Tally


class KaratLoad:
    """A project of ``queries`` images without files, all in the queue of its first round."""

    def __init__(self, url: str, port: int, clients: int, queries: int) -> None:
        """Make the project.

        Args:
            url: Of the database, as libpq wants it.
            port: Of the API on 127.0.0.1.
            clients: How many annotators may label it.
            queries: Length of the queue.
        """
        self.url, self.port = url, port
        self.tokens = [f"karat_{uuid.uuid4().hex}" for _ in range(clients)]
        self.tally = Tally()
        with psycopg.connect(url) as connection:
            self.project = self._fill(connection, queries)

    def _fill(self, connection: psycopg.Connection[Any], queries: int) -> int:
        values = checked({"budget": 1e9}).model_dump_json()
        row = connection.execute(
            "INSERT INTO projects (name, state, settings) VALUES (%s, 'running', %s) RETURNING id",
            (str(uuid.uuid4()), values),
        ).fetchone()
        assert row is not None
        project = int(row[0])
        connection.execute(
            "INSERT INTO classes (project_id, name, colour, position) "
            "VALUES (%(p)s, 'a', '#000000', 0), (%(p)s, 'b', '#ffffff', 1)",
            {"p": project},
        )
        for token in self.tokens:
            connection.execute(
                "WITH u AS (INSERT INTO users (email, name, role, password_hash, active) VALUES "
                "(%(mail)s, 'x', 'annotator', '', true) RETURNING id), "
                "m AS (INSERT INTO members (project_id, user_id, role) "
                "SELECT %(p)s, id, 'annotator' FROM u) "
                "INSERT INTO api_tokens (user_id, name, prefix, token_hash) "
                "SELECT id, 'b', '', %(hash)s FROM u",
                {"mail": f"{uuid.uuid4()}@example.org", "p": project, "hash": secret_hash(token)},
            )
        connection.execute(
            "INSERT INTO rounds (project_id, number, state, settings, strategy, seed, budget) "
            "VALUES (%s, 0, 'open', %s, 'random', 0, 1e9)",
            (project, values),
        )
        connection.execute(
            "INSERT INTO examples (project_id, pool_index, content_hash, media_type, bytes, width, "
            "height, split, state, name, meta) SELECT %(p)s, n, sha256(n::text::bytea), "
            "'image/png', 1, 1, 1, 'pool', 'queried', n || '.png', '{}' "
            "FROM generate_series(0, %(n)s - 1) n",
            {"p": project, "n": queries},
        )
        connection.execute(
            "INSERT INTO queries (project_id, round_id, example_id, rank) SELECT e.project_id, "
            "r.id, e.id, e.pool_index FROM examples e JOIN rounds r USING (project_id) "
            "WHERE project_id = %s",
            (project,),
        )
        connection.commit()
        connection.autocommit = True
        # Not of what is still empty: no running service has statistics of a table without answers,
        # and the plans made from them would read it whole until the next ones are gathered.
        connection.execute("VACUUM ANALYZE examples, queries")
        return project

    async def annotate(
        self, number: int, more: Callable[[], bool], log: Log, *, batch: int, at_once: int = 1
    ) -> None:
        """Lease ``batch`` images, answer them ``at_once`` in a request, again; no pause between."""
        connection = HttpConnection(self.port, {"Authorization": f"Bearer {self.tokens[number]}"})
        base = f"/api/projects/{self.project}/labeling"
        tab = str(uuid.uuid4())
        while more():
            status, body = await log.timed(
                "next", connection.post(f"{base}/lease", {"n": batch, "client": tab})
            )
            if status != 200:
                await self.tally.failed("next", status)
                continue
            queries = [item["query_id"] for item in json.loads(body)["items"]]
            assert queries, "the queue ran dry; raise --queries"
            for query in queries:
                self.tally.handed(number, query)
            for start in range(0, len(queries), at_once):
                answers = [_answer(query) for query in queries[start : start + at_once]]
                status, body = await log.timed(
                    "submit", connection.post(f"{base}/answers", {"answers": answers})
                )
                if status != 200:
                    await self.tally.failed("submit", status)
                    continue
                for query, result in zip(
                    queries[start : start + at_once], json.loads(body)["results"], strict=True
                ):
                    assert result["status"] == "accepted", result
                    self.tally.answered(query, result["key"])
                    log.loop()
        await connection.close()

    def lost(self) -> int:
        """Acknowledged answers that are not stored, and counted, exactly once."""
        with psycopg.connect(self.url) as connection:
            rows = connection.execute(
                "SELECT client_key::text FROM annotations WHERE project_id = %s AND counted",
                (self.project,),
            ).fetchall()
        return self.tally.lost(key for (key,) in rows)


def _answer(query: int) -> dict[str, Any]:
    return {"key": str(uuid.uuid4()), "query_id": query, "verdict": "ood", "seconds": 1.0}
