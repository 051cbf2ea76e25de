"""Which release somebody has, from their project's files or from what a program printed."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from chatbot.releases.product_names import find_product, product_spans
from chatbot.releases.project_files import StatedVersion, versions_stated
from chatbot.releases.release_choice import read_choice
from chatbot.text.languages import gettext, shown_list
from corpora.catalog.release import Product, Release, is_prerelease, name_tokens

_PASTED = {
    "uv.lock": re.compile(r"^\[\[package\]\]", re.M),
    "pyproject.toml": re.compile(r"^\[(?:project|tool\.poetry)\b", re.M),
    "package-lock.json": re.compile(r'"lockfileVersion"'),
    "package.json": re.compile(r'^\s*\{[^{]*"(?:name|dependencies)"\s*:'),
    "requirements.txt": re.compile(r"^[\w.\[\],-]+==\S+\s*(?:#.*)?$", re.M),
}
"""The files that are told from each other by their look where they are pasted."""


@dataclass(frozen=True, slots=True)
class Installed:
    """The release of a product that somebody has.

    `version` is as it was written, and empty where it is open; `release` is None where there is no
    documentation of it. `reason` says in a clause what states it.
    """

    product: str
    version: str
    release: str | None
    reason: str

    @property
    def chosen(self) -> str:
        """The release to ask for: the one that is documented, or what is not, as written."""
        return self.release or self.version


def release_of_version(version: str, product: Product) -> Release | None:
    """The release that documents a version: its own, or the series that it is the next part of.

    17.20.3 is of 17.20 where that has no releases of its own below it; never the nearest one.
    """
    reading = read_choice(version, product)
    if reading.release:
        return reading.release
    if is_prerelease(version):
        return None
    tokens = name_tokens(version)
    named = {name_tokens(name): r for r in product.releases for name in (r.name, *r.aliases)}
    for length in range(len(tokens) - 1, 0, -1):
        series = tokens[:length]
        if any(name[:length] == series and len(name) > length for name in named):
            return None
        if series in named:
            return named[series]
    return None


def installed(stated: Iterable[StatedVersion], products: Sequence[Product]) -> list[Installed]:
    """What files state of the products that are documented, one for each that they name."""
    stated = list(stated)
    by_product: dict[str, list[StatedVersion]] = {}
    called = {_plain(name): p for p in products for name in (p.name, *p.aliases)}
    for one in stated:
        if product := called.get(_plain(one.name)):
            by_product.setdefault(product.name, []).append(one)
    found = [_one(p, by_product[p.name]) for p in products if p.name in by_product]
    if not (told := in_words_unread(stated)):
        return found
    return [replace(one, reason=f"{one.reason}; {told}") for one in found]


def in_words_unread(stated: Iterable[StatedVersion]) -> str:
    """Which files could not be parsed, in a clause; empty where all could."""
    unread = dict.fromkeys(one.file for one in stated if not one.name)
    return gettext("{files} cannot be parsed", files=shown_list(unread)) if unread else ""


def of_project(
    stated: Iterable[StatedVersion], products: Sequence[Product], question: str, product: str | None
) -> Installed | None:
    """What a project states of the product that a question is about; None where it is silent.

    That is the `product` chosen, else the one that the question names, else the only one of all
    products that the project has.
    """
    found = installed(stated, products)
    chosen = find_product(product, products) if product else None
    named = [chosen] if chosen else [p for _, _, p in product_spans(question, products)]
    if named:
        found = [one for one in found if one.product in {p.name for p in named}]
    return found[0] if len(found) == 1 else None


def pasted(text: str, products: Callable[[], Sequence[Product]]) -> tuple[str, Installed] | None:
    """The question above or below a pasted file, and what the file states of a product.

    None where a text has no file in it, or one that names no product that is documented.
    """
    for name, look in _PASTED.items():
        if look.search(text) is None:
            continue
        question, file = _apart(text)
        found = installed(versions_stated(name, file), products())
        if question and len(found) == 1:
            return question, found[0]
    return None


def _apart(text: str) -> tuple[str, str]:
    """The lines of a text that are a question, and the rest without the fence around it."""
    lines = text.splitlines()
    asking = {i for i, line in enumerate(lines) if line.rstrip().endswith("?")}
    rest = (line for i, line in enumerate(lines) if i not in asking and "```" not in line)
    return " ".join(lines[i].strip() for i in sorted(asking)), "\n".join(rest)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.rpartition("/")[2].casefold())


def _one(product: Product, stated: Sequence[StatedVersion]) -> Installed:
    rank = min(one.rank for one in stated)
    first = [one for one in stated if one.rank == rank]
    if not any(one.version for one in first):
        one = first[0]
        if not one.written:
            reason = gettext(
                "{file} allows any release of {product}, and no lock file says which",
                file=one.file,
                product=product.name,
            )
        else:
            reason = gettext(
                "{file} allows {product} {releases}, and no lock file says which",
                file=one.file,
                product=product.name,
                releases=one.written,
            )
        return Installed(product.name, "", None, reason)
    # What another file pins may differ from what is installed: then neither is taken.
    exact: dict[str, StatedVersion] = {}
    for one in sorted(stated, key=lambda one: one.rank):
        if one.version:
            exact.setdefault(one.version, one)
    releases = {version: release_of_version(version, product) for version in exact}
    if len(set(releases.values())) > 1 or (None in releases.values() and len(exact) > 1):
        each = shown_list(f"{version} ({one.file})" for version, one in exact.items())
        reason = gettext("several versions are stated: {versions}", versions=each)
        return Installed(product.name, "", None, reason)
    version, one = next(iter(exact.items()))
    release = releases[version]
    reason = gettext(
        "{file} has {product} {version}", file=one.file, product=product.name, version=version
    )
    return Installed(product.name, version, release.name if release else None, reason)
