"""The judge of the settings."""

from pathlib import Path
from typing import Any

from chatbot.assembly import open_model
from chatbot.models.served import provider_of
from chatbot.settings import Settings
from eval.judging.judge import Judge
from eval.recording import recorded
from ingestion.errors import BadSettings


def open_judge(
    settings: Settings, recording: Path | None = None, concurrency: int | None = None
) -> Judge:
    """The judge: the model of `judge_model`, else the one that answers, which the judge then says.

    Replies are kept by prompt in the file `recording`, and taken from it. `concurrency` is
    `server_concurrency` where it is not given. Raises BadSettings, and where there is no model.
    """
    chosen = judge_settings(settings)
    at_once = concurrency or settings.server_concurrency
    model = open_model(chosen.model_copy(update={"server_concurrency": at_once}))
    if model is None:
        raise BadSettings(
            "there is no language model to judge: set STRATA_JUDGE_MODEL, or fetch one with "
            "`strata models pull`"
        )
    return Judge(
        recorded(recording, model) if recording else model,
        name=chosen.model_name,
        itself=chosen is settings,
        concurrency=at_once,
    )


def judge_settings(settings: Settings) -> Settings:
    """The settings with the judge's model as the language model; themselves where it is none.

    A key goes to the server that it is for: that of the language model to no other one.
    """
    name = settings.judge_model
    if not name:
        return settings
    if name.endswith(".gguf"):
        in_this_process = {"backend": "embedded", "generator": name, "adapter": None}
        return settings.model_copy(update=in_this_process)
    own: dict[str, Any] = {"backend": "server", "model": name}
    if settings.judge_server_url or provider_of(name):
        own |= {"server_url": settings.judge_server_url, "server_key": settings.judge_server_key}
    return settings.model_copy(update=own)
