"""What the client makes of answers that Karat does not give, from a server that says them."""

from collections.abc import Callable, Iterator

import pytest

from karat import Client, KaratError
from tests.receiver import Answer, Receiver, receiver, status


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


@pytest.fixture
def client(there: Receiver) -> Iterator[Client]:
    with Client(there.url, "karat_token", retry_seconds=10) as made:
        yield made


def says(content: str, code: int = 200, kind: str = "application/json") -> Answer:
    return status(code, content.encode(), Content_Type=kind)


@pytest.mark.parametrize("code", [502, 504])
def test_what_a_proxy_may_have_passed_on_is_not_sent_twice(
    client: Client, there: Receiver, code: int
) -> None:
    there.answers = [status(code), says("{}")]
    with pytest.raises(KaratError, match="may have been done") as caught:
        client.webhooks.rotate_secret(1)
    assert (caught.value.code, caught.value.status) == ("unexpected", code)
    assert len(there.received) == 1


@pytest.mark.parametrize(
    ("code", "call"),
    [
        (502, Client.version),
        (504, lambda client: client.revoke_token(1)),
        (504, lambda client: client.cancel_job(1)),
        (503, lambda client: client.retry_job(1)),
    ],
)
def test_what_was_not_done_or_may_be_done_twice_is_sent_again(
    client: Client, there: Receiver, code: int, call: Callable[[Client], object]
) -> None:
    there.answers = [status(code), says('{"version": "1"}')]
    call(client)
    assert len(there.received) == 2
