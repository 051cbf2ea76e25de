"""The certificates that this computer trusts, for requests to the servers of models."""

from functools import cache

import httpx2

trusted_certificates = cache(httpx2.create_ssl_context)
"""They are read once: each time takes 40 ms, longer than an embedder needs for a question."""
