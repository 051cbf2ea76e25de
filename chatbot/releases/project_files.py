"""The versions of packages, charts and images that the files of a project state."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from packaging.requirements import InvalidRequirement, Requirement

from chatbot.text.checked_yaml import check_yaml

LARGEST = 20_000_000
"""Characters of a file; a longer one is no lock file."""
_MOST_FILES = 500
_DEPTH = 3
_FOREIGN = frozenset({"node_modules", "vendor", "site-packages", "build", "dist", "target"})
_EXACT = re.compile(r"[=v]*(\d[\w.+-]*)")
_GO = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w./-]+)\s+(v\d\S*)", re.M)
_GEM = re.compile(r"^ {4}([\w.-]+) \(([\w.-]+)\)$", re.M)
_YARN = re.compile(r'^"?((?:@[^/\s"]+/)?[^@\s"]+)@[^\n]*:\n\s+version:? "?([\w.+-]+)', re.M)
_IMAGE = re.compile(
    r"(?:\bimage:|^FROM)\s*[\"']?(?:--platform=\S+\s+)?([\w./-]+(?::\d+/[\w./-]+)?):([\w][\w.-]*)",
    re.M,
)
_ARGUMENT = re.compile(r"^ARG\s+(\w+)=[\"']?([\w./:-]+)", re.M)
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_PNPM = re.compile(r"/?((?:@[^/]+/)?[^@/]+)[@/](\d[^(_]*)")


@dataclass(frozen=True, slots=True)
class StatedVersion:
    """A version of something in a file; `version` is empty where a range allows several.

    `rank` orders files: what was installed (0) goes before what was asked for (1). Without a `name`
    it stands for a file that cannot be parsed.
    """

    name: str
    version: str
    file: str
    rank: int
    written: str = ""


Pair = tuple[str, str]


def is_project_file(name: str) -> bool:
    """Whether a file of this name, which may have a path before it, can state versions."""
    return _reader(name) is not None


def versions_stated(name: str, text: str) -> list[StatedVersion]:
    """The versions that a file states, which is read by its name; of one that is malformed that.

    The text is hostile: it is parsed and never run, and nothing is looked up.
    """
    reader = _reader(name)
    if reader is None:
        return []
    rank, read = reader
    malformed = [StatedVersion("", "", name, rank)]
    if len(text) > LARGEST:
        return malformed
    try:
        pairs = list(read(text))
    # The parsers go one call deeper with each bracket.
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError, yaml.YAMLError):
        return malformed
    return [
        StatedVersion(package, _exact(version), name, rank, version) for package, version in pairs
    ]


def files_of(folder: Path) -> Iterator[tuple[str, str]]:
    """The files of a project that can state versions, as name and text, at most 500.

    Links that leave the folder, hidden folders and those of other people's code are left out.
    """
    found = (
        path
        for path in _walk(folder, _DEPTH)
        if is_project_file(path.relative_to(folder).as_posix()) and path.stat().st_size <= LARGEST
    )
    for path in islice(found, _MOST_FILES):
        yield path.relative_to(folder).as_posix(), path.read_text("utf-8", errors="replace")


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            continue
        if path.is_file():
            yield path
        elif depth and path.is_dir() and path.name[0] != "." and path.name not in _FOREIGN:
            yield from _walk(path, depth - 1)


def _exact(version: str) -> str:
    match = _EXACT.fullmatch(version.strip())
    return match[1] if match else ""


def _packages(text: str, key: str = "package") -> Iterator[Pair]:
    for package in tomllib.loads(text).get(key, ()):
        yield package["name"], str(package.get("version", ""))


def _requirements(lines: Iterable[str]) -> Iterator[Pair]:
    for line in lines:
        try:
            requirement = Requirement(line.split(" #")[0].split(" --hash")[0].rstrip("\\ \t"))
        except InvalidRequirement:
            continue
        yield requirement.name, str(requirement.specifier).removeprefix("==")


def _pyproject(text: str) -> Iterator[Pair]:
    data = tomllib.loads(text)
    project = data.get("project", {})
    if "version" in project:
        yield project["name"], project["version"]
    yield from _requirements(project.get("dependencies", ()))
    for group in (
        *project.get("optional-dependencies", {}).values(),
        *data.get("dependency-groups", {}).values(),
    ):
        yield from _requirements(line for line in group if isinstance(line, str))
    tools = data.get("tool", {})
    yield from _requirements(tools.get("uv", {}).get("dev-dependencies", ()))
    poetry = tools.get("poetry", {})
    for group in (poetry, *poetry.get("group", {}).values()):
        for name, version in group.get("dependencies", {}).items():
            yield name, version if isinstance(version, str) else str(version.get("version", ""))


def _package_json(text: str) -> Iterator[Pair]:
    data = json.loads(text)
    if "version" in data:
        yield data["name"], data["version"]
    for kind in ("dependencies", "devDependencies", "peerDependencies"):
        yield from data.get(kind, {}).items()


def _package_lock(text: str) -> Iterator[Pair]:
    data = json.loads(text)
    own: set[str] = set()
    # A copy below another package is that one's, and is the project's only where it has no other.
    packages = data.get("packages", {}).items()
    for path, package in sorted(packages, key=lambda item: item[0].count("node_modules/") > 1):
        name = package.get("name") or path.rpartition("node_modules/")[2]
        if name and "version" in package and not (path.count("node_modules/") > 1 and name in own):
            own.add(name)
            yield name, package["version"]
    for name, package in data.get("dependencies", {}).items():
        yield name, package["version"]


def _pipfile_lock(text: str) -> Iterator[Pair]:
    data = json.loads(text)
    for section in ("default", "develop"):
        for name, package in data.get(section, {}).items():
            yield name, package.get("version", "")


def _composer_lock(text: str) -> Iterator[Pair]:
    data = json.loads(text)
    for package in (*data.get("packages", ()), *data.get("packages-dev", ())):
        yield package["name"], package["version"]


def _pnpm_lock(text: str) -> Iterator[Pair]:
    data = next(_yaml(text))
    own: set[str] = set()
    for importer in (data, *(data.get("importers") or {}).values()):
        for kind in ("dependencies", "devDependencies", "optionalDependencies"):
            for name, chosen in (importer.get(kind) or {}).items():
                version = chosen["version"] if isinstance(chosen, dict) else chosen
                own.add(name)
                yield name, re.split("[(_]", version)[0]
    # Of what the project itself asks for, other packages may have other versions.
    for key in data.get("packages") or {}:
        if (match := _PNPM.fullmatch(key.split("(")[0])) and match[1] not in own:
            yield match[1], match[2]


def _chart(text: str) -> Iterator[Pair]:
    data = next(_yaml(text))
    charts = list(data.get("dependencies") or ())
    if "appVersion" in data:
        yield data["name"], str(data["appVersion"])
    elif "name" in data:
        charts.append(data)
    # The number of a chart is not that of what it installs.
    for chart in charts:
        yield chart["name"], f"by its chart {chart.get('version', '')}".rstrip()


def _dockerfile(text: str) -> Iterator[Pair]:
    arguments = dict(_ARGUMENT.findall(text))
    yield from _IMAGE.findall(_VARIABLE.sub(lambda of: arguments.get(of[1], of[0]), text))


def _images(text: str) -> Iterator[Pair]:
    yield from _IMAGE.findall(text)
    try:
        waiting = list(_yaml(text))
    except yaml.YAMLError:
        # A template of a chart is no YAML before it is filled in.
        return
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        # A file of a few lines can refer to the same node a billion times.
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, dict):
            if isinstance(node.get("repository"), str) and node.get("tag"):
                yield node["repository"], str(node["tag"])
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


_WITHOUT_NUMBERS = {
    sign: [(tag, of) for tag, of in kinds if tag.rpartition(":")[2] not in ("float", "int")]
    for sign, kinds in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Loader = type("_Loader", (yaml.CSafeLoader,), {"yaml_implicit_resolvers": _WITHOUT_NUMBERS})
"""Reads numbers as text: 3.20 is not 3.2."""


def _yaml(text: str) -> Iterator[Any]:
    check_yaml(text)
    loader = _Loader(text)
    try:
        while loader.check_data():
            yield loader.get_data()
    finally:
        loader.dispose()


_READERS: Mapping[str, tuple[int, Any]] = {
    "poetry.lock": (0, _packages),
    "uv.lock": (0, _packages),
    "pdm.lock": (0, _packages),
    "Cargo.lock": (0, _packages),
    "pylock*.toml": (0, partial(_packages, key="packages")),
    "Pipfile.lock": (0, _pipfile_lock),
    "package-lock.json": (0, _package_lock),
    "npm-shrinkwrap.json": (0, _package_lock),
    "pnpm-lock.yaml": (0, _pnpm_lock),
    "yarn.lock": (0, _YARN.findall),
    "composer.lock": (0, _composer_lock),
    "Gemfile.lock": (0, _GEM.findall),
    "go.mod": (0, _GO.findall),
    "requirements*.txt": (0, lambda text: _requirements(text.splitlines())),
    "requirements/*.txt": (0, lambda text: _requirements(text.splitlines())),
    "constraints*.txt": (0, lambda text: _requirements(text.splitlines())),
    "Chart.lock": (1, _chart),
    "Chart.yaml": (1, _chart),
    "pyproject.toml": (1, _pyproject),
    "package.json": (1, _package_json),
    "Dockerfile*": (1, _dockerfile),
    "*.Dockerfile": (1, _dockerfile),
    "*.yaml": (1, _images),
    "*.yml": (1, _images),
}


def _reader(name: str) -> tuple[int, Any] | None:
    path = PurePosixPath(name)
    return next((reader for wanted, reader in _READERS.items() if path.match(wanted)), None)
