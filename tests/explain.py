"""What PostgreSQL does for a statement: plans with the rows that they really touched."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Engine, event

# Tables that grow with the pool; all others may be read as a whole.
LARGE = frozenset({"examples", "example_texts", "queries", "annotations"})
# To read a table of fewer rows as a whole is quicker than by an index.
_MANY = 10_000
_PARAMETER = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True)
class Plan:
    """One statement's plan after it ran."""

    statement: str
    nodes: list[dict[str, Any]]
    scanned: set[str]
    """Large tables, with many rows by now, that were read from end to end, or might have been."""

    @property
    def rows_read(self) -> int:
        """Rows of large tables that were looked at, kept or not."""
        names = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
        return sum(
            round(sum(node.get(name, 0) for name in names) * node["Actual Loops"])
            for node in self.nodes
            if node.get("Relation Name") in LARGE and "Scan" in node["Node Type"]
        )

    @property
    def most_sorted(self) -> int:
        """Rows of the largest sort."""
        sorts = [node for node in self.nodes if "Sort" in node["Node Type"]]
        return max((round(node["Plans"][0]["Actual Rows"]) for node in sorts), default=0)

    def check(self, most_rows: int) -> None:
        """Fail unless the statement looked at ``most_rows`` rows at most, by an index."""
        found = (self.scanned, self.rows_read <= most_rows, self.most_sorted <= most_rows)
        assert found == (set(), True, True), (
            f"{self.rows_read} rows read, {self.most_sorted} sorted, of {self.scanned or 'none'} "
            f"all, for {self.statement}: {[node['Node Type'] for node in self.nodes]}"
        )


def explain(
    connection: psycopg.Connection[Any],
    statement: str,
    values: Mapping[str, Any],
    *,
    generic: bool = False,
) -> Plan:
    """Run a statement and roll it back.

    Args:
        connection: With no transaction open.
        statement: With ``%(name)s`` for its values.
        values: More than it needs are ignored.
        generic: Use the plan for any values, which a prepared statement may get after some runs.
    """
    names: list[str] = []

    def numbered(found: re.Match[str]) -> str:
        if found[1] not in names:
            names.append(found[1])
        return f"${names.index(found[1]) + 1}"

    prepared = _PARAMETER.sub(numbered, statement).replace("%%", "%")
    given = sql.SQL(", ").join(sql.Literal(values[name]) for name in names)
    execute = (
        sql.SQL("EXECUTE explained({})").format(given) if names else sql.SQL("EXECUTE explained")
    )
    with connection.transaction(force_rollback=True):
        mode = "force_generic_plan" if generic else "force_custom_plan"
        connection.execute(sql.SQL("SET LOCAL plan_cache_mode = {}").format(sql.Literal(mode)))
        connection.execute(f"PREPARE explained AS {prepared}".encode())
        row = connection.execute(
            sql.SQL("EXPLAIN (ANALYZE, FORMAT JSON) {}").format(execute)
        ).fetchone()
    connection.execute("DEALLOCATE explained")
    assert row is not None
    nodes = list(_nodes(row[0][0]["Plan"]))
    scanned = {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"} & LARGE
    many = connection.execute(
        "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND reltuples >= %s",
        (list(scanned), _MANY),
    ).fetchall()
    return Plan(" ".join(statement.split()), nodes, {name for (name,) in many})


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


@contextmanager
def statements() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """Collect what SQLAlchemy sends, from all engines of this process, with its values."""
    found: list[tuple[str, dict[str, Any]]] = []

    def remember(_c: Any, _k: Any, statement: str, values: Any, _x: Any, _many: bool) -> None:
        found.append((statement, values if isinstance(values, dict) else {}))

    event.listen(Engine, "before_cursor_execute", remember)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", remember)
