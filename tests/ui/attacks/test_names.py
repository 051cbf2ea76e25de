"""Names that a proxy passes on as somebody wrote them: none is taken for an admin's."""

from __future__ import annotations

from tests.browser.signing_in import PROXY
from tests.ui.attacks.conftest import ADA, Server, each
from tests.ui.attacks.test_requests import status

ALIKE = {
    "long-s": ("chriſ@example.org", 401),
    "sharp-s": ("voß@example.org", 403),
    "kelvin": ("\N{KELVIN SIGN}im@example.org", 401),
    "ligature": ("ﬁn@example.org", 401),
    "full-width": ("ａda@example.org", 401),
    "dotted-capital": ("kİm@example.org", 403),
    "no-break-space": ("\xa0ada@example.org", 401),
    "no-break-space-behind": ("ada@example.org\xa0", 401),
    "narrow-space": ("ada@example.org\u202f", 401),
    "em-space": ("\u2003ada@example.org", 401),
    "line-separator": ("ada@example.org\u2028", 401),
    "unit-separator": ("ada@example.org\x1f", 401),
    "next-line": ("ada@example.org\x85", 401),
    "invisible": ("ada\u200b@example.org", 401),
    "joined-letter": ("a\N{COMBINING DIAERESIS}da@example.org", 401),
}
"""By kind an address that is not quite an admin's, and how it is refused."""
ADMINS = (ADA.id, "chris@example.org", "voss@example.org", "kim@example.org", "fin@example.org")


def named(server: Server, address: str) -> int:
    """The status of an admins' address for who comes from the proxy under a name."""
    head = b"GET /_stcore/metrics HTTP/1.1\r\nHost: x\r\nX-Forwarded-Email: "
    return status(server.raw(head + address.encode() + b"\r\n\r\n", PROXY, seconds=1))


@each(ALIKE)
def test_a_name_like_an_admin_s_is_not_theirs(server: Server, case: tuple[str, int]) -> None:
    address, refused = case
    assert named(server, address) in (refused, 400)


def test_an_admin_s_own_name_is_theirs_in_capitals_too(server: Server) -> None:
    assert [named(server, name) for name in ADMINS] == [200] * len(ADMINS)
    assert named(server, " ADA@Example.org ") == 200
