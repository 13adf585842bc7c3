"""The chain of the audit log: what a row's hash covers, and what breaks it.

``SEALED`` is a row ``a`` of ``audit`` with its link ``c`` of ``audit_chain`` as the text that is
hashed after the hash before. The database itself writes links, at the end of each transaction
(migration 0040); what is read here is computed from the rows, and not by a function that somebody
may have changed as well.
"""

from typing import Final

SEALED: Final = """jsonb_build_array(
    c.number, a.id, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24\\:MI\\:SS.US"Z"'),
    a.actor_id, a.project_id, a.verb, a.object_type, a.object_id, a.detail,
    encode(c.origin, 'hex'))\\:\\:text"""

_HASHED: Final = f"sha256(coalesce(c.before, ''\\:\\:bytea) || convert_to({SEALED}, 'UTF8'))"
_ORIGIN: Final = (
    "sha256(c.salt || convert_to(jsonb_build_array(a.address, a.agent)\\:\\:text, 'UTF8'))"
)


def came_from(user: str) -> str:
    """Condition on a row ``a`` of ``audit``: where it came from is where somebody was.

    What nobody signed in has done with an account counts as its owner's.

    Args:
        user: Their number, as SQL.
    """
    return f"""({user} = a.actor_id OR a.actor_id IS NULL AND {user} = a.object_id
        AND a.object_type IN ('user', 'identity', 'recovery_codes'))"""


# Salts go with the address and program of whoever is erased, and of no other entry.
_ERASED: Final = f"""EXISTS (
    SELECT FROM users u WHERE u.erased_at IS NOT NULL AND {came_from("u.id")})"""

BROKEN: Final = f"""
    SELECT found FROM (
        SELECT coalesce(c.number, a.id) AS place, CASE
            WHEN c.number IS NULL THEN 'entry ' || a.id || ' was put in past the chain'
            WHEN c.number <> coalesce(c.last, 0) + 1 THEN
                'before link ' || c.number || ' links ' || coalesce(c.last, 0) + 1 || ' to '
                || c.number - 1 || ' are gone'
            WHEN a.id IS NULL THEN
                'entry ' || c.audit_id || ' (link ' || c.number || ') was taken out'
            WHEN {_HASHED} <> c.hash THEN
                'entry ' || a.id || ' (link ' || c.number || ') is not what was written'
            WHEN c.salt IS NULL AND num_nonnulls(a.address, a.agent) > 0 OR {_ORIGIN} <> c.origin
                THEN 'entry ' || a.id || ' (link ' || c.number
                || ') came from another address or program'
            WHEN c.salt IS NULL AND NOT {_ERASED} THEN
                'entry ' || a.id || ' (link ' || c.number
                || ') lacks where it came from, and nobody was erased'
        END AS found
        FROM (
            SELECT *, lag(hash) OVER w AS before, lag(number) OVER w AS last
            FROM audit_chain WINDOW w AS (ORDER BY number)
        ) c
        FULL JOIN audit a ON a.id = c.audit_id
    ) checked WHERE found IS NOT NULL ORDER BY place
"""
"""A row of text for everything that is not as it was written; parameters: none.

What was cut off at the end is not among it: only somebody who keeps a later hash elsewhere, as
whoever follows the log does, can tell that.
"""
