"""How the API is described: to programs in its OpenAPI document, to people on a page."""
