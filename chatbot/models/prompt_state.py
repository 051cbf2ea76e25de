"""The model's state after the prompt's fixed beginning, kept in a file beside the model.

To read it takes two cores the better part of a minute, to restore it less than a second.
"""

import hashlib
import logging
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import httpx

_log = logging.getLogger(__name__)
_SLOT = 0
_SECONDS = 60.0
_SUFFIX = ".prompt-state"


class PromptState:
    """The file of one beginning, for one model, library and size of context."""

    def __init__(
        self, model: Path, adapter: Path | None, context: int, messages: Sequence[tuple[str, str]]
    ) -> None:
        key = hashlib.sha256()
        for file in filter(None, (model, adapter)):
            status = file.stat()
            key.update(f"{file.name} {status.st_size} {status.st_mtime_ns} ".encode())
        key.update(f"{version('xllamacpp')} {context} {list(messages)}".encode())
        self.folder = model.parent
        self.name = f"{model.stem}.{key.hexdigest()[:16]}{_SUFFIX}"
        self._stem = model.stem

    def restore(self, address: str, key: str) -> bool:
        """Load it into the first slot of the server at an address; False if it cannot be used."""
        if not (self.folder / self.name).is_file():
            return False
        if self._do("restore", address, key):
            return True
        _log.warning("%s cannot be used and is made anew", self.folder / self.name)
        return False

    def save(self, address: str, key: str) -> None:
        """Save the state of the first slot; a full disk or a folder of others is no failure."""
        if not self._do("save", address, key):
            return
        for other in self.folder.glob(f"{self._stem}.*{_SUFFIX}"):
            with suppress(OSError):
                if other.name != self.name:
                    other.unlink()

    def _do(self, action: str, address: str, key: str) -> bool:
        # No proxy of the environment lies between this process and itself.
        with httpx.Client(trust_env=False, timeout=_SECONDS) as client:
            try:
                reply = client.post(
                    f"{address}/slots/{_SLOT}",
                    params={"action": action},
                    json={"filename": self.name},
                    headers={"Authorization": f"Bearer {key}"},
                )
            except httpx.HTTPError as error:
                _log.warning("the prompt's beginning: %s failed (%s)", action, error)
                return False
        return reply.is_success
