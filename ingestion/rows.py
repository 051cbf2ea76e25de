"""Things that stand in rows, on a page or in a drawing."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def clustered(items: Iterable[T], together: Callable[[T, T], bool]) -> list[list[T]]:
    """Part a sequence into groups, each of the items that go together with its first one."""
    groups: list[list[T]] = []
    for item in items:
        if groups and together(groups[-1][0], item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups
