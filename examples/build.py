"""Build the sample documentation: `python examples/build.py [--output FOLDER]`.

All releases have the same sources; README.md says how these become the text of one release.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from facts import Edition, Facts
from guide import write_guide
from web import title_of, to_html, web_page

SOURCES = Path(__file__).parent / "sources"


def build(output: Path) -> list[Path]:
    """Write every document of every release to `output`/PRODUCT/RELEASE and return the files."""
    facts = Facts.load(SOURCES / "facts")
    written = []
    for edition in facts.editions:
        folder = output / facts.product["product"] / edition.release
        for name, content in _documents(edition):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            written.append(target)
    return written


def _documents(edition: Edition) -> list[tuple[str, bytes]]:
    """Render the documents of a release; the ending of a source says what becomes of it.

    `page.html.md` becomes a web page, `guide.pdf.md` a PDF; anything else is only filled in.
    """
    figures = {
        f"figure_{name.removesuffix('.svg')}": edition.fill(source)
        for name, source in _sources("figures").items()
    }
    texts = {
        name: edition.fill(source, **figures) for name, source in _sources("documents").items()
    }
    titles = {
        page: title_of(texts[f"{page}.html.md"]) for page in edition.facts.product["navigation"]
    }
    layouts = _sources("layout")
    documents = []
    for name, text in texts.items():
        if name.endswith(".html.md"):
            page = name.removesuffix(".html.md")
            html = web_page(page, text, titles, edition, layouts["page.html"])
            documents.append((f"{page}.html", html.encode()))
        elif name.endswith(".pdf.md"):
            title = title_of(text)
            cover = edition.fill(layouts["cover.html"], title=title)
            body = to_html(text.partition("\n")[2], numbered=True)
            pdf = write_guide(title, cover, body, layouts["guide.css"], edition)
            documents.append((name.removesuffix(".md"), pdf))
        else:
            documents.append((name, text.encode()))
    return documents


def _sources(kind: str) -> dict[str, str]:
    folder = SOURCES / kind
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _main() -> None:
    parser = argparse.ArgumentParser(description="Build the sample documentation.")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("build/examples"),
        help="the folder that receives PRODUCT/RELEASE (default: %(default)s)",
    )
    output = parser.parse_args().output
    print(f"{len(build(output))} documents written to {output}")


if __name__ == "__main__":
    _main()
