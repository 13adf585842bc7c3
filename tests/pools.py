"""Large pools, made in the database: rows without files."""

from typing import Any

import psycopg

_EXAMPLES = """
    INSERT INTO examples (project_id, pool_index, content_hash, media_type, bytes, width, height,
        split, state, name, meta)
    SELECT %(project)s, n, sha256((%(project)s || '/' || n)::bytea), 'image/png', 1, 8, 8, 'pool',
        CASE WHEN n %% %(each)s > 0 THEN 'unlabeled' WHEN n / %(each)s < %(done)s THEN 'ood'
            ELSE 'queried' END,
        n || '.png', '{}'
    FROM generate_series(0, %(n)s - 1) n
"""
_QUERIES = """
    INSERT INTO queries (project_id, round_id, example_id, rank, done)
    SELECT project_id, %(round)s, id, pool_index / %(each)s, state = 'ood'
    FROM examples WHERE project_id = %(project)s AND state IN ('ood', 'queried')
    ORDER BY pool_index
"""
_ANNOTATIONS = """
    INSERT INTO annotations (project_id, example_id, query_id, round_id, annotator_id, client_key,
        verdict, seconds, cost, counted)
    SELECT q.project_id, q.example_id, q.id, q.round_id, %(annotator)s, gen_random_uuid(), 'ood',
        1, 1, true
    FROM queries q WHERE q.round_id = %(round)s AND q.done
"""


def fill(
    connection: psycopg.Connection[Any],
    project: int,
    n: int,
    round_: int,
    *,
    queue: int,
    annotator: int,
) -> None:
    """Give an empty project ``n`` images, ``queue`` of them queried, evenly spread over the pool.

    The first half of the queue is answered, all of it OOD.

    Args:
        connection: In autocommit mode.
        project: Its id.
        n: How many images; a multiple of ``queue``.
        round_: Id of an open round without queries.
        queue: How many images stand in its queue.
        annotator: Id of who has answered.
    """
    values = {
        "project": project,
        "n": n,
        "each": n // queue,
        "done": queue // 2,
        "round": round_,
        "annotator": annotator,
    }
    for statement in (_EXAMPLES, _QUERIES, _ANNOTATIONS):
        connection.execute(statement.encode(), values)
    connection.execute(
        "UPDATE rounds SET queries = %(queue)s, spent = %(done)s WHERE id = %(round)s",
        {**values, "queue": queue},
    )
    connection.execute("VACUUM ANALYZE examples, queries, annotations")
