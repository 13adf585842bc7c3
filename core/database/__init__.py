"""How the database is reached, and what is asked of it everywhere."""
