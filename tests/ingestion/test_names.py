"""Names of the release are filled in from the files given, which are read and never run."""

from pathlib import Path

import pytest

from ingestion.includes import may_include, with_included
from ingestion.listing import list_files
from ingestion.loaders import load
from ingestion.page import Document
from ingestion.reading import read_files

CONF = """
import os
release = "4.2.1"
version = ".".join(release.split(".")[:2])
name = f"{'Marlow'} agent"
myst_substitutions = {"product": name, "tag": "t" + release, "home": os.getcwd()}
rst_prolog = '''
.. |full| replace:: |product| |release|
'''
rst_epilog = ".. |product| replace:: Marlow\\n"
rst_epilog += '''
.. |long| replace:: two
   lines
'''
raise SystemExit
"""
MKDOCS = """
extra:
  version: 4.10
  product: {name: Marlow}
plugins: !ENV [X, y]
markdown_extensions:
  - pymdownx.emoji: {emoji_index: !!python/name:os.system ''}
"""
FILES = {
    "sphinx/conf.py": CONF,
    "mkdocs/mkdocs.yml": MKDOCS,
    "jekyll/_config.yml": "version: 7.1\nauthor: {name: Me}\n",
    "hugo/hugo.toml": "[params]\nversion = 3.30\n",
    "broken/conf.py": "release = (",
    "broken/mkdocs.yml": "extra: [",
    "imported/conf.py": "from product import __version__ as release\n",
}


def read(file: str, text: str) -> str:
    def beside(name: str) -> bytes | None:
        return FILES[name].encode() if name in FILES else None

    data = text.encode()
    if may_include(data, file):
        whole = with_included(data, file, beside, "R4").text
        data = data if whole is None else whole.encode()
    return "\n".join(page.text for page in load(data, file).pages)


@pytest.mark.parametrize(
    ("file", "text", "shown"),
    [
        ("sphinx/a.rst", "|product| |release|, |version|", "Marlow 4.2.1, 4.2"),
        ("sphinx/deep/er/a.rst", "|full|: |long|", "Marlow 4.2.1: two lines"),
        ("sphinx/a.rst", "|own|\n\n.. |own| replace:: My |version|", "My 4.2"),
        ("sphinx/a.rst", "|release|\n\n.. |release| replace:: mine", "mine"),
        ("sphinx/a.rst", "``|release|`` |other|", "|release| other"),
        ("sphinx/a.rst", "So::\n\n   |release|\n\n   x\n", "So:\n\n|release|\n\nx"),
        ("sphinx/a.rst", ".. parsed-literal::\n\n   pip x==\\ |release|\n", "pip x==4.2.1"),
        (
            "sphinx/a.md",
            "{{ product }} {{tag}} {{ release }} |version|",
            "Marlow agent t4.2.1 4.2.1 4.2",
        ),
        (
            "sphinx/a.md",
            "{{ env.config.release }} {{ home }} `{{ tag }}`",
            "4.2.1 {{ home }} {{ tag }}",
        ),
        ("sphinx/a.md", "Tag {sub-ref}`tag`", "Tag t4.2.1"),
        ("mkdocs/docs/a.md", "{{ version }} {{ config.extra.version }}", "4.10 4.10"),
        ("mkdocs/a.md", "~~~\nx=={{ version }} {{ x }}\n~~~", "x==4.10 {{ x }}"),
        ("mkdocs/a.md", "---\nversion: own\n---\n{{ version }} {{ product.name }}", "own Marlow"),
        ("jekyll/a.md", '{{ site.version | default: "x" }} {{site.author.name}}', "7.1 Me"),
        ("jekyll/a.md", '{% if site.author.name == "Me" %}mine{% else %}yours{% endif %}', "mine"),
        ("jekyll/a.md", '{% if page.author.name == "Me" %}a{% else %}b{% endif %}', "ab"),
        ("none/a.md", '{{ version }}{% if version == "4" %} a{% else %} b{% endif %}', "R4 a b"),
        ("hugo/content/a.md", "+++\nt = 1\n+++\n{{< param version >}}", "3.30"),
        ("none/a.rst", "|release| and |version|", "R4 and R4"),
        (
            "none/a.md",
            "{{ version }} of {{ site.version }}, not {{ node.version }}",
            "R4 of R4, not {{ node.version }}",
        ),
        ("none/a.md", "~~~\n{{ version }} |release|\n~~~", "{{ version }} |release|"),
        ("broken/a.rst", "|release|", "R4"),
        ("broken/a.md", "{{ version }}", "R4"),
        ("imported/a.rst", "|release|", "R4"),
    ],
)
def test_names_are_filled_in(file: str, text: str, shown: str) -> None:
    assert read(file, text) == shown


def test_no_name_is_asked_for_where_none_is_used() -> None:
    assert not may_include(b"| a | b |\n|---|---|\n", "a.md")
    assert not may_include(b"a || b", "a.rst")


def test_settings_are_never_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/conf.py").write_text(f"release = '9'\nopen({str(ran)!r}, 'w')\n")
    (tmp_path / "docs/a.rst").write_text("Release |release|.\n")
    (document,) = read_files(list_files([tmp_path / "docs"]), release="8")
    assert isinstance(document, Document)
    assert document.pages[0].text == "Release 9."
    assert not ran.exists()
