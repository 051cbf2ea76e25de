"""What a step of the chain found, in a few words for the person who waits."""

from __future__ import annotations

from chatbot.turn import Turn

_NAMED = 3


def found_by(step: str, turn: Turn) -> str:
    """What a turn has from a step: "17.20", "8 pages"; empty where nothing is to be said of it."""
    match step:
        case "release_extraction" if turn.resolution:
            names = turn.resolution.releases
            if len(names) > _NAMED:
                return f"{len(names)} releases"
            return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
        case "context_retrieval":
            pages = len({chunk.page.id for chunk in turn.retrieved})
            return "1 page" if pages == 1 else f"{pages} pages"
    return ""
