"""What a model wrote as text that can do nothing: no picture, no link, no invisible character."""

from __future__ import annotations

import re

from prompts.fencing import visible

_LINK = re.compile(r"!?\[([^\]]*)\]\(\s*<?([^)>\s]*)>?[^)]*\)")
_REFERENCE = re.compile(r"^\s*\[[^\]]+\]:\s*\S+.*$", re.M)
_ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]*://|data:|javascript:|www\.)[^\s<>)\]\"'`]+", re.I)
_TAG = re.compile(r"</?[a-z][^>]*>|<!--.*?-->", re.I | re.S)


def harmless(text: str, *, evidence: str) -> str:
    """Take out of a model's words whatever could load, link or hide something.

    A link or picture leaves its words. An address stays, as code, only where it stands in the
    `evidence`: any other could carry the conversation away. HTML tags go unless they are quoted.
    """

    def address(match: re.Match[str]) -> str:
        found = match[0].rstrip(".,;:!?")
        rest = match[0][len(found) :]
        return (f"`{found}`" if found in evidence else "(address left out)") + rest

    text = _REFERENCE.sub("", visible(text))
    text = _LINK.sub(lambda m: m[1], text)
    text = _TAG.sub(lambda m: m[0] if m[0] in evidence else "", text)
    return _ADDRESS.sub(address, text).strip()
