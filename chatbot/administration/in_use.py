"""The language model and profile in use here, with the reason, for operators."""

from dataclasses import dataclass

from chatbot.models.files import GENERATOR
from chatbot.models.machine import GB, fitting_generators, generator_here, this_machine
from chatbot.models.settings import CAPABLE
from chatbot.settings import Settings
from chatbot.text.languages import figure, gettext


@dataclass(frozen=True)
class InUse:
    """A thing in use: its kind ("Profile"), its name, and the reason in a few words."""

    kind: str
    name: str
    why: str


def in_use(settings: Settings) -> tuple[InUse, InUse]:
    """The language model and the profile. Raises BadSettings."""
    return (
        InUse(
            gettext("Language model"), settings.model_name or gettext("none"), _why_model(settings)
        ),
        InUse(gettext("Profile"), settings.profile_in_use, _why_profile(settings)),
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
    return gettext(
        "This machine ({machine}) can run a larger language model, {name}: {how} takes it from "
        "the Hugging Face Hub ({size} GB).",
        machine=machine,
        name=best.key,
        how=how,
        size=figure(best.size / GB, 1),
    )


def _why_model(settings: Settings) -> str:
    if settings.backend != "embedded":
        return gettext("the backend {name} is set", name=settings.backend)
    if "generator" not in settings.model_fields_set:
        return gettext("it is the default")
    if settings.generator != "auto":
        return gettext("it is set")
    return gettext(
        "it is the largest one present that this machine ({machine}) can run",
        machine=this_machine(),
    )


def _why_profile(settings: Settings) -> str:
    if settings.profile != "auto":
        return gettext("it is set")
    if settings.backend not in ("embedded", "scripted"):
        return gettext(
            "the backend {name} has a model that reads and writes by itself",
            name=settings.backend,
        )
    if not settings.parameters:
        return gettext("there is no language model that reads questions")
    of = {"number": figure(settings.parameters / 1e9, 1), "limit": CAPABLE // 10**9}
    if settings.has_capable_model:
        return gettext("the model has {number} billion parameters, at least {limit}", **of)
    return gettext("the model has {number} billion parameters, fewer than {limit}", **of)
