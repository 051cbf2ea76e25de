"""The same question to several releases, side by side (design, law 2)."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

from langchain_core.runnables import Runnable

from chatbot.release_resolution import ReleaseStatus, Resolution
from chatbot.steps.query_rewriting import cut
from chatbot.turn import Answer, Citation, ModelStep, Route, Turn

_MARK = re.compile(r"\[(\d+)\]")


def compare_releases(side_chain: Runnable[Turn, Turn]) -> ModelStep:
    """Answer a comparison by asking each release apart and setting the answers side by side."""

    async def compare(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution is None or resolution.status is not ReleaseStatus.COMPARED:
            return turn
        asked = [_side(turn, resolution, release) for release in resolution.releases]
        sides = tuple(await asyncio.gather(*(side_chain.ainvoke(side) for side in asked)))
        timings: dict[str, float] = dict(turn.timings)
        for side in sides:
            for name, seconds in side.timings.items():
                timings[name] = round(timings.get(name, 0.0) + seconds, 4)
        return replace(
            turn,
            route=Route.COMPARE,
            sides=sides,
            queries=sides[0].queries,
            calls=tuple(call for side in sides for call in side.calls),
            fallbacks=tuple(fallback for side in sides for fallback in side.fallbacks),
            timings=timings,
            answer=_together(sides),
        )

    return compare


def _side(turn: Turn, resolution: Resolution, release: str) -> Turn:
    return replace(
        turn,
        question=cut(turn.question, resolution.mentions).strip(" ,:;-/"),
        resolution=replace(
            resolution,
            status=ReleaseStatus.STATED,
            releases=(release,),
            mentions=(),
            explanation=f"compared: {release}",
        ),
        timings={},
    )


def _together(sides: tuple[Turn, ...]) -> Answer:
    parts: list[str] = []
    citations: list[Citation] = []
    for side in sides:
        assert side.answer is not None
        shift = len(citations)
        text = _renumbered(side.answer.text, shift)
        parts.append(f"**{side.asked[1]}**: {text}")
        citations += side.answer.citations
    values = {side.answer.value for side in sides if side.answer and side.answer.value}
    same = len(values) == 1 and all(side.answer and side.answer.value for side in sides)
    lead = ["The short answer is the same in these releases."] if same else []
    return Answer(
        text="\n\n".join([*lead, *parts]),
        abstained=all(side.answer is not None and side.answer.abstained for side in sides),
        citations=tuple(citations),
        value="; ".join(
            f"{side.asked[1]}: {side.answer.value}"
            for side in sides
            if side.answer and side.answer.value
        ),
    )


def _renumbered(text: str, shift: int) -> str:
    return _MARK.sub(lambda mark: f"[{int(mark[1]) + shift}]", text)
