"""The pool of a project, laid out on a plane."""
