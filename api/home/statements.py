"""The statements behind an annotator's home.

Each reads a window that does not grow with the project: a queue up to the 1,000 images that are
shown at most, past what the caller has answered of it, and the caller's own latest annotations by
``ix_annotations_mine``.
"""

from typing import Final

from sqlalchemy import text

LATEST: Final = 50_000
"""Of a project so many annotations of the caller are looked at, whatever their source."""
COMPARED: Final = 1000
"""Of a project so many answers of the caller are compared."""

# As in leasing: free, or lying with the caller, and of several annotators' not theirs already.
# OFFSET 0 keeps PostgreSQL from gathering all annotations of the caller instead of looking up.
FREE: Final = text(
    """
    SELECT r.id, least(n.count, :shown) AS free
    FROM rounds r
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT free.example_id) FROM (
            SELECT q.example_id FROM queries q
            WHERE q.round_id = r.id AND NOT q.done AND (
                q.lease_expires_at IS NULL OR q.lease_expires_at <= now() OR q.lease_holder = :me
            ) AND (CAST(r.settings ->> 'overlap' AS int) = 1 OR NOT EXISTS (
                SELECT FROM annotations a
                WHERE a.example_id = q.example_id AND a.annotator_id = :me
                    AND a.id > coalesce(q.again_after, 0)
                    AND (a.verdict <> 'skip' OR EXISTS (
                        SELECT FROM queries said WHERE said.id = a.query_id AND said.round_id = r.id
                        OFFSET 0
                    ))
                OFFSET 0
            ))
            ORDER BY q.rank LIMIT CAST(:shown AS int) * CAST(r.settings ->> 'overlap' AS int)
        ) free
    ) n
    WHERE r.id = ANY(CAST(:rounds AS bigint[]))
    """
)

# The newest relabeling of each project that still has something to decide.
REVIEWS: Final = text(
    """
    SELECT p.id AS project_id, found.job_id, found.open
    FROM unnest(CAST(:projects AS bigint[])) AS p(id)
    CROSS JOIN LATERAL (
        SELECT latest.id AS job_id, n.count AS open
        FROM (
            SELECT id FROM jobs
            WHERE project_id = p.id AND kind = 'relabel' AND state = 'succeeded'
            ORDER BY id DESC LIMIT 5
        ) latest
        CROSS JOIN LATERAL (
            SELECT count(*) FROM (
                SELECT FROM suggestions WHERE job_id = latest.id AND decision IS NULL LIMIT 1000
            ) waiting
        ) n
        WHERE n.count > 0
        ORDER BY latest.id DESC LIMIT 1
    ) found
    """
)

# ``cut`` is where a window that was too small begins; the row without a day carries it alone. The
# index does not know of sources, so that reviews, and what is marked by hand, fill windows, too.
DAYS: Final = text(
    """
    WITH latest AS MATERIALIZED (
        SELECT a.created_at, a.seconds, a.supersedes_id, a.source, p.id AS project_id
        FROM unnest(CAST(:projects AS bigint[])) AS p(id)
        CROSS JOIN LATERAL (
            SELECT created_at, seconds, supersedes_id, source FROM annotations
            WHERE project_id = p.id AND annotator_id = :me
            ORDER BY id DESC LIMIT :limit
        ) a
    ), cut AS (
        SELECT max(beginning) AS cut FROM (
            SELECT min(created_at) AS beginning FROM latest
            GROUP BY project_id HAVING count(*) >= :limit
        ) full_windows
        WHERE beginning >= CAST(:first AS timestamptz)
    ), days AS (
        SELECT CAST((created_at AT TIME ZONE 'UTC') + CAST(:offset AS interval) AS date) AS day,
            count(*) FILTER (WHERE supersedes_id IS NULL) AS verdicts, sum(seconds) AS seconds
        FROM latest WHERE source = 'annotator' AND created_at >= CAST(:first AS timestamptz)
        GROUP BY 1
    )
    SELECT cut.cut, days.day, days.verdicts, days.seconds FROM cut LEFT JOIN days ON true
    """
)

# What the caller says now: not what they have corrected since. Labels that are no classes are
# compared with what a reviewer made of them only: two people draw no two boxes alike. What a
# reviewer said of one row by itself is nothing said of its group
# (``core.verdicts.groups.of_group``). What holds is as in ``core.verdicts.consensus.holds``.
AGREEMENT: Final = text(
    """
    WITH mine AS MATERIALIZED (
        SELECT a.id, a.project_id, a.example_id, a.verdict, a.class_id, a.label
        FROM unnest(CAST(:projects AS bigint[])) AS p(id)
        CROSS JOIN LATERAL (
            SELECT * FROM (
                SELECT id, project_id, example_id, verdict, class_id, label, source
                FROM annotations WHERE project_id = p.id AND annotator_id = :me
                ORDER BY id DESC LIMIT :limit
            ) latest
            WHERE source = 'annotator' ORDER BY id DESC LIMIT :compared
        ) a
        WHERE a.verdict IN ('label', 'ood')
            AND NOT EXISTS (
                SELECT FROM annotations c
                WHERE c.supersedes_id = a.id AND c.annotator_id = :me AND c.counted
            )
    ), pairs AS (
        SELECT other.source, mine.verdict = other.verdict AS same_side,
            mine.verdict = 'label' AND other.verdict = 'label' AS both_class,
            mine.class_id IS NOT NULL AND other.class_id IS NOT NULL AS of_class,
            coalesce(mine.class_id = other.class_id, mine.label = other.label) AS same_class
        FROM mine JOIN annotations other ON other.example_id = mine.example_id
            AND other.annotator_id <> :me AND other.counted AND other.verdict IN ('label', 'ood')
            AND NOT EXISTS (
                SELECT FROM annotations c WHERE c.supersedes_id = other.id AND c.counted
            )
            AND (
                mine.project_id <> ALL(CAST(:of_groups AS bigint[])) OR other.query_id IS NOT NULL
                OR other.label IS NOT NULL
                OR EXISTS (SELECT FROM suggestions s WHERE s.annotation_id = other.id)
            )
    )
    SELECT
        count(*) FILTER (WHERE source = 'annotator') AS pairs,
        count(*) FILTER (WHERE source = 'annotator' AND same_side) AS same_side,
        count(*) FILTER (WHERE source = 'annotator' AND both_class AND of_class) AS class_pairs,
        count(*) FILTER (
            WHERE source = 'annotator' AND both_class AND of_class AND same_class
        ) AS same_class,
        count(*) FILTER (WHERE source = 'review') AS reviewed,
        count(*) FILTER (
            WHERE source = 'review' AND same_side AND (NOT both_class OR same_class)
        ) AS upheld
    FROM pairs
    """
)
