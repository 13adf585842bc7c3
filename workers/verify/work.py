"""Rounds, leases and jobs: the numbers add up, and nothing waits for nobody."""

from collections.abc import Iterator
from typing import Final

from sqlalchemy import text

from workers.verify.check import Check, Scope, by_sql


def _silent(scope: Scope) -> Iterator[str]:
    """Running jobs whose worker is gone, and that no other has taken although it should have."""
    if not scope.running:
        return
    patience = 60 + 4 * scope.settings.stale_seconds + 4 * scope.settings.sweep_seconds
    statement = text(
        "SELECT id, kind, extract(epoch FROM clock_timestamp() - heartbeat_at)::int AS silent "
        "FROM jobs WHERE state = 'running' "
        "AND (heartbeat_at IS NULL OR heartbeat_at < clock_timestamp() - "
        "make_interval(secs => :patience)) ORDER BY id"
    )
    for row in scope.connection.execute(statement, {"patience": patience}):
        yield f"job {row.id} ({row.kind}), silent for {row.silent} s"


def _untold(scope: Scope) -> Iterator[str]:
    """What webhooks should have been told long ago, had anybody worked on it."""
    if not scope.running or not scope.settings.webhooks:
        return
    patience = 300 + 4 * scope.settings.sweep_seconds
    statement = text(
        "SELECT 'event ' || id || ' (' || kind || '), of ' || at AS found FROM webhook_events "
        "WHERE NOT handed_out AND at < clock_timestamp() - make_interval(secs => :patience) "
        "UNION ALL SELECT 'webhook ' || d.webhook_id || ', due since ' || min(d.due_at) "
        "FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id AND w.active "
        "WHERE d.due_at IS NOT NULL GROUP BY d.webhook_id "
        "HAVING max(d.sent_at) IS NULL AND min(d.due_at) < clock_timestamp() - "
        "make_interval(secs => :patience)"
    )
    for (found,) in scope.connection.execute(statement, {"patience": patience}):
        yield str(found)


CHECKS: Final = (
    Check(
        "round_numbers",
        "every round's spent budget and queue are the sums of its parts",
        "Sum again: UPDATE rounds SET spent = (the sum of its annotations' cost) WHERE id = ….",
        by_sql(
            "SELECT 'round ' || r.id || ' has spent ' || r.spent || ', its answers '"
            "|| coalesce(a.cost, 0) FROM rounds r LEFT JOIN (SELECT round_id, sum(cost) AS cost "
            "FROM annotations GROUP BY round_id) a ON a.round_id = r.id "
            "WHERE abs(r.spent - coalesce(a.cost, 0)) > 1e-6 * greatest(1, abs(r.spent)) "
            "UNION ALL SELECT 'round ' || r.id || ' counts ' || r.queries || ' queries, of '"
            "|| coalesce(q.n, 0) FROM rounds r LEFT JOIN (SELECT round_id, count(*) AS n "
            "FROM queries GROUP BY round_id) q ON q.round_id = r.id "
            "WHERE r.queries <> coalesce(q.n, 0)"
        ),
    ),
    Check(
        "round_order",
        "rounds follow one another, and one at a time is open",
        "Restore the last backup: rounds were removed or opened by hand.",
        by_sql(
            "SELECT 'project ' || project_id || ' has ' || count(*) || ' rounds, the last is '"
            "|| max(number) FROM rounds GROUP BY project_id HAVING count(*) <> max(number) + 1 "
            "UNION ALL SELECT 'project ' || project_id || ' has ' || count(*) || ' open rounds' "
            "FROM rounds WHERE state = 'open' GROUP BY project_id HAVING count(*) > 1"
        ),
    ),
    Check(
        "rounds_go_on",
        "every round that models work on has a job for it",
        "Look at the round's job with karat job show, and start it again with karat job retry.",
        by_sql(
            "SELECT 'round ' || r.id || ' is ' || r.state || ', and no job is at it' FROM rounds r "
            "WHERE r.state IN ('closing', 'selecting') AND NOT EXISTS (SELECT FROM jobs j "
            "WHERE j.project_id = r.project_id AND j.kind = 'advance_round' "
            "AND j.state IN ('queued', 'running') "
            "AND (j.params ->> r.state)::int = r.number) "
            "AND NOT (r.state = 'selecting' AND EXISTS (SELECT FROM rounds before "
            "WHERE before.project_id = r.project_id AND before.number < r.number "
            "AND before.state <> 'closed'))"
        ),
    ),
    Check(
        "leases_end",
        "every lease ends by itself",
        "Give the queries back: UPDATE queries SET lease_expires_at = now() WHERE id = ….",
        by_sql(
            "SELECT 'query ' || q.id || ', leased until ' || q.lease_expires_at FROM queries q "
            "WHERE NOT q.done AND (q.lease_expires_at > clock_timestamp() + interval '25 hours' "
            "OR (q.lease_holder IS NULL) <> (q.lease_expires_at IS NULL)) "
            "UNION ALL SELECT 'suggestion ' || s.id || ', leased until ' || s.lease_expires_at "
            "FROM suggestions s WHERE s.lease_expires_at > clock_timestamp() + interval '25 hours' "
            "OR (s.decision IS NOT NULL AND s.lease_holder IS NOT NULL)"
        ),
    ),
    Check(
        "job_states",
        "every job is in a legal state",
        "Start the job again with karat job retry, or cancel it with karat job cancel.",
        by_sql(
            "SELECT 'job ' || id || ' is ' || state || CASE "
            "WHEN state IN ('queued', 'running') AND finished_at IS NOT NULL THEN ' and has ended' "
            "WHEN state = 'running' THEN ' without a worker' "
            "WHEN state = 'queued' THEN ' with a heartbeat' "
            "WHEN finished_at IS NULL THEN ' and has not ended' "
            "WHEN state = 'failed' THEN ' without an error' ELSE ' with an error' END "
            "FROM jobs WHERE CASE state "
            "WHEN 'queued' THEN finished_at IS NOT NULL OR heartbeat_at IS NOT NULL "
            "WHEN 'running' THEN finished_at IS NOT NULL OR worker IS NULL OR attempt < 1 "
            "OR heartbeat_at IS NULL "
            "ELSE finished_at IS NULL "
            "OR (state = 'failed') <> (coalesce(jsonb_typeof(error), 'null') = 'object') END "
            "UNION ALL SELECT 'project ' || project_id || ' has ' || count(*) || ' running jobs of "
            "kind ' || kind FROM jobs WHERE state = 'running' AND parent_id IS NULL "
            "GROUP BY project_id, kind HAVING count(*) > 1"
        ),
    ),
    Check(
        "jobs_alive",
        "every running job has a worker",
        "Start workers and the scheduler, which finds abandoned jobs; see karat doctor.",
        _silent,
    ),
    Check(
        "webhooks_told",
        "nothing that webhooks are to be told waits for a worker",
        "Start a worker on the queue web and the scheduler; see karat doctor.",
        _untold,
    ),
)
