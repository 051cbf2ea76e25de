"""What installed packages add to Strata, found by their entry points."""

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ingestion.errors import StrataError


class BadPlugin(StrataError, RuntimeError):
    """What an installed package adds cannot be used; the message names the package and says why."""

    for_operators = True


@dataclass(frozen=True)
class ExtensionPoint:
    """A group of entry points, and the names in it that are Strata's own."""

    group: str
    own: tuple[str, ...]

    def added(self) -> dict[str, EntryPoint]:
        """The entry points of packages by name. Raises BadPlugin where two claim one name."""
        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            if point.name in self.own or point.name in found:
                other = _package(found[point.name]) if point.name in found else "Strata itself"
                raise BadPlugin(
                    f"{point.name} ({self.group}) is added by {_package(point)} and by {other}: "
                    "uninstall the package that you do not need"
                )
            found[point.name] = point
        return found

    def require(self, name: str) -> str:
        """The name, if it is known here. Raises ValueError with those that are."""
        if name not in self.own and name not in (added := self.added()):
            known = ", ".join((*self.own, *added))
            raise ValueError(
                f"there is no {name}; available are {known}, and those that packages add"
            )
        return name

    def load(self, name: str) -> Any:
        """What a package adds under this name. Raises BadPlugin where it cannot be imported."""
        point = self.added()[name]
        try:
            return point.load()
        except Exception as error:
            raise BadPlugin(
                f"{name} ({self.group}) of {_package(point)} cannot be loaded "
                f"({type(error).__name__}: {error}): repair the package, or uninstall it"
            ) from error


def _package(point: EntryPoint) -> str:
    return f"the package {point.dist.name}" if point.dist else point.value
