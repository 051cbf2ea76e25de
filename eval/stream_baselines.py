"""ComRAG's baselines beside its stream: the same questions, and nothing is remembered (5.2).

What they search of saved answers is the history. What they answer themselves is not added to it, as
in the paper.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from chatbot.chatbot import Chatbot
from chatbot.text.markdown import without_marks
from eval.answers import score_answer
from eval.runs.systems.names import PLAIN, RAW_MODEL, Systems
from eval.runs.systems.system import System
from eval.stream import Alike, Arrival, Iteration, Outcome, stored_pairs
from ingestion.errors import BadSettings

BASELINES = (RAW_MODEL, *(name for name in PLAIN if not name.startswith("naive")))
"""The systems of ComRAG 5.2, by name."""


def require_baselines(names: Sequence[str]) -> tuple[str, ...]:
    """The baselines of these names; `all` are all. Raises BadSettings for another name."""
    if unknown := [name for name in names if name not in (*BASELINES, "all")]:
        raise BadSettings(
            f"{unknown[0]!r} is no baseline: there are {', '.join(BASELINES)}, and all"
        )
    return BASELINES if "all" in names else tuple(dict.fromkeys(names))


def run_baseline(
    chatbot: Chatbot,
    name: str,
    order: Sequence[Sequence[Arrival]],
    alike: Alike,
    on_progress: Callable[[int], None],
) -> tuple[Iteration, ...]:
    """Ask everything of a baseline, those of an iteration at once as the settings let in."""
    at_once = chatbot.settings.at_once
    system = Systems(chatbot).open(name, chatbot.model, at_once=at_once)
    high, low = stored_pairs(chatbot)
    found: list[Iteration] = []
    with ThreadPoolExecutor(at_once, "baseline") as pool:
        for arrivals in order:
            outcomes = []
            for outcome in pool.map(lambda arrival: _ask(system, arrival, alike), arrivals):
                outcomes.append(outcome)
                on_progress(sum(len(i.outcomes) for i in found) + len(outcomes))
            found.append(Iteration(tuple(outcomes), high, low, None))
    return tuple(found)


def _ask(system: System, arrival: Arrival, alike: Alike) -> Outcome:
    gold, begun = arrival.gold, perf_counter()
    reply = system.answer(arrival.text, gold.product, (), lambda: False).reply
    seconds = perf_counter() - begun
    score, said = score_answer(gold, reply), without_marks(reply.answer)
    return Outcome(
        gold=gold.id,
        asked=arrival.text,
        said=said,
        seconds=seconds if reply.seconds is None else reply.seconds,
        route=str(reply.route),
        correct=bool(score.correct),
        refused=score.refused,
        bert_score=alike(said, gold.gold_answer),
    )
