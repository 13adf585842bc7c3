"""The kinds of jobs and artifacts that a restore of an older backup may have taken away.

Until then revisions that add a kind looked for the others at the tables that a restore had set
aside, if there were any.
"""

from migrations.checks import allow

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

_JOBS = (
    "import_pool",
    "advance_round",
    "learn_features",
    "taufe",
    "prune",
    "relabel",
    "score_part",
    "resize",
    "embedding_map",
    "compare",
    "look_up",
    "localize",
    "look_at",
    "select_instructions",
    "certify",
)
_ARTIFACTS = (
    "checkpoint",
    "meta_model",
    "scores",
    "import_report",
    "comparison",
    "subset",
    "relabels",
    "embedding_map",
    "alike",
    "selection",
    "certificate",
    "snapshot",
)
_SOURCES = ("annotator", "import", "review", "model")


def upgrade() -> None:
    allow("jobs", "kind", "jobkind", add=_JOBS)
    allow("artifacts", "kind", "artifactkind", add=_ARTIFACTS)
    allow("annotations", "source", "source", add=_SOURCES)


def downgrade() -> None:
    pass
