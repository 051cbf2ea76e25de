"""Every text has a translation in every language, and the language of a question is told."""

import ast
import re
import string
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from runpy import run_path

import pytest
from babel.messages.catalog import Catalog, Message
from langchain_core.language_models import BaseChatModel

from chatbot.chatbot import Chatbot
from chatbot.text.asked_words import asks_whether, own_release, words_asked
from chatbot.text.languages import (
    ENGLISH,
    LANGUAGES,
    chosen_from,
    figure,
    gettext,
    language,
    moment_in_words,
    ngettext,
    shown_list,
    spoken,
    use_language_of,
)
from chatbot.text.question_language import language_of
from ui.elements.scope import _DAYS
from ui.wording.audited import _ACTIONS
from ui.wording.checks import VERDICTS

ROOT = Path(__file__).parents[2]

SCRIPT = run_path(str(ROOT / "scripts" / "languages.py"))
TRANSLATED = [code for code in LANGUAGES if code != ENGLISH]


@pytest.fixture(scope="module")
def texts() -> Catalog:
    return SCRIPT["texts"]()


def forms(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def ids(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_each_language_has_a_file_and_each_file_a_language() -> None:
    files = (ROOT / "chatbot" / "text" / "translations").iterdir()
    assert sorted(file.name for file in files) == sorted(f"{code}.po" for code in TRANSLATED)


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_file_has_the_texts_of_the_code_and_no_others(code: str, texts: Catalog) -> None:
    own = {ids(message) for message in SCRIPT["entries"](SCRIPT["read"](code))}
    shown = {ids(message) for message in SCRIPT["entries"](texts)}
    assert own == shown, "run scripts/languages.py, and translate what is new"


SAYING = {
    *("title", "subheader", "markdown", "caption", "info", "warning", "error", "toast", "metric"),
    *("button", "link_button", "form_submit_button", "download", "toggle", "checkbox", "radio"),
    *("selectbox", "any_of", "choose_one", "text_input", "text_area", "number_input"),
    *("date_input", "file_uploader", "dialog", "confirm", "confirmed", "done", "spinner"),
    *("expander", "popover", "show_table", "table_in_pages", "cache_data", "cache_resource"),
}
"""What pages show a text with, which comes first or by one of the `KEYWORDS`."""
KEYWORDS = {"help", "placeholder", "label", "none", "name", "show_spinner"}
MARKS = re.compile(r":[a-z0-9_/-]*(?:-badge)?[\[:]|-badge\[")
"""Icons, badges and colours, which are no texts."""
NO_TEXTS = {"CSV", "Markdown", "Strata"}


def shown_by(node: ast.AST) -> Iterator[ast.AST]:
    """What a call shows, or a table with the cells of its columns."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in SAYING:
            yield from node.args[:1]
            yield from (given.value for given in node.keywords if given.arg in KEYWORDS)
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                cell = value.elts[-1] if isinstance(value, ast.Tuple) else value
                if isinstance(cell, ast.Lambda):
                    yield key or value


def as_they_stand(shown: ast.AST) -> Iterator[str]:
    """The words of what is shown that stand there and are not looked up."""
    match shown:
        case ast.Constant(value=str(text)) if re.search("[A-Za-z]{2}", MARKS.sub("", text)):
            yield text
        case ast.JoinedStr() | ast.IfExp() | ast.BinOp():
            for part in ast.iter_child_nodes(shown):
                yield from as_they_stand(part)


def test_no_page_shows_a_text_that_is_not_looked_up() -> None:
    found = []
    for path in sorted((ROOT / "ui").rglob("*.py")):
        if {"cli", "api", "serving", "wording"}.isdisjoint(path.relative_to(ROOT).parts):
            nodes = ast.walk(ast.parse(path.read_bytes()))
            texts = (t for node in nodes for shown in shown_by(node) for t in as_they_stand(shown))
            found += [f"{path.name}: {text}" for text in texts if text not in NO_TEXTS]
    assert not found


TELLING = {"Rejected": 1, "Remark": 1, "UploadNotice": 1, "_Ended": 1, "SkippedLine": 1}
"""What keeps a text for readers of the page, and which of its arguments that is."""
RESULTS = (
    *("ingestion/archives.py", "ingestion/listing.py", "ingestion/decoding.py"),
    *("corpora/documents/upload_checks.py", "corpora/documents/worker.py"),
    *("corpora/sources/run_report.py", "chatbot/memory/suspending.py"),
    *("ui/serving/evaluating.py", "ui/serving/drafting.py"),
    *("ui/serving/checking.py", "ui/serving/packing.py"),
)
"""Modules whose functions return what a job did, or what there is to say of a file."""
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2}")


def kept_in_english(module: ast.AST, errors: set[str], *, returns: bool) -> Iterator[str]:
    """The texts that are put together as they are told: nobody could put them into words again."""
    texts: list[ast.AST | None] = []
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in errors:
                # What stands there as a whole is looked up.
                texts += [] if isinstance(first, ast.Constant) else [first]
            case ast.Call(func=ast.Name(id="message" | "counted"), args=[first, *_]):
                texts += [first] if isinstance(first, ast.JoinedStr | ast.BinOp) else []
            case ast.Call(func=ast.Name(id=name), args=args) if name in TELLING:
                texts += args[TELLING[name] : TELLING[name] + 1]
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="remarks")), args=args):
                texts += args
            case ast.Return(value=value) | ast.Yield(value=value) if returns:
                texts += value.elts if isinstance(value, ast.Tuple) else [value]
    for text in texts:
        match text:
            case ast.JoinedStr(values=values):
                said = "".join(str(v.value) for v in values if isinstance(v, ast.Constant))
                yield from [ast.unparse(text)] if re.search("[A-Za-z]{2}", said) else []
            case ast.Constant(value=str(said)) if SENTENCE.search(said):
                yield said


def test_no_error_finding_or_result_is_kept_in_english_alone() -> None:
    found = []
    for path in SCRIPT["code"]():
        name = path.relative_to(ROOT).as_posix()
        told = kept_in_english(
            ast.parse(path.read_bytes()),
            # Files of questions are imported on the page; the other ones are read by commands.
            SCRIPT["errors"]() - (set() if "eval/sets" in name else {"GoldError"}),
            returns=name in RESULTS,
        )
        found += [f"{name}: {text}" for text in told]
    assert not found, "make a message of it: `message`, or an error with what stands in its places"


def test_no_template_of_a_report_shows_a_text_that_is_not_looked_up() -> None:
    for path in sorted(SCRIPT["TEMPLATES"].glob("*.html")):
        shown = re.sub(r"<style>.*?</style>", "", path.read_text("utf-8"), flags=re.DOTALL)
        shown = re.sub(r"{%.*?%}|{{.*?}}", "", shown, flags=re.DOTALL)
        labels = re.findall(r'(?:aria-label|title)="([^"]*)"', shown)
        words = [*labels, *re.sub(r"<[^>]*>", " ", shown).split()]
        assert {w for w in words if re.search("[A-Za-z]{2}", w)} <= {"Strata", "left:", "width:"}, (
            path
        )


@pytest.mark.parametrize("code", TRANSLATED)
@pytest.mark.parametrize(
    "offered", [_ACTIONS, VERDICTS, _DAYS], ids=["actions", "verdicts", "days"]
)
def test_what_a_filter_offers_has_names_of_its_own(
    code: str, offered: Mapping[str, object]
) -> None:
    # Of two options with one name the page takes the last, whichever is chosen.
    texts = [text if isinstance(text, str) else name for name, text in offered.items()]
    with spoken(code):
        assert len(set(map(gettext, texts))) == len(texts)


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_text_is_translated_with_the_places_of_the_english_one(code: str) -> None:
    catalog = SCRIPT["read"](code)
    for message in SCRIPT["entries"](catalog):
        translated = forms(message)
        assert len(translated) == (catalog.num_plurals if len(ids(message)) > 1 else 1), message.id
        assert all(translated), message.id
        assert not message.fuzzy, message.id
        for text in translated:
            assert places(text) == places(ids(message)[-1]), (message.id, text)
            # What stands between marks is set by them: none may be lost.
            assert text.count("**") == ids(message)[-1].count("**"), text


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_translation_ends_and_begins_as_the_text_does(code: str) -> None:
    """A label has no full stop, and a sentence that others follow has one."""

    def sign(text: str) -> str:
        return next((sign for sign, ends in SIGNS.items() if text.endswith(ends)), "")

    for message in SCRIPT["entries"](SCRIPT["read"](code)):
        for text in forms(message):
            assert sign(text) == sign(ids(message)[-1]), (message.id, text)
            assert text[-1:].isspace() == ids(message)[-1][-1:].isspace() or code in "ja zh", text


SIGNS = {".": (".", "。"), "…": ("…",)}


def languages_of(message: str, **shown: object) -> Iterator[str]:
    for code in LANGUAGES:
        with spoken(code):
            yield gettext(message, **shown)


def test_what_is_shown_is_never_read_as_a_text_with_places() -> None:
    shown = languages_of("Ask about {name}", name="{name!r} {0} %s")
    assert all("{name!r} {0} %s" in text for text in shown)


def test_the_language_is_that_of_the_question_else_of_the_page_else_english(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What tells it is put back behind the test.
    monkeypatch.setattr("chatbot.text.languages._of_page", lambda: None)
    assert language() == ENGLISH
    use_language_of(lambda: "fr")
    assert language() == "fr"
    with spoken("ja"):
        assert language() == "ja"
        with spoken(None):
            assert language() == "ja"


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        ("de-DE,de;q=0.9,en;q=0.8", "de"),
        ("en-GB,de;q=0.9", "en"),
        ("it,fr;q=0.5,de;q=0.7", "de"),
        ("zh-TW", "zh"),
        ("ja_JP", "ja"),
        ("pt-BR, it", "en"),
        ("fr;q=0, es;q=0.1", "es"),
        ("*", "en"),
        ("", "en"),
        ("de;q=x,;;,fr" + ",a" * 10_000, "fr"),
    ],
)
def test_the_browser_says_which_language_it_wants(accepted: str, code: str) -> None:
    assert chosen_from(accepted) == code


@pytest.mark.parametrize(
    ("code", "one", "more", "few"),
    [
        ("en", "1 page", "1,200 pages", "a, b or c"),
        ("de", "1 Seite", "1.200 Seiten", "a, b oder c"),
        ("fr", "1 page", "1\u202f200 pages", "a, b ou c"),
        ("es", "1 página", "1.200 páginas", "a, b o c"),
        ("ja", "1 ページ", "1,200 ページ", "a、b、またはc"),
        ("zh", "1 页", "1,200 页", "a、b或c"),
    ],
)
def test_numbers_and_lists_are_those_of_the_language(
    code: str, one: str, more: str, few: str
) -> None:
    counted = ("{number} page", "{number} pages")
    with spoken(code):
        assert (ngettext(*counted, 1), ngettext(*counted, 1_200)) == (one, more)
        assert shown_list(["a", "b", "c"], choice=True) == few
        assert figure(0.5, 1) == ("0,5" if code in ("de", "fr", "es") else "0.5")


@pytest.mark.parametrize(
    ("code", "moment"),
    [
        ("en", "03 Nov 2026, 14:05"),
        ("de", "03.11.2026, 14:05"),
        ("fr", "3 nov. 2026, 14:05"),
        ("es", "3 nov 2026, 14:05"),
        ("ja", "2026/11/03 14:05"),
        ("zh", "2026年11月3日 14:05"),
    ],
)
def test_a_moment_is_written_as_the_language_does(code: str, moment: str) -> None:
    with spoken(code):
        assert moment_in_words(datetime(2026, 11, 3, 14, 5, tzinfo=UTC)) == moment


def test_french_has_no_plural_for_none() -> None:
    with spoken("fr"):
        assert ngettext("{number} page", "{number} pages", 0) == "0 page"


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("What is the default of retry_limit?", "en"),
        ("How do I configure NETCONF?", "en"),
        ("Does 3.0 die on SIGHUP?", "en"),
        ("retry_limit in der Version 2.1", "de"),
        ("Was ist NETCONF?", "de"),
        ("Welche Versionen gibt es?", "de"),
        ("Danke!", "de"),
        ("Dans la 2.1, quelle est la valeur de retry_limit ?", "fr"),
        ("Comment configurer NETCONF ?", "fr"),
        ("¿Qué puerto usa la 2.1?", "es"),
        ("¿Qué versiones hay?", "es"),
        ("バージョン17のポートは？", "ja"),
        ("17版本的端口是多少？", "zh"),
        ("What is new in 云枢 2.1?", "en"),
        ("Qual è il retry_limit nell'ultima 2.x?", None),
        ("NETCONF port", None),
        ("retry_limit", None),
        ("", None),
    ],
)
def test_the_language_of_a_question(question: str, code: str | None) -> None:
    assert language_of(question) == code


def test_words_without_blanks_between_them_are_told_apart() -> None:
    assert words_asked("どのバージョンがありますか？") == ["どの", "バージョン", "が", "ありますか"]
    assert words_asked("有哪些版本？") == ["有", "哪些", "版本"]
    # What is not made of known words alone stays one word.
    assert words_asked("再接続の間隔") == ["再接続の間隔"]


def test_yes_or_no_is_asked_with_the_first_word_or_the_last() -> None:
    yes = ("Is 2.1 there?", "Gibt es 2.1?", "¿Hay una 2.1?", "2.1はありますか？", "有2.1吗？")
    assert all(map(asks_whether, yes))
    assert not any(map(asks_whether, ("Which one?", "Welche Versionen gibt es?", "最新版是什么？")))


def test_the_own_release_is_asked_for_in_every_language() -> None:
    assert own_release().match("Welche Version habe ich? Brindle 2.1")
    assert own_release().match("我的版本是什么？")
    assert not own_release().match("Welche Version habe ich zu installieren?")


def test_a_reply_is_in_the_language_of_its_question_else_of_the_page(
    relay: Callable[[BaseChatModel | None], Chatbot],
) -> None:
    chatbot = relay(None)
    assert chatbot.ask("hold v9.9", language="ja").content.answer.startswith("わかりません")
    asked = chatbot.ask("Wie hoch ist hold in 9.9?", language="ja")
    assert asked.content.answer.startswith("Das weiß ich nicht")
    assert asked.content.release_status == "unknown"
    assert chatbot.ask("hold v9.9").content.answer.startswith("I don't know")
