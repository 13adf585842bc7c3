"""Reading an upload into a project's pool."""
