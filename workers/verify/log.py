"""The audit log: nothing was changed, taken out or put in between."""

from typing import Final

from core.security.audit_chain import BROKEN
from workers.verify.check import Check, by_sql

CHECKS: Final = (
    Check(
        "audit_chain",
        "every entry of the audit log is as it was written, and none is missing",
        "Somebody has changed the table audit by other means than Karat. Compare with a copy that "
        "was kept elsewhere (karat audit-log follow), or with a backup.",
        by_sql(BROKEN),
    ),
)
