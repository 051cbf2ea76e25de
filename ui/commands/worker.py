"""`strata worker`: does what admins order on the page: uploads, re-reading, deleting."""

from __future__ import annotations

from typing import Annotated

import typer


def worker(
    parent: Annotated[
        int | None, typer.Option(hidden=True, help="End when this is not the parent any more.")
    ] = None,
) -> None:
    """Do the jobs that admins order on the page; stop it with Ctrl-C.

    `strata serve` starts one by itself. A job that is stopped half way goes on with the next
    worker.
    """
    import logging

    from chatbot.settings import prepare_process, read_settings
    from ui.worker import run_worker

    prepare_process()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for chatty in ("huey", "httpx", "chromadb", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    run_worker(read_settings(), parent)
