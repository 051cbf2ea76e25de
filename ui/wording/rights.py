"""To whom products and releases are open, in words."""

from collections.abc import Iterator

from chatbot.text.languages import gettext
from corpora.catalog.rights import OPEN, Audience, ProductRights, Right


def to_whom(right: Right) -> str:
    """To whom something is open."""
    if right.audience is Audience.GROUPS:
        return gettext("the groups {groups}", groups=", ".join(right.groups))
    return gettext("admins only") if right.audience is Audience.ADMINS else gettext("all")


def kept_after_deleting(rights: ProductRights, release: str = "") -> Iterator[str]:
    """What stays said of a product, or of its release, that is about to be deleted."""
    said = dict(rights.releases)
    if release:
        own = {f"{rights.product} {release}": said[release]} if release in said else {}
    else:
        own = {rights.product: rights.right} if rights.right != OPEN else {}
        own |= {f"{rights.product} {name}": right for name, right in said.items()}
    if own:
        open_to = "; ".join(f"{name}: {to_whom(right)}" for name, right in own.items())
        yield gettext(
            "Who may see it stays as it is, also if it is made again: {open_to}.", open_to=open_to
        )
    if not release and rights.admins:
        yield gettext(
            "It has no admins of its own then; now they are {names}.",
            names=", ".join(rights.admins),
        )
