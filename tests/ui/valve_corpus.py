"""A small product in two releases for the page: a PDF, HTML with hostile text, Markdown."""

from html import escape
from pathlib import Path

from chatbot.assembly import open_chatbot
from chatbot.settings import Settings
from corpora.building.building import Builder

HOSTILE = [
    "<script>document.title='owned'</script>",
    "<img src=http://evil.test/pixel.png onerror=\"document.title='owned'\">",
    "![pixel](http://evil.test/markdown.png)",
    "[click](javascript:alert(1))",
    ":red[directive] :material/home: $\\frac{1}{2}$ x -> y",
]
QUESTION = "What is the default of hold_time in 2.0?"
TORQUE = "Which torque does the cover screw need in 2.0?"
LATEST = "How long is the pressure log kept?"

_REFERENCE = """<html><head><title>Valve reference</title></head><body><main>
<h1>Valve reference</h1>
<h2 id="timers">Timers</h2>
<table><tr><th>Parameter</th><th>Default</th><th>Unit</th></tr>
<tr><td>hold_time</td><td>{hold}</td><td>s</td></tr>
<tr><td>drain_time</td><td>7</td><td>s</td></tr></table>
<h2 id="log">Log</h2>
<p>The pressure log is kept for {days} days. The tokens of the log are written as {hostile}.</p>
<pre>valve set hold_time {hold}
valve show</pre>
</main></body></html>
"""
_NOTES = "# Release notes\n\nThe valve {release} closes more quietly.\n"


def write_sources(folder: Path, release: str, hold: str, days: str) -> Path:
    """Write the documents of a release and return their folder."""
    source = folder / release
    source.mkdir(parents=True)
    hostile = escape(" and ".join(HOSTILE))
    reference = _REFERENCE.format(hold=hold, days=days, hostile=hostile)
    (source / "reference.html").write_text(reference, "utf-8")
    (source / "notes.md").write_text(_NOTES.format(release=release), "utf-8")
    (source / "mounting.pdf").write_bytes(mounting_guide())
    return source


def mounting_guide() -> bytes:
    """A PDF of two pages; the second has the torque of the cover screw."""
    import pymupdf

    pages = (
        ["Mounting guide", "Put the valve on a flat surface and keep it dry."],
        ["Cover", "The cover screw needs a torque of 4.5 N m.", "Do not use any grease on it."],
    )
    with pymupdf.open() as document:  # type: ignore[no-untyped-call]
        for lines in pages:
            page = document.new_page(width=400, height=300)
            for i, line in enumerate(lines):
                size = 16 if i == 0 else 10
                page.insert_text((40, 60 + 30 * i), line, fontsize=size)
        document.set_metadata({"title": "Mounting guide"})
        data: bytes = document.tobytes()
    return data


def ingest_valve(folder: Path) -> Settings:
    """Ingest both releases below a folder; return settings without a generator."""
    settings = Settings(data_dir=folder / "data", generator="none")
    chatbot = open_chatbot(settings)
    for release, hold, days in (("1.0", "20", "30"), ("2.0", "45", "90")):
        Builder(chatbot.database, settings.data_dir, chatbot.embedder, workers=1).ingest(
            [write_sources(folder, release, hold, days)], product="valve", release=release
        )
    chatbot.database.close()
    return settings
