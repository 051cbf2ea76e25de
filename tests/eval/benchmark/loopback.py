"""A small web server on this machine, for what the benchmark reads over the network."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.loopback import Asked, Reply, listening

Replies = Callable[[str, bytes], tuple[int, bytes]]
"""Status and body for a path and what was sent."""


@dataclass
class Loopback:
    """Where it listens, and the paths that it was asked for."""

    address: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def serving(replies: Replies) -> Iterator[Loopback]:
    here = Loopback()

    def reply(asked: Asked) -> Reply:
        here.asked.append(asked.path)
        return Reply(*replies(asked.path, asked.body))

    with listening(reply) as here.address:
        yield here
