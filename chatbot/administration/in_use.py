"""The language model and profile in use here, with the reason, for operators."""

from dataclasses import dataclass

from chatbot.models.files import GENERATOR
from chatbot.models.machine import GB, fitting_generators, generator_here, this_machine
from chatbot.models.settings import CAPABLE
from chatbot.settings import Settings


@dataclass(frozen=True)
class InUse:
    """A thing in use: its kind ("profile"), its name, and the reason in a few words."""

    kind: str
    name: str
    why: str


def in_use(settings: Settings) -> tuple[InUse, InUse]:
    """The language model and the profile. Raises BadSettings."""
    return (
        InUse("language model", settings.model_name or "none", _why_model(settings)),
        InUse("profile", settings.profile_in_use, _why_profile(settings)),
    )


def larger_generator(settings: Settings) -> str:
    """Advice to use a larger generator that fits this machine; empty where none does."""
    automatic = settings.generator == "auto"
    chosen = "generator" in settings.model_fields_set and not automatic
    if settings.backend != "embedded" or chosen:
        return ""
    machine = this_machine()
    best = fitting_generators(machine)[0]
    used = generator_here(machine, settings.models_dir) if automatic else GENERATOR
    if best.size <= used.size:
        return ""
    how = "`strata models pull`" if automatic else "STRATA_GENERATOR=auto"
    return (
        f"This machine ({machine}) can bear the {best.role}, {best.key}: {how} takes it "
        f"from the Hugging Face Hub ({best.size / GB:.1f} GB)."
    )


def _why_model(settings: Settings) -> str:
    if settings.backend != "embedded":
        return f"the backend {settings.backend} is set"
    if "generator" not in settings.model_fields_set:
        return "it is the default"
    if settings.generator != "auto":
        return "it is set"
    return f"it is the largest one present that this machine ({this_machine()}) can run"


def _why_profile(settings: Settings) -> str:
    if settings.profile != "auto":
        return "it is set"
    if settings.backend not in ("embedded", "scripted"):
        return f"the backend {settings.backend} has a model that reads and writes by itself"
    if not settings.parameters:
        return "there is no language model that reads questions"
    least = "at least" if settings.has_capable_model else "fewer than"
    return (
        f"the model has {settings.parameters / 1e9:.1f} billion parameters, {least} "
        f"{CAPABLE // 10**9}"
    )
