"""The packages of the extras `hf` and `train`, which tuning needs."""

import importlib.util

from chatbot.tuning.instructions import TuningError


def require_extras(*packages: str) -> None:
    """Raise TuningError where some of the packages are not installed."""
    if missing := [package for package in packages if importlib.util.find_spec(package) is None]:
        raise TuningError(
            f'{" and ".join(missing)} missing: `pip install "strata-docs[hf,train]"` installs what '
            "tuning needs"
        )
