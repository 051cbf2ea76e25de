"""What a case of the attack suite is: data that the tests beside it put to the real parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Attack:
    """An attack of a `kind` at a `door`: what is sent, what must not come of it, what stops it.

    What has to come instead is `refused`, the statuses or words that a refusal may have.
    """

    id: str
    kind: str
    door: str
    payload: Any
    must_not: str
    stopped_by: str
    refused: tuple[Any, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.id
