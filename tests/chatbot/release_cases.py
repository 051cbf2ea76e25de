"""Questions with the release that they mean, over catalogs of all naming habits."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbot.turn import Turn
from corpora.catalog.release import (
    Product,
    Release,
    is_named_by_words,
    is_prerelease,
    unordered,
)
from eval.releases import ReleaseQuestion


@dataclass(frozen=True)
class ReleaseCase:
    """A turn before its first step, the catalog it is asked over, and what it means."""

    turn: Turn
    products: tuple[Product, ...]
    meant: ReleaseQuestion


def read_catalogs(path: Path) -> dict[str, tuple[Product, ...]]:
    """Read {catalog: [{name, releases, aliases?, latest?, also?}]}; `also`: aliases of releases."""
    catalogs = json.loads(path.read_text("utf-8"))
    return {name: tuple(map(_product, products)) for name, products in catalogs.items()}


def _product(said: Mapping[str, Any]) -> Product:
    also = said.get("also", {})
    in_words = set(filter(is_named_by_words, said["releases"]))
    unfinished = in_words if len(in_words) < len(said["releases"]) else set()
    releases = tuple(
        Release(
            said["name"],
            name,
            tuple(also.get(name, ())),
            is_prerelease(name) or name in unfinished,
        )
        for name in said["releases"]
    )
    finals = [release.name for release in releases if not release.prerelease]
    return Product(
        said["name"],
        tuple(said.get("aliases", ())),
        releases,
        said.get("latest"),
        tuple(unordered(finals or said["releases"])),
    )


def read_cases(path: Path, catalogs: Mapping[str, Sequence[Product]]) -> list[ReleaseCase]:
    """Read a JSONL file of {catalog, question, status, releases, and what Turn takes}."""
    return [_case(json.loads(line), catalogs) for line in path.read_text("utf-8").splitlines()]


def _case(said: Mapping[str, Any], catalogs: Mapping[str, Sequence[Product]]) -> ReleaseCase:
    last = said.get("conversation_release")
    turn = Turn(
        said["question"],
        product=said.get("product"),
        release=said.get("release"),
        history=tuple((user, assistant) for user, assistant in said.get("history", ())),
        conversation_release=(last[0], last[1]) if last else None,
    )
    return ReleaseCase(
        turn,
        tuple(catalogs[said["catalog"]]),
        ReleaseQuestion.model_validate(
            {"id": said["question"], "product": said["catalog"], **said}
        ),
    )
