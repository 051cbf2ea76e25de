"""The certificates that this computer trusts, for requests to the servers of models."""

from functools import cache
from typing import Any

import httpx
import httpx2
from pydantic import SecretStr

trusted_certificates = cache(httpx2.create_ssl_context)
"""They are read once: each time takes 40 ms, longer than an embedder needs for a question."""


def posted(url: httpx.URL | str, body: Any, key: SecretStr | None, seconds: float) -> Any:
    """The JSON that a server answers to JSON. Raises httpx.HTTPError and ValueError."""
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    certificates = trusted_certificates()
    reply = httpx.post(url, json=body, headers=headers, timeout=seconds, verify=certificates)
    return reply.raise_for_status().json()
