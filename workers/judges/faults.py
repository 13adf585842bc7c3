"""What people are told of a judge that does not answer: each a sentence, with a remedy."""

import httpx


def told(reason: str, base_url: str, said: str) -> str:
    """Why a judge does not answer.

    Args:
        reason: As in ``replies.Verdict``.
        base_url: Of the judge.
        said: What its server says, or the system.
    """
    host = httpx.URL(base_url).host
    match reason:
        case "unauthorized" | "forbidden":
            return f"The judge at {host} does not accept the key: {said}. Enter the key anew."
        case "unpaid":
            return f"The judge at {host} wants to be paid first: {said}. Look after the account."
        case "unknown_model":
            return (
                f"The judge at {host} does not know the address or the model: {said}. Compare both "
                "with its documentation; the address mostly ends in /v1."
            )
        case "redirected":
            return f"The judge at {host} redirects: {said}. Enter the address that it redirects to."
        case "full":
            return (
                f"The judge at {host} is full: {said}. What was answered is kept; start again "
                "later, or with fewer requests at the same time."
            )
        case "unreachable" | "timeout":
            return (
                f"The judge at {host} does not answer: {said}. What was answered is kept; start "
                "again when it is well."
            )
        case _:
            return (
                f"The judge at {host} fails: {said}. What was answered is kept; start again when "
                "it is well."
            )


def unresolved(said: str) -> str:
    """Nobody knows the address of its host."""
    return f"The judge's host is not known: {said}. Check its address."


def not_allowed(said: str, host: str) -> str:
    """Its host is none that may be called."""
    return (
        f"{said}, which is not a public address. Whoever runs Karat can allow it with "
        f"KARAT_JUDGE_ALLOW={host}."
    )


def unreadable(name: str, why: str) -> str:
    """Its key cannot be opened."""
    return f"The key of the judge {name} cannot be read. {why}"


def capped(spent: float, most: float) -> str:
    """What may be spent is spent."""
    return (
        f"The judge has cost {spent:.4f}, and the next answer could take it over the cap of "
        f"{most:.4f}. What it has answered is kept: start again with a higher cap, and nothing is "
        "paid for twice."
    )
