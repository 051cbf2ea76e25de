"""What a run is recorded to have been made with, so that two of them can be told apart."""

import hashlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

from chatbot.accounts.settings import SignInSettings
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from eval.foreign import Address
from eval.gold import GoldQuestion
from eval.runs.folder import Manifest
from prompts import fingerprint

_ROOT = Path(__file__).parents[2]
_OF_ONE_RUN = (
    *("strata", "commit", "questions_sha256", "model", "settings", "prompts", "corpora"),
)
"""What cannot change within a run."""


@dataclass(frozen=True)
class Plan:
    """What to ask of which systems; `metrics` are the judge's, none without one.

    `addresses` are those of systems of others, by name; `keys` of some of them are kept nowhere.
    """

    gold: Path
    questions: tuple[GoldQuestion, ...]
    systems: tuple[str, ...]
    repeats: int = 1
    metrics: tuple[str, ...] = ()
    judge: str = ""
    at_once: int = 1
    addresses: Mapping[str, Address] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)


def manifest_of(plan: Plan, chatbot: Chatbot) -> Manifest:
    """The manifest of a run that begins now. Raises UnknownRelease for a product."""
    started = datetime.now(UTC)
    return Manifest(
        name=f"{plan.gold.stem} {started:%Y-%m-%d %H:%M}",
        started=started,
        strata=metadata.version("strata-docs"),
        commit=_commit(),
        questions_file=plan.gold.name,
        questions_sha256=hashlib.sha256(plan.gold.read_bytes()).hexdigest(),
        questions=len(plan.questions),
        systems=plan.systems,
        addresses={name: str(address) for name, address in plan.addresses.items()},
        repeats=plan.repeats,
        metrics=plan.metrics,
        model=chatbot.settings.model_name,
        judge=plan.judge,
        settings=_changed(chatbot.settings),
        prompts=_fingerprints(),
        corpora=_corpora(plan, chatbot),
        cores=os.cpu_count() or 1,
        at_once=plan.at_once,
        alone=chatbot.database.sight is not None,
    )


def differences(kept: Manifest, now: Manifest) -> list[str]:
    """In what a run differs that is to be taken up; it may get more systems, repeats, metrics."""
    judges = {kept.judge, now.judge} - {""}
    found = [name for name in _OF_ONE_RUN if getattr(kept, name) != getattr(now, name)]
    common = kept.addresses.keys() & now.addresses.keys()
    moved = any(kept.addresses[name] != now.addresses[name] for name in common)
    return (
        found
        + (["judge"] if len(judges) > 1 else [])
        + (["addresses of a system"] if moved else [])
    )


def taken_up(kept: Manifest, now: Manifest) -> Manifest:
    """A run that is there with what is wanted of it now."""
    return kept.model_copy(
        update={
            "systems": tuple(dict.fromkeys((*kept.systems, *now.systems))),
            "addresses": {**kept.addresses, **now.addresses},
            "repeats": max(kept.repeats, now.repeats),
            "metrics": tuple(dict.fromkeys((*kept.metrics, *now.metrics))),
            "judge": now.judge or kept.judge,
            "at_once": now.at_once,
            "finished": None,
        }
    )


def _commit() -> str:
    """The commit of the checkout that this runs in, with a mark where files are changed."""
    if not (_ROOT / ".git").exists():
        return ""
    describe = ("describe", "--always", "--dirty", "--exclude=*", "--abbrev=12")
    try:
        found = subprocess.run(
            ["git", "-C", str(_ROOT), *describe], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return found.stdout.strip()


def _changed(settings: Settings) -> dict[str, Any]:
    """The settings that are not the defaults, without those of people, places and secrets."""
    given = settings.model_dump(exclude_defaults=True, exclude=set(SignInSettings.model_fields))
    plain = {name: value for name, value in given.items() if isinstance(value, bool | int | float)}
    words = {n: v for n, v in given.items() if isinstance(v, str) and not set("/@\\") & set(v)}
    return dict(sorted({**plain, **words}.items()))


def _fingerprints() -> dict[str, str]:
    names = (path.name for path in files("prompts").iterdir())
    return {
        name.removesuffix(".md"): fingerprint(name.removesuffix(".md"))
        for name in sorted(names)
        if name.endswith(".md")
    }


def _corpora(plan: Plan, chatbot: Chatbot) -> Mapping[str, Mapping[str, str]]:
    """The documents of the products that are asked about; systems of others have their own."""
    asked = dict.fromkeys(question.product for question in plan.questions)
    if plan.addresses.keys() >= {*plan.systems}:
        there = {product.name for product in chatbot.products()}
        asked = {name: None for name in asked if name in there}
    return {
        name: {
            release.name: _documents(chatbot, release.product, release.name)
            for release in chatbot.catalog.product(name).releases
        }
        for name in asked
    }


def _documents(chatbot: Chatbot, product: str, release: str) -> str:
    documents = chatbot.corpora.corpus(product, release).documents()
    listed = "\n".join(f"{document.file} {document.content_hash}" for document in documents)
    return hashlib.sha256(listed.encode()).hexdigest()[:12]
