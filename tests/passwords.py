"""Passwords of people in tests."""

from argon2 import PasswordHasher

_hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def hashed(password: str) -> str:
    """As it is stored, at the least that argon2 can cost: comparing costs what hashing did."""
    return _hasher.hash(password)
