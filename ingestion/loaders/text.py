"""Text files become documents: reStructuredText, by way of docutils' HTML, and plain text."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, ClassVar, cast

from docutils import nodes
from docutils.core import publish_parts
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en
from docutils.parsers.rst.states import SubstitutionDef
from docutils.readers import standalone
from docutils.statemachine import StringList
from docutils.transforms import Transform

from ingestion.decoding import decode
from ingestion.documents import flowing_document
from ingestion.html_shown import icon_of_role, strikes
from ingestion.loaders.html import fragment_document
from ingestion.loaders.rest_transforms import (
    QuotedDefinitions,
    SubstitutionsInCode,
    UndefinedSubstitutions,
)
from ingestion.page import Document, UnreadableFile, collapse
from ingestion.plain_blocks import LONGEST_LINE, is_restructured, plain_blocks

_DIRECTIVE = re.compile(r"^\s*\.\. +(?:\|[^|\n]+\| +)?([\w:.+-]+?)::(?:\s|$)", re.MULTILINE)
_ROLE = re.compile(r":([a-zA-Z][\w:.+-]*):`|`:([a-zA-Z][\w:.+-]*):")
_TITLED = re.compile(r"^(?P<title>.+?)\s*<[^<>]*>$", re.DOTALL)
_REFERENCE = re.compile(r"^(?P<title>\S(?:.*?\S)?)\s+<~?(?:\w+[.:]+)+\w+(?:\(\))?>$", re.DOTALL)
"""What has no role and is no command or type either: "cp <source> <target>", "vector<int>"."""
_OBJECT = re.compile(
    r"^((py|c|cpp|js|std|rst):)?(function|method|class|attribute|data|exception|decorator|"
    r"decoratormethod|classmethod|staticmethod|property|describe|object|option|cmdoption|envvar|"
    r"confval|setting|macro|type|struct|enum|enumerator|member|var|variable|currentmodule)$"
)
_OBJECT_ROLE = re.compile(r"func|meth|class|attr|mod|data|obj|exc|const|type|any|member")
_CLASS = re.compile(r"(?:\w+\.)*(?:[A-Z]\w*|\w+\s*\()")
_SOMEWHERE = re.compile(r"\.[\w.]+(?:\(\))?")
"""A name in any module: ".method"; in a file's name the dot is part of it."""
_SHORT = re.compile(r"~\.?(?:\w+(?:\.|::))*(\w+(?:\(\))?)")
"""A name of which the last part is shown; a file in "~/" is none."""
VERSIONS = {
    "versionadded": "New in version {}",
    "versionchanged": "Changed in version {}",
    "deprecated": "Deprecated since version {}",
    "versionremoved": "Removed in version {}",
}
"""How Sphinx words what a version changed."""

LISTINGS = frozenset(
    [
        "code",
        "code-block",
        "code-cell",
        "sourcecode",
        "highlight-block",
        "prompt",
        "ipython",
        "testcode",
        "testoutput",
        "testsetup",
        "testcleanup",
        "doctest",
        "productionlist",
        "jupyter-execute",
        "jupyter-input",
        "jupyter-output",
        "exec-code",
        "altair-plot",
        "plot",
        "mermaid",
        "uml",
    ]
)
"""Directives whose content is code."""

_AUTOMATIC = re.compile(r"(.*:)?auto[^:]*$")
"""What Sphinx would write from the code itself."""

_REPLACED = {"code", "code-block", "sourcecode", "class", "raw", "contents"}
"""Docutils has these too, but refuses what Sphinx gives them, or all of it."""

TITLED = {
    *("tab", "tab-item", "group-tab", "code-tab", "dropdown", "collapse", "card"),
    *("grid-item-card",),
}
"""Directives whose content is seen once somebody has chosen it by its title."""

UNSEEN = {"tabs", "tab-set", "tab-set-code", "grid", "grid-item", "only", "ifconfig", "container"}
"""Directives of which only the content is seen."""

SILENT = {
    *("toctree", "index", "include", "highlight", "program", "currentmodule", "module"),
    *(
        "py:currentmodule",
        "py:module",
        "literalinclude",
        "tabularcolumns",
        "default-domain",
        "sectionauthor",
    ),
    *("codeauthor", "graphviz", "inheritance-diagram", "autosummary", "acks", "meta"),
    "contents",
}
"""Directives that bring no text of their own."""

_TOLD = {"type": "Type", "default": "Default", "value": "Value"}
"""Options of a documented object that Sphinx shows below its name."""

_FORMATS = {"html", "latex", "man", "text", "epub", "texinfo"}
"""What Sphinx writes."""

_LABELS = {"seealso": "See also", "todo": "To do"}


def register_sphinx_markup(text: str) -> None:
    """Tell docutils how to read each directive and role in `text` that it does not know."""
    for name in {match.lower() for match in _DIRECTIVE.findall(text)}:
        if name in _REPLACED or name not in en.directives:
            directives.register_directive(name, _SphinxDirective)
        else:
            directives.register_directive(en.directives[name], _with_any_option(name))
    # What has no role before it is a reference in many manuals, as in `title <target>`.
    roles.register_local_role("", cast(Any, _role("")))
    for pair in _ROLE.findall(text):
        name = "".join(pair).lower()
        if name not in en.roles:
            roles.register_local_role(name, cast(Any, _role(name)))  # stubs know references only


@cache
def _with_any_option(name: str) -> type[Directive]:
    """Docutils' own directive, which an option of Sphinx (`:label:`) would make an error."""
    of_name = cast(Any, directives.directive)(name, en, None)
    found = cast("type[Directive]", of_name[0])
    options = defaultdict(lambda: directives.unchanged, found.option_spec or {})
    return type(found.__name__, (found,), {"option_spec": options})


class SphinxReader(standalone.Reader):  # type: ignore[type-arg]
    """Docutils' reader of a file, with what Sphinx's users write."""

    def get_transforms(self) -> list[type[Transform]]:
        """Return the transforms to apply to what was parsed."""
        added = [QuotedDefinitions, UndefinedSubstitutions, SubstitutionsInCode]
        return [*super().get_transforms(), *added]


class _SphinxDirective(Directive):
    """A directive of Sphinx or of an extension of it, read by its name."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    # Any option is taken, since what Sphinx's extensions allow is not known here.
    option_spec: ClassVar = defaultdict(
        lambda: directives.unchanged, {"class": directives.unchanged}
    )

    def run(self) -> list[nodes.Node]:
        """Return what a reader of the page sees of it."""
        name = self.name.lower()
        self.argument = str(self.arguments[0]).strip() if self.arguments else ""
        # A class of Python, which Sphinx means, or one for a style sheet.
        is_style = name == "class" and not _CLASS.match(self.argument)
        if name == "raw":
            # A line break, or what else only one format has; a definition must have a text.
            return [nodes.Text(" ")] if isinstance(self.state, SubstitutionDef) else []
        if name in SILENT or (name == "only" and not is_on_page(self.argument)):
            return []
        if name in TITLED:
            return self._titled(is_code=name == "code-tab")
        if name in VERSIONS:
            return self._version(VERSIONS[name])
        if name in _LABELS:
            title = nodes.title(_LABELS[name], _LABELS[name])
            children = (title, *self._inline(self.argument), *self._body())
            return [nodes.admonition("", *children, classes=[name])]
        if name in LISTINGS:
            return [*self._inline(self.options.get("caption", "")), *self._listing()]
        if name == "glossary":
            self.content = StringList(_terms_on_one_line(self.content), source=name)
        if name in UNSEEN | {"glossary"} or _AUTOMATIC.match(name) or is_style:
            return self._body()
        if self._is_target():
            return []
        # A project's own kind of object, too: a name, and what is told of it.
        if _OBJECT.match(name) or (self.content and re.fullmatch(r"\S+", self.argument)):
            return self._documented()
        return [*self._inline(self.argument), *self._body()]

    def _body(self) -> list[nodes.Node]:
        holder = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, holder)
        return list(holder.children)

    def _is_target(self) -> bool:
        """Whether it only makes the heading below it known by its name."""
        lines = list(self.state_machine.input_lines or ())
        after = lines[self.state_machine.line_offset + 1 :][:5]
        below = [line.strip() for line in after if line.strip()][:2]
        titled = len(below) > 1 and re.fullmatch(r"([^\w\s])\1*", below[1]) is not None
        return titled and not self.content and below[0].strip("`") == self.argument

    def _listing(self) -> list[nodes.Node]:
        text = "\n".join(self.content)
        fills = "substitutions" in self.options
        return [nodes.literal_block(text, text, substitutions=fills)] if text else []

    def _inline(self, text: str) -> list[nodes.Node]:
        if not text:
            return []
        children, messages = self.state.inline_text(text, self.lineno)
        return [nodes.paragraph(text, "", *children, *messages)]

    def _titled(self, *, is_code: bool) -> list[nodes.Node]:
        language, _, rest = self.argument.partition(" ")
        title = (rest or language) if is_code else self.argument
        part = nodes.container(classes=["section"])
        part.extend([nodes.rubric(title, title)] if title else [])
        part.extend(self._listing() if is_code else self._body())
        return [part]

    def _version(self, label: str) -> list[nodes.Node]:
        version, _, words = self.argument.partition(" ")
        first_line, _, more = version.partition("\n")
        words = f"{more} {words}".strip()
        label = label.format(first_line)
        body = self._body()
        if words or not body or not isinstance(body[0], nodes.paragraph):
            return [*self._inline(f"{label}: {words}" if words else f"{label}."), *body]
        body[0].insert(0, nodes.Text(f"{label}: "))
        return body

    def _documented(self) -> list[nodes.Node]:
        item = nodes.definition_list_item()
        for text in map(str.strip, self.argument.replace("\\\n", " ").split("\n")):
            if text:
                item += nodes.term(text, text, ids=[re.split(r"[\s(=,]", text)[0]])
        lines_of = [
            paragraph
            for name, label in _TOLD.items()
            if (value := self.options.get(name, ""))
            for paragraph in self._inline(f"{label}: {collapse(value)}")
        ]
        if "required" in self.options:
            lines_of += self._inline("Required")
        item += nodes.definition("", *lines_of, *self._body())
        return [nodes.definition_list("", item, classes=["py"])]


def is_on_page(asked: str) -> bool:
    """Whether what is only for some formats is seen on a page; of what else is asked, it is."""
    if not set(re.findall(r"\w+|[()]", asked)) <= _FORMATS | {"and", "or", "not"}:
        return True
    parts = (part.split(" and ") for part in collapse(asked).split(" or "))
    return any(
        all(("html" in one.split()) is not one.strip().startswith("not ") for one in part)
        for part in parts
    )


def _terms_on_one_line(content: Iterable[str]) -> list[str]:
    """Put the terms of one meaning on one line, as docutils wants them."""
    lines: list[str] = []
    for line in content:
        is_term = bool(line.strip()) and not line.startswith((" ", ".."))
        term = line.partition(" : ")[0]
        if is_term and lines and lines[-1].strip() and not lines[-1].startswith(" "):
            lines[-1] = f"{lines[-1]}, {term}"
        else:
            lines.append(term if is_term else line)
    return lines


def _role(name: str) -> Callable[..., tuple[list[nodes.Node], list[nodes.system_message]]]:
    """Read a reference as Sphinx shows it: its title, or the last part after a tilde."""
    calls = name.rpartition(":")[2] in {"func", "meth"}

    def role(
        _name: str, rawtext: str, text: str, *_: object, **__: object
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if icon := icon_of_role(name, text):
            return [nodes.inline(rawtext, "", classes=[icon])], []
        titled = (_TITLED if name else _REFERENCE).match(text)
        shown = titled["title"] if titled else text.removeprefix("!" if name else "")
        if _SOMEWHERE.fullmatch(shown) and _OBJECT_ROLE.fullmatch(name.rpartition(":")[2]):
            shown = shown[1:]
        if short := _SHORT.fullmatch(shown):
            shown = short[1]
        if name in {"guilabel", "menuselection"}:
            # "&" stands before the letter of a key.
            shown = re.sub(r"&(&?)", r"\1", shown).replace("-->", ">")
        if calls and not titled and not shown.endswith(")"):
            shown += "()"
        classes = ["strike"] if strikes(name) else []
        return [nodes.inline(rawtext, nodes.unescape(shown), classes=classes)], []

    return role


_SETTINGS = {
    "_disable_config": True,
    "doctitle_xform": False,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": False,
    "traceback": True,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "embed_stylesheet": False,
    "line_length_limit": LONGEST_LINE,
    "output_encoding": "unicode",
}


def load(data: bytes, file: str) -> Document:
    """Read a file of reStructuredText, or of plain text, into pages cut along its headings.

    Plain is what is not called `.rst` and has no directive or target of reStructuredText, and what
    has lines of more than 10,000 characters. Nothing is included, executed or fetched. Sphinx's
    own directives and roles are read for their text. Raises UnreadableFile where there is no text,
    or where it is nested too deeply for docutils.
    """
    text = decode(data)
    if not is_restructured(text, file):
        return flowing_document(data, file, "", list(plain_blocks(text)))
    return fragment_document(data, file, "", restructured_html(text))


def restructured_html(text: str) -> str:
    """Return the HTML of reStructuredText. Raises UnreadableFile where it is nested too deeply."""
    register_sphinx_markup(text)
    try:
        parts = publish_parts(
            text, reader=SphinxReader(), writer="html5", settings_overrides=_SETTINGS
        )
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error
    return str(parts["html_body"])
