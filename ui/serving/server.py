"""The web server: Streamlit with the interface for programs, behind the gate.

`strata serve` runs this file; Streamlit reads `.streamlit/config.toml` because it lies beside it.
"""

import logging
import resource
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware

from chatbot.accounts.sign_in import cookie_secret
from chatbot.settings import Settings, prepare_process, read_settings
from ui.api.app import Api
from ui.serving.answering import LOG_FORMAT
from ui.serving.gate import PROXY_GROUPS, PROXY_PERSON, Gate
from ui.serving.services import account_administers, opened_chatbot
from ui.serving.worker import start_keeper

_MOST_FILES = 65_536


def serve(settings: Settings) -> None:
    """Serve the pages until the process is told to end."""
    api = Api(opened_chatbot)
    app = st.App(
        Path(__file__).parents[1] / "app.py",
        secrets=_secrets(settings),
        routes=api.routes,
        lifespan=api.lifespan,
        middleware=[Middleware(Gate, settings=settings, administers=account_administers)],
    )
    app.run(config=_options(settings))


def _secrets(settings: Settings) -> dict[str, Any] | None:
    """The secrets of `st.login`; they are passed on here and never written to a file."""
    if settings.sign_in != "oidc" or settings.oidc_client_secret is None:
        return None
    return {
        "auth": {
            "redirect_uri": f"{settings.public_url}/oauth2callback",
            "cookie_secret": cookie_secret(settings),
            "client_id": settings.oidc_client_id,
            "client_secret": settings.oidc_client_secret.get_secret_value(),
            "server_metadata_url": f"{settings.oidc_issuer}/.well-known/openid-configuration",
        }
    }


def _options(settings: Settings) -> dict[str, Any]:
    """Streamlit's options, which no configuration file or variable elsewhere can weaken."""
    options: dict[str, Any] = {
        "server.address": settings.host,
        "server.port": settings.port,
        "server.enableCORS": True,
        "server.enableXsrfProtection": True,
        "server.enableStaticServing": False,
        "server.enableAgentApi": False,
        "server.trustedUserHeaders": {},
        "server.maxUploadSize": settings.largest_upload,
        "server.maxMessageSize": 64,
        "secrets.files": [],
        "logger.hideWelcomeMessage": True,
    }
    if settings.public_url:
        url = urlsplit(settings.public_url)
        options |= {
            "browser.serverAddress": url.hostname,
            "browser.serverPort": url.port or (443 if url.scheme == "https" else 80),
            "server.corsAllowedOrigins": [settings.public_url],
        }
    if settings.sign_in == "proxy":
        headers = (PROXY_PERSON, PROXY_GROUPS)
        options["server.trustedUserHeaders"] = {header: header for header in headers}
    return options


def _allow_connections() -> None:
    """Let as many files be open as may be: each connection is one, and most shells allow 1,024."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


if __name__ == "__main__":
    # Before the library for MCP has one of its own, which takes seconds for a traceback.
    logging.basicConfig(format=LOG_FORMAT)
    prepare_process()
    _allow_connections()
    if "--worker" in sys.argv:
        start_keeper()
    serve(read_settings())
