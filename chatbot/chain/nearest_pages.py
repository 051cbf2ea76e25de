"""The pages that an "I don't know" offers: those nearest to the question, in the release asked."""

from __future__ import annotations

from chatbot.turn import Citation, Turn

MOST = 3


def nearest_pages(turn: Turn) -> tuple[Citation, ...]:
    """The pages that retrieval scored highest, each once, without quoted words."""
    _, release = turn.asked
    ranked = sorted(turn.retrieved, key=lambda chunk: -chunk.score)
    pages = {chunk.page.id: chunk.page for chunk in ranked}
    return tuple(
        Citation(
            document=page.document.title,
            file=page.document.file,
            release=release,
            page=page.number,
            section=" › ".join(page.heading_path),
            anchor=page.anchor,
            quote="",
            page_id=page.id,
        )
        for page in list(pages.values())[:MOST]
    )
