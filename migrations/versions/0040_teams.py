"""Roles in projects, bound tokens, an audit log that is a chain, erased people, retention."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

_ROLES: Final = ("annotator", "reviewer", "manager")
# As ``core.security.audit_chain`` reads it: a row of the log as text, in the order of this list.
_SEALED: Final = """jsonb_build_array(
    number_, row_.id, to_char(row_.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    row_.actor_id, row_.project_id, row_.verb, row_.object_type, row_.object_id, row_.detail,
    encode(origin_, 'hex'))::text"""
# Runs as the owner: the service may add to the log, and not to the chain by itself.
_APPEND: Final = f"""
CREATE FUNCTION public.audit_append(row_ public.audit) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last_ public.audit_chain%ROWTYPE;
    number_ bigint;
    salt_ bytea := uuid_send(gen_random_uuid());
    origin_ bytea := sha256(
        salt_ || convert_to(jsonb_build_array(row_.address, row_.agent)::text, 'UTF8'));
BEGIN
    PERFORM pg_advisory_xact_lock(4803940059);
    SELECT * INTO last_ FROM public.audit_chain ORDER BY number DESC LIMIT 1;
    number_ := coalesce(last_.number, 0) + 1;
    INSERT INTO public.audit_chain (number, audit_id, salt, origin, hash) VALUES (
        number_, row_.id, salt_, origin_,
        sha256(coalesce(last_.hash, ''::bytea) || convert_to({_SEALED}, 'UTF8')));
END $$
"""
_ON_INSERT: Final = """
CREATE FUNCTION public.audit_added() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM public.audit_append(NEW);
    RETURN NULL;
END $$
"""
# Deferred: the lock is taken when everything else of the transaction is done.
_TRIGGER: Final = """
CREATE CONSTRAINT TRIGGER audit_added AFTER INSERT ON public.audit
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.audit_added()
"""
_CHAIN_WHAT_IS_THERE: Final = """
DO $$
DECLARE row_ public.audit;
BEGIN
    FOR row_ IN SELECT * FROM public.audit ORDER BY id LOOP
        PERFORM public.audit_append(row_);
    END LOOP;
END $$
"""


def upgrade() -> None:
    op.add_column("members", sa.Column("role", sa.String(32), nullable=True))
    op.execute(
        "UPDATE members m SET role = CASE WHEN u.role = 'annotator' THEN 'annotator' "
        "ELSE 'manager' END FROM users u WHERE u.id = m.user_id"
    )
    op.alter_column("members", "role", nullable=False)
    values = ", ".join(f"'{one}'" for one in _ROLES)
    op.create_check_constraint(op.f("ck_members_projectrole"), "members", f"role IN ({values})")
    op.add_column("members", sa.Column("lowered_from", sa.String(), nullable=True))
    _tokens()
    _audit()
    op.add_column("users", sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True))
    for name, type_ in (
        ("finished_at", sa.DateTime(timezone=True)),
        ("retain_days", sa.BigInteger()),
        ("retain_since", sa.DateTime(timezone=True)),
    ):
        op.add_column("projects", sa.Column(name, type_, nullable=True))
    # Nobody has written down when: from now on it is.
    op.execute("UPDATE projects SET finished_at = now() WHERE state = 'finished'")


def _tokens() -> None:
    op.add_column("api_tokens", sa.Column("project_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(
        op.f("fk_api_tokens_project_id_projects"),
        "api_tokens", "projects", ["project_id"], ["id"], ondelete="CASCADE",
    )  # fmt: skip
    op.create_index(op.f("ix_api_tokens_project_id"), "api_tokens", ["project_id"])
    op.create_table(
        "token_requests",
        sa.Column("token_id", sa.BigInteger(), nullable=False),
        sa.Column("minute", sa.BigInteger(), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"], ["api_tokens.id"],
            name=op.f("fk_token_requests_token_id_api_tokens"), ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("token_id", name=op.f("pk_token_requests")),
    )  # fmt: skip


def _audit() -> None:
    # The number of a project stays, also of one that is gone: a row never changes.
    op.drop_constraint(op.f("fk_audit_project_id_projects"), "audit", type_="foreignkey")
    op.add_column("audit", sa.Column("address", sa.String(), nullable=True))
    op.add_column("audit", sa.Column("agent", sa.String(), nullable=True))
    op.execute(
        "UPDATE audit SET address = detail ->> 'address', detail = detail - 'address' "
        "WHERE detail ? 'address'"
    )
    # Of people the log keeps the number: their name and address stand with the user.
    op.execute(
        "UPDATE audit SET detail = (detail - 'email') #- '{changes,name}' #- '{changes,email}' "
        "WHERE object_type = 'user' AND object_id IS NOT NULL"
    )
    # People call their tokens what they like, after themselves too: that stands with the token.
    op.execute("UPDATE audit SET detail = detail - 'name' WHERE object_type = 'token'")
    op.create_table(
        "audit_chain",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("audit_id", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=True),
        sa.Column("origin", sa.LargeBinary(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit_chain")),
        sa.UniqueConstraint("audit_id", name=op.f("uq_audit_chain_audit_id")),
    )
    for statement in (_APPEND, _ON_INSERT, _TRIGGER, _CHAIN_WHAT_IS_THERE):
        op.execute(sa.text(statement.replace(":", r"\:")))
    op.execute("REVOKE ALL ON FUNCTION public.audit_append(public.audit) FROM PUBLIC")


def downgrade() -> None:
    for name in ("retain_since", "retain_days", "finished_at"):
        op.drop_column("projects", name)
    op.drop_column("users", "erased_at")
    op.execute("DROP TRIGGER audit_added ON audit")
    op.execute("DROP FUNCTION audit_added()")
    op.execute("DROP FUNCTION audit_append(audit)")
    op.drop_table("audit_chain")
    op.execute(
        "UPDATE audit SET detail = detail || jsonb_build_object('address', address) "
        "WHERE address IS NOT NULL"
    )
    op.drop_column("audit", "agent")
    op.drop_column("audit", "address")
    op.execute(
        "UPDATE audit SET project_id = NULL WHERE NOT EXISTS "
        "(SELECT FROM projects p WHERE p.id = project_id)"
    )
    op.create_foreign_key(
        op.f("fk_audit_project_id_projects"),
        "audit", "projects", ["project_id"], ["id"], ondelete="SET NULL",
    )  # fmt: skip
    op.drop_table("token_requests")
    # They would open everything that their owners may.
    op.execute(
        "UPDATE api_tokens SET revoked_at = now() "
        "WHERE project_id IS NOT NULL AND revoked_at IS NULL"
    )
    op.drop_column("api_tokens", "project_id")
    op.drop_column("members", "lowered_from")
    op.drop_column("members", "role")
