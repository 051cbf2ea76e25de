"""How a question names its release, and by what it is known again."""

import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import TypeVar

from chatbot.retrieval.support import plain, whole

Item = TypeVar("Item")

_NUMBERING = re.compile(r"^\s*(?:\d+(?:\.\d+)*\.?|[A-Z]\.\d+(?:\.\d+)*)\s+")


def naming(question: str, release: str) -> str:
    """The question with its release: as it is if it has it, else "In 17.10: …"."""
    named = plain(release)
    if not named or whole(named).search(plain(question)):
        return question
    return f"In {release}: {question}"


def unnumbered(heading: str) -> str:
    """A heading without its number, which a reader could take for a release."""
    return _NUMBERING.sub("", heading)


def digest_of(product: str, release: str, question: str) -> str:
    """The hash by which the same question about the same release is known again."""
    named = "\n".join(map(plain, (product, release, question)))
    return sha256(named.encode()).hexdigest()


def question_id(product: str, release: str, question: str) -> str:
    """An id for a question that has none."""
    return f"q-{digest_of(product, release, question)[:12]}"


def in_turn(*sources: Iterator[Item]) -> Iterator[Item]:
    """One item of each source after the other, as long as any has some; none is read ahead."""
    waiting = deque(sources)
    while waiting:
        source = waiting.popleft()
        with suppress(StopIteration):
            yield next(source)
            waiting.append(source)
