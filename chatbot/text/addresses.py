"""Addresses of people, so that no two that are written differently count as one."""

import unicodedata


def lowered(address: str) -> str:
    """Return an address with its ASCII letters in lower case.

    Other letters stay as they are: folding joins some (ſ and s, ß and ss) that a provider keeps
    apart, and an address would be somebody else's. Raises ValueError for an address with what
    Unicode's NFKC takes for other characters, with blanks other than the space, or with what
    nobody sees.
    """
    if not address.isprintable() or unicodedata.normalize("NFKC", address) != address:
        raise ValueError(f"{address!a} has characters that can be taken for others")
    return address.encode().lower().decode()
