"""How the database is asked: together, in one round trip, and a replica where there is one."""
