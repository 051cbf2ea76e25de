"""`strata worker`: does what admins order on the page: uploads, re-reading, deleting."""

from __future__ import annotations

from typing import Annotated

import typer


def worker(
    parent: Annotated[
        int | None,
        typer.Option(hidden=True, help="Stop when this is no longer the parent process."),
    ] = None,
) -> None:
    """Process uploads and other jobs; stop it with Ctrl-C.

    `strata serve` starts one by itself. The next worker continues a job that was interrupted.
    """
    import logging

    from chatbot.settings import prepare_process, read_settings
    from ui.serving.worker import run_worker

    prepare_process()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for chatty in ("httpx", "chromadb", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    run_worker(read_settings(), parent)
