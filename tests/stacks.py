"""What tests of a whole installation share."""

from karat.local.stack import Stack


def admin_login(stack: Stack) -> tuple[str, str]:
    """Address and password of the admin whom a new installation has made as it started."""
    assert stack.admin_email is not None
    assert stack.admin_password is not None
    return stack.admin_email, stack.admin_password
