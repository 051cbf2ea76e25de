"""What a step of the chain found, in a few words for the person who waits."""

from __future__ import annotations

from chatbot.turn import Recollection, Turn

_NAMED = 3


def found_by(step: str, turn: Turn) -> str:
    """What a turn has from a step: "17.20", "3 queries"; empty where there is nothing to say."""
    match step:
        case "release_extraction" if turn.resolution:
            names = turn.resolution.releases
            return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} releases"
        case "query_rewriting" if turn.queries:
            return _counted(len(turn.queries.distinct()), "query", "queries")
        case "memory" if turn.recollection:
            return _recalled(turn.recollection)
        case "memory_of_passage" if turn.recollection and turn.recollection.reused:
            return "answered before"
        case "context_retrieval":
            return f"{_counted(len({c.page.id for c in turn.retrieved}), 'page', 'pages')} found"
        case "context_reduction":
            return f"{_counted(_records(turn), 'passage', 'passages')} read"
        case "context_selection":
            return f"{len(turn.selected)} kept"
    return ""


def _recalled(found: Recollection) -> str:
    if found.reused is not None:
        return "answered before"
    good, bad = len(found.good), len(found.bad)
    told = [_counted(good, "good answer", "good answers")] if good else []
    told += [_counted(bad, "bad answer", "bad answers")] if bad else []
    return f"{' and '.join(told)} near" if told else "nothing near"


def _records(turn: Turn) -> int:
    return sum(len(chunk.records) for chunk in turn.reduced)


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
