"""Write the table of every route, role and right into docs/rights.md, from the code.

`--check` only compares; exit code 1 where the file has another table.
"""

import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.routing import BaseRoute

from chatbot.accounts.program_keys import Scope
from ui.api.app import Api
from ui.api.mcp_server import TOOL_SCOPES
from ui.api.service import of_all
from ui.elements.frame import ACCESS, Access
from ui.serving import gate

PAGE = Path(__file__).parents[1] / "docs" / "rights.md"
ROLES = ("nobody", "without the right", "with the right", "product admin", "admin")
_NO, _YES, _ABSENT, _OWN = "no", "yes", "as if it were not there", "own products"
_BEGIN, _END = "<!-- rights, made by scripts/rights.py -->\n", "<!-- end -->"
_BY_SCOPE = {
    Scope.ASK: (_NO, _ABSENT, _YES, _YES, _YES),
    Scope.SEARCH: (_NO, _ABSENT, _YES, _YES, _YES),
    Scope.INGEST: (_NO, _NO, _NO, _OWN, _YES),
    Scope.ADMIN: (_NO, _NO, _NO, _OWN, _YES),
}
_OF_ALL = (_NO, _NO, _NO, _NO, _YES)
_BY_ACCESS = {
    Access.ALL: (_NO, _ABSENT, _YES, _YES, _YES),
    Access.PRODUCT_ADMINS: (_NO, _NO, _NO, _OWN, _YES),
    Access.ADMINS: _OF_ALL,
}
_NAMELESS = (_YES,) * len(ROLES)
_ADDRESSES = {
    "/media": ("sign-in; a picture's own address", (_NO, _YES, _YES, _YES, _YES)),
    "/_stcore/upload_file": ("sign-in", (_NO, _NO, _NO, _YES, _YES)),
    "/_stcore/metrics": ("sign-in", _OF_ALL),
    "/_stcore/agent": ("sign-in; switched off", _OF_ALL),
}
"""Streamlit's own addresses that the gate guards."""
_PAGES = (
    *("ui.chat.page", "ui.releases", "ui.account", "ui.documents.page", "ui.syncing.page"),
    *("ui.glossary", "ui.review.history_page", "ui.review.gaps_page", "ui.review.numbers_page"),
    *("ui.evaluation.page", "ui.review.audit_page"),
)
"""What says for whom each page is; one that is missing is an error."""


def routes(given: Iterable[BaseRoute], before: str = "") -> Iterator[tuple[str, Any]]:
    """Method and path of every route, also of those inside others, and the route."""
    for route in given:
        place = before + str(getattr(route, "path", "") or "")
        router = getattr(route, "original_router", route)
        if inner := getattr(router, "routes", None):
            yield from routes(inner, place)
        elif place:
            methods = getattr(route, "methods", None) or {""}
            yield from ((f"{m} {place}".strip(), route) for m in methods - {"HEAD", "OPTIONS"})


def scope_of(route: Any) -> Scope | None:
    """The scope that a key needs for a route; None where it needs no key."""
    scopes = (scope for of in _needed(route) for scope in of.own_oauth_scopes or ())
    return next(map(Scope, scopes), None)


def _needed(route: Any) -> Iterator[Any]:
    """What a route depends on, also through something else."""
    below = getattr(route, "dependant", route)
    for of in getattr(below, "dependencies", ()):
        yield of
        yield from _needed(of)


def rows() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each way in, what it needs, and what that gives to each role."""
    for module in _PAGES:
        import_module(module)

    def no_chatbot() -> Any:
        raise AssertionError("routes are listed without a chatbot")

    for name, route in sorted(routes(Api(no_chatbot).routes), key=lambda of: of[0]):
        scope = scope_of(route)
        if name == "/mcp":
            yield name, "a key", (_NO, _ABSENT, _YES, _YES, _YES)
        elif scope is not None:
            is_of_all = any(of.call is of_all for of in _needed(route))
            yield name, f"a key that may {scope}", _OF_ALL if is_of_all else _BY_SCOPE[scope]
        elif name.endswith("/hook"):
            yield name, "the secret of a source", _NAMELESS
        else:
            yield name, "nothing; names no product", _NAMELESS
    for tool, scope in sorted(TOOL_SCOPES.items()):
        yield f"MCP tool {tool}", f"a key that may {scope}", _BY_SCOPE[scope]
    for page in sorted(gate.PAGES):
        access = ACCESS[page or "chat"]
        yield f"page /{page}", "sign-in", _BY_ACCESS[access]
    for address in sorted(gate.FOR_SIGNED_IN):
        yield f"address {address}", *_ADDRESSES[address]


def table() -> str:
    """The table in Markdown."""
    head = f"| way in | needs | {' | '.join(ROLES)} |\n|{'---|' * (len(ROLES) + 2)}\n"
    lines = (f"| `{name}` | {needs} | {' | '.join(may)} |" for name, needs, may in rows())
    return head + "\n".join(lines) + "\n"


def written(page: str) -> str:
    """The page with today's table."""
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    return f"{before}{begin}{table()}{end}{after}"


def main() -> None:
    """Write or compare."""
    now = PAGE.read_text("utf-8")
    if "--check" not in sys.argv:
        PAGE.write_text(written(now), "utf-8")
    elif written(now) != now:
        sys.exit("docs/rights.md is not what the code says: run scripts/rights.py")


if __name__ == "__main__":
    main()
