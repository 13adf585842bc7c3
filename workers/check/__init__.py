"""``karat check``: the import's readers and the job's judgement, without a database or a server."""
