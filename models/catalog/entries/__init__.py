"""The built-in entries of the catalog, one module per kind. Torch-free."""
