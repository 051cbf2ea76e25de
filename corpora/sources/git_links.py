"""Where a file of a repository is shown in a browser."""

from collections.abc import Callable
from urllib.parse import quote

from corpora.sources.git_address import GitAddress

_PATTERNS = {
    "github": "/blob/{revision}/{path}",
    "gitlab": "/-/blob/{revision}/{path}",
    "gitea": "/src/commit/{revision}/{path}",
}
_TOLD_BY = {
    "github": "github",
    "gitlab": "gitlab",
    "gitea": "gitea",
    "forgejo": "gitea",
    "codeberg": "gitea",
}
"""A word of a host's name, and what such a host runs."""


def original_addresses(link: str, address: GitAddress) -> Callable[[str, str], str | None]:
    """Make what tells a file's own address from the revision and the path in the repository.

    Args:
        link: "auto" (told from the host's name), "github", "gitlab", "gitea", "none", or an http(s)
            address with {path}, and {revision} if it likes.
        address: Of the repository. One in a folder has no address but that of a template.
    """
    if link == "auto":
        words = address.host.casefold().split(".")
        link = next((kind for word, kind in _TOLD_BY.items() if word in words), "none")
    template = f"{address.web}{_PATTERNS[link]}" if link in _PATTERNS and address.web else link
    if "{path}" not in template:
        return lambda revision, path: None

    def original(revision: str, path: str) -> str:
        # The path last, which may hold the words of a placeholder itself.
        return template.replace("{revision}", quote(revision, safe="")).replace(
            "{path}", quote(path, safe="/")
        )

    return original
