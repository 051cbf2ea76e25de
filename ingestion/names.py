"""Names that stand for a value: of the release, of the site's settings, of the file's beginning.

Settings are read as data; a `conf.py` is parsed and never run. What a text uses is written into
the text itself, in its own language, so that the text can be read again without its settings.
"""

import ast
import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from ingestion.decoding import decode
from ingestion.loaders import LOADERS
from ingestion.page import UnreadableFile
from ingestion.plain_blocks import is_restructured

FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?\n)?\1[ \t]*(\n|\Z)", re.DOTALL)
VARIABLE = re.compile(
    r"\{\{-?\s*[$.]?(?P<name>[A-Za-z_][\w.-]*?)\s*(?:\|[^{}]*)?-?\}\}"
    r"|\{\{[<%]\s*(?:param|var)\s+[\"']?(?P<parameter>[\w.-]+)[\"']?\s*[%>]\}\}",
    re.ASCII,
)
"""A variable of Jinja, Liquid, Vue or Hugo."""
CONDITION = re.compile(
    r"\{%-?\s*(?P<kind>if|unless|elsif|elif)\s+(?P<asked>[^%\n]*?)\s*-?%\}", re.ASCII
)
"""A condition of Jinja or Liquid."""
_ASKED = re.compile(
    r"(?P<not>not\s+)?(?P<name>[A-Za-z_][\w.-]*)"
    r"(?:\s*(?P<sign>[!=]=)\s*(?:(?P<quote>[\"'])(?P<text>[^\"']*)(?P=quote)|(?P<bare>true|false|\d+)))?",
    re.ASCII,
)
SHOWN_SHORTCODE = re.compile(r"\{\{([<%])/\*(.{0,1000}?)\*/([%>])\}\}")
"""How Hugo writes a shortcode that is to be seen."""
SUBSTITUTION = re.compile(r"\|([^|\s](?:[^|\n]*[^|\s])?)\|")
_REFERENCE = re.compile(r"\{sub-ref\}`([\w.-]+)`")
_DEFINITION = re.compile(
    r"^\.\. +\|([^|\n]+)\| +[\w-]+::.*(?:\n(?:[ \t]+\S.*|[ \t]*(?=\n[ \t])))*", re.M
)
MARKDOWN = tuple(suffix for suffix, module in LOADERS.items() if module == "markdown")
_SITES = (
    *("mkdocs.yml", "mkdocs.yaml", "_config.yml", "_config.yaml", "hugo.toml", "hugo.yaml"),
    *("hugo.yml", "config.toml", "config.yaml", "book.json", "_variables.yml"),
)
_OF_SITE = ("extra", "params", "variables")
_PLAIN = re.compile(r"^(\w+)\s*[:=]\s*(\S.*?)\s*$", re.MULTILINE)
_MOST_NAMES = 10_000
_PLACES = re.compile(
    r"^(?:(?:config|env|extra|site|page|meta|book|[Pp]arams|front[mM]atter)\.)+", re.ASCII
)
"""Where a tool keeps its variables."""
_FALSE = {"", "false", "no", "off", "nil", "null"}
_OF_RELEASE = {"version", "release"}

MOST_LETTERS = 1_000_000
"""Of values in a file: a long one that is used often, in others too, makes of a page a library."""

Names = Mapping[str, str]


class Values(dict[str, str]):
    """Names with their values, which are given until their letters are used up."""

    _given: list[int]

    def __init__(self, names: Names, beside: "Values | None" = None) -> None:
        """Make one, which has its letters together with the one `beside` it."""
        super().__init__(names)
        self._given = beside._given if beside is not None else [0]

    def get(self, name: str, default: str | None = None) -> Any:  # type: ignore[override]
        """Return a value; none of a name is known once the letters are used up."""
        value = super().get(name)
        self._given[0] += len(value or "")
        return default if value is None or self.used_up else value

    @property
    def used_up(self) -> bool:
        """Whether more was asked for than is given."""
        return self._given[0] > MOST_LETTERS


def names_of(settings: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names that a file's front matter defines: those for text, those for code too."""
    text: dict[str, str] = {}
    code: dict[str, str] = {}
    for name, value in _flat(settings):
        text[name] = value
        for prefix, names in (
            ("extra.", code),
            ("params.", text),
            ("substitutions.", text),
            ("myst.substitutions.", text),
        ):
            if name.startswith(prefix):
                names[name.removeprefix(prefix)] = value
    return {**text, **code}, code


def value_of(variable: str, names: Names) -> str | None:
    """Return what is called so: `config.extra.version`, `site.version` and `version` are one."""
    value = names.get(variable)
    return names.get(_bare(variable)) if value is None else value


def holds(condition: re.Match[str], names: Names) -> bool | None:
    """Say whether a CONDITION is met: a known setting alone, or compared to a literal; else None.

    What only the name of a release stands for is no setting.
    """
    asked = _ASKED.fullmatch(condition["asked"])
    value = value_of(asked["name"], names) if asked else None
    if asked is None or value is None or f"substitutions.{_bare(asked['name'])}" in names:
        return None
    if asked["sign"]:
        is_met = (value == (asked["text"] or asked["bare"] or "")) == (asked["sign"] == "==")
    else:
        is_met = value.lower() not in _FALSE
    return is_met ^ bool(asked["not"]) ^ (condition["kind"] == "unless")


def _bare(name: str) -> str:
    return _PLACES.sub("", name)


def filled(text: str, names: Names, parameters: Names) -> str:
    """Return code with the variables that are known by name, and the parameters of Hugo."""

    def value(found: re.Match[str]) -> str:
        parameter = found["parameter"]
        known = value_of(parameter, parameters) if parameter else value_of(found["name"], names)
        return found[0] if known is None else known

    return VARIABLE.sub(value, text)


def shown_shortcodes(text: str) -> str:
    """Return a text with the shortcodes of Hugo that are to be seen as they are seen."""
    return SHOWN_SHORTCODE.sub(r"{{\1\2\3}}", text)


def settings_of(text: str, form: str) -> dict[str, Any]:
    """Read settings in "yaml", "json" or "toml"; else its plain lines."""
    try:
        if form == "toml":
            read: Any = tomllib.loads(text, parse_float=str)
        else:
            # All scalars as texts, so that 4.10 is not 4.1, and no tag of a program's own.
            read = yaml.load(text, yaml.BaseLoader)  # noqa: S506
    except (ValueError, yaml.YAMLError, RecursionError):
        return {name: value.strip("\"'") for name, value in _PLAIN.findall(text)}
    return {str(key): value for key, value in read.items()} if isinstance(read, dict) else {}


def may_use_names(data: bytes, file: str) -> bool:
    """Say whether a text seems to use a name."""
    used = (
        rb"\{\{|\{sub-ref\}|\{%-?\s*(?:if|unless)\b|\|(?:release|version)\|"
        if file.lower().endswith(MARKDOWN)
        else rb"\|[^|\s]"
    )
    return re.search(used, data) is not None


def with_names(text: str, file: str, read: Callable[[str], bytes | None], release: str) -> str:
    """Return a text with definitions of the names that it uses and does not define.

    They are taken from the settings beside the file and above it, which `read` returns, else
    `version` and `release` from the name of the release.
    """
    if file.lower().endswith(MARKDOWN):
        return _with_variables(text, file, read, release)
    return _with_substitutions(text, file, read, release) if is_restructured(text, file) else text


def _with_substitutions(
    text: str, file: str, read: Callable[[str], bytes | None], release: str
) -> str:
    own = {found[1].lower() for found in _DEFINITION.finditer(text)}
    if not {used.lower() for used in SUBSTITUTION.findall(text)} - own:
        return text
    known = {name: f".. |{name}| replace:: {release}" for name in ("version", "release") if release}
    conf = _sphinx(file, read)
    for name in ("version", "release"):
        if isinstance(conf.get(name), str):
            known[name] = f".. |{name}| replace:: {conf[name]}"
    for part in ("rst_prolog", "rst_epilog"):
        if isinstance(conf.get(part), str):
            known |= {found[1]: found[0] for found in _DEFINITION.finditer(conf[part])}
    added = "\n".join(line for name, line in known.items() if name.lower() not in own)
    return f"{text.rstrip()}\n\n{added}\n" if added else text


def _with_variables(text: str, file: str, read: Callable[[str], bytes | None], release: str) -> str:
    front = FRONT_MATTER.match(text)
    form = "toml" if front and front[1] == "+++" else "yaml"
    own, _ = names_of(settings_of(front[2] or "", form)) if front else ({}, {})
    used = {found["name"] or found["parameter"] for found in VARIABLE.finditer(text)}
    asked = (_ASKED.fullmatch(found["asked"]) for found in CONDITION.finditer(text))
    used |= {name["name"] for name in asked if name and not name["name"].startswith("page.")}
    used |= set(_REFERENCE.findall(text))
    used |= set(SUBSTITUTION.findall(text)) & {"version", "release"}
    used = {name for name in used if value_of(name, own) is None}
    if not used:
        return text
    place, site = _nearest(_SITES, file, read)
    settings = settings_of(site, "toml" if place.endswith(".toml") else "yaml")
    parts = [part for key in _OF_SITE if isinstance(part := settings.get(key), dict)]
    of_site = dict(pair for part in parts or [settings] for pair in _flat(part))
    conf = _sphinx(file, read)
    of_conf = {**dict(_flat(conf.get("myst_substitutions") or {})), **dict(_flat(conf))}
    lines = []
    for name in sorted(used):
        if (value := value_of(name, of_site)) is not None:
            lines.append((f"extra.{name}", value))
        elif (value := value_of(name, of_conf)) is not None:
            lines.append((f"substitutions.{name}", value))
        elif release and _bare(name) in _OF_RELEASE:
            lines.append((f"substitutions.{name}", release))
    sign = " = " if form == "toml" else ": "
    added = "".join(f"{json.dumps(name)}{sign}{json.dumps(value)}\n" for name, value in lines)
    if not front:
        return f"---\n{added}---\n{text}" if added else text
    opened = text.index("\n") + 1
    return f"{text[:opened]}{added}{text[opened:]}"


def _sphinx(file: str, read: Callable[[str], bytes | None]) -> dict[str, Any]:
    """Return what the `conf.py` beside a file or above it says."""
    conf = _assigned(_nearest(("conf.py",), file, read)[1])
    if isinstance(whole := conf.get("release"), str):
        # The short form is often computed from the long one.
        conf.setdefault("version", ".".join(whole.split(".")[:2]))
    return conf


def _nearest(
    names: tuple[str, ...], file: str, read: Callable[[str], bytes | None]
) -> tuple[str, str]:
    """Return the path and text of the first of some files beside a file or above it, or nothing."""
    folder = file
    while folder:
        folder = posixpath.dirname(folder)
        for name in names:
            path = posixpath.join(folder, name)
            if (data := read(path)) is not None:
                try:
                    return path, decode(data)
                except UnreadableFile:
                    return path, ""
    return "", ""


def _flat(settings: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers of settings by their path, "a.b.c"."""
    waiting: list[tuple[str, Any]] = [(str(key), settings[key]) for key in reversed(settings)]
    # One part may stand in many places of YAML.
    for _ in range(_MOST_NAMES):
        if not waiting:
            return
        name, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [(f"{name}.{key}", value[key]) for key in reversed(value)]
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield name, str(value)


def _assigned(code: str) -> dict[str, Any]:
    """Return the texts, and dictionaries of texts, that Python code gives names to."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return {}
    known: dict[str, Any] = {}
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AugAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            value = _text(statement.value, known)
            for target in targets:
                if isinstance(target, ast.Name) and value is not None:
                    before = (
                        known.get(target.id, "") if isinstance(statement, ast.AugAssign) else ""
                    )
                    known[target.id] = before + value if before else value
    return known


def _text(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """Return the text that an expression stands for where it is put together of texts."""
    match node:
        case ast.Constant(value=str() | int() | float()):
            return str(node.value)
        case ast.Name():
            return known.get(node.id)
        case ast.JoinedStr():
            texts = [_text(part, known) for part in node.values]
        case ast.FormattedValue(format_spec=None):
            return _text(node.value, known)
        case ast.BinOp(op=ast.Add()):
            texts = [_text(node.left, known), _text(node.right, known)]
        case ast.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            items = ((_text(key, known), _text(value, known)) for key, value in pairs if key)
            return {key: value for key, value in items if isinstance(key, str)}
        case _:
            return None
    return "".join(texts) if all(isinstance(text, str) for text in texts) else None
