"""Bring the files of the languages in step with the texts in the code.

`python scripts/languages.py` adds what is new to each file of `chatbot/text/translations`, without
a translation, and removes what no code shows any more; it says how much is left to translate. A
text is known by its call: `gettext`, `ngettext`, `gettext_noop`, `ngettext_noop` in the code and in
the templates of reports; `message`, `counted`; and the errors that readers of the page may see.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from inspect import getdoc
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment
from jinja2.ext import extract_from_ast

from chatbot.errors import BatchError, ModelDownloadError, TuningError
from chatbot.text.languages import ENGLISH, FOLDER, LANGUAGES
from corpora.errors import (
    DatabaseFull,
    DiskFull,
    NotCopied,
    RerankerFailed,
    UnreachableDatabase,
    UnusableOriginals,
)
from corpora.sources.options import FolderOptions, GitOptions, SiteOptions
from corpora.sources.site.hosts import Refused
from ingestion.errors import StrataError
from ingestion.ocr import NoOcr
from ingestion.page import UnreadableFile

ROOT = Path(__file__).parents[1]
CALLS = {
    **dict.fromkeys(("gettext", "gettext_noop", "message", "message_noop"), 1),
    **dict.fromkeys(("ngettext", "ngettext_noop", "counted", "counted_noop"), 2),
}
"""The functions that are called with texts, and with how many forms of one."""
PACKAGES = ("ingestion", "corpora", "chatbot", "eval/judging", "eval/reports", "eval/runs")
PACKAGES += ("eval/sets", "ui")
IN_ENGLISH = ("ui/api", "ui/cli")
"""Programs and the command line are told in English."""
TEMPLATES = ROOT / "eval" / "reports" / "templates"
OF_COMMANDS = {BatchError, ModelDownloadError, NotCopied, TuningError}
OF_SETTINGS = {NoOcr, RerankerFailed, UnusableOriginals}
ALSO_SEEN = {DatabaseFull, DiskFull, UnreachableDatabase}
"""Errors of commands, and of settings, which stay English as those for operators do, of which
others meet some all the same.
"""
CAUSES = {"UnsafeDrawing", "TooFewQuestions", "NotGiven", "GoldError", "UnusableRow"}


def errors() -> set[str]:
    """The names of the errors that readers of the page may see; what they say are messages."""
    of = [StrataError, UnreadableFile, Refused]
    for one in of:
        of += one.__subclasses__()
    # Whatever else is imported: those of other packages are among the `CAUSES`.
    of = [e for e in of if not e.__module__.startswith(("eval", "ui", "tests"))]
    seen = {e for e in of if e in ALSO_SEEN or not getattr(e, "for_operators", False)}
    return {e.__name__ for e in seen - OF_COMMANDS - OF_SETTINGS - {StrataError}} | CAUSES


def texts() -> Catalog:
    """The texts of the code in their order there, of templates, and of the kinds of sources."""
    found = Catalog()
    calls = CALLS | dict.fromkeys(errors(), 1)
    for path in code():
        for forms in _forms(ast.parse(path.read_bytes()), calls):
            found.add(forms if len(forms) > 1 else forms[0])
    for path in sorted(TEMPLATES.glob("*.html")):
        template = Environment(autoescape=True).parse(path.read_text("utf-8"))
        for _, _, given in extract_from_ast(template, ("gettext", "ngettext")):
            forms = tuple(filter(None, (given,) if isinstance(given, str) else given or ()))
            if forms:
                found.add(forms if len(forms) > 1 else forms[0])
    for kind in (GitOptions, SiteOptions, FolderOptions):
        fields = kind.model_fields.values()
        for text in (getdoc(kind), *(field.description for field in fields)):
            if text:
                found.add(text)
    return found


def code() -> list[Path]:
    """The modules whose texts are shown, in order."""
    found = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [p for p in found if not p.relative_to(ROOT).as_posix().startswith(IN_ENGLISH)]


def _forms(tree: ast.AST, calls: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """The texts that calls in a module are given as they stand there, or one of two."""
    # In order, and inside of f-strings too.
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    for call in sorted(found, key=lambda call: (call.lineno, call.col_offset)):
        if isinstance(call.func, ast.Name) and (number := calls.get(call.func.id)):
            for one in choices(call.args[0]) if number == 1 and call.args else [call.args]:
                given = [a.value for a in one[:number] if isinstance(a, ast.Constant)]
                if len(given) == number:
                    yield tuple(map(str, given))


def choices(text: ast.expr) -> list[list[ast.expr]]:
    """A text, or both where one of two is taken."""
    if isinstance(text, ast.IfExp):
        return [*choices(text.body), *choices(text.orelse)]
    return [[text]]


def read(code: str) -> Catalog:
    """The file of a language."""
    with (FOLDER / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


def entries(catalog: Catalog) -> list[Message]:
    """The texts of a file, without its head."""
    return [message for message in catalog if message.id]


def main() -> None:
    """Update every file."""
    found = texts()
    for code in LANGUAGES:
        if code == ENGLISH:
            continue
        own = read(code)
        own.update(found, no_fuzzy_matching=True)
        own.obsolete.clear()
        path = FOLDER / f"{code}.po"
        # The head, with the glossary, is the translators' own.
        head = path.read_text("utf-8").partition("\n\n")[0]
        written = BytesIO()
        write_po(written, own, no_location=True, width=0, omit_header=True)
        path.write_text(f"{head}\n\n{written.getvalue().decode()}", "utf-8")
        left = [message for message in entries(own) if not any(message.string or ())]
        sys.stdout.write(f"{code}: {len(left)} of {len(entries(own))} left to translate\n")


if __name__ == "__main__":
    main()
