"""How many wordings an answer keeps: beyond a few, one more question to it adds little.

Near-duplicates (ComRAG 4.2) are questions that sound alike. People also ask the same in words that
hardly meet; these pairs are found by their answer: the same value from the same passage.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import Origin
from chatbot.retrieval.provenance import claims, plain, whole
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow


def beyond_wordings(session: Session, pair_id: int, most: int) -> list[int]:
    """The ids of pairs of the same store that give the answer of a pair, beyond the first `most`.

    The pair itself is one of those and stays; of the others the least reused go, then those of
    the lowest score, then the oldest. Pairs that somebody rated, wrote or imported, and suspended
    ones, neither go nor count.
    """
    pair = session.get_one(MemoryPairRow, pair_id)
    cited = select(MemoryPageRow.page_id).where(
        MemoryPageRow.pair_id == pair_id, MemoryPageRow.ordinal == 0
    )
    page = session.scalar(cited)
    if page is None or pair.origin != Origin.MEASURED or pair.suspended:
        return []
    citing = select(MemoryPageRow.pair_id).where(
        MemoryPageRow.page_id == page, MemoryPageRow.ordinal == 0
    )
    others = session.execute(
        select(MemoryPairRow.id, MemoryPairRow.answer)
        .where(
            MemoryPairRow.id.in_(citing),
            MemoryPairRow.id != pair_id,
            MemoryPairRow.store == pair.store,
            MemoryPairRow.origin == Origin.MEASURED,
            MemoryPairRow.suspended == "",
        )
        .order_by(MemoryPairRow.reused.desc(), MemoryPairRow.score.desc(), MemoryPairRow.id.desc())
    )
    same = [row.id for row in others if _same_answer(row.answer, pair.answer)]
    return same[most - 1 :]


def _same_answer(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two answers from one passage say the same: the same names and figures, or words."""
    if one["citations"][0]["quote"] != other["citations"][0]["quote"]:
        return False
    told, also_told = ({plain(c) for c in claims(a["value"])} for a in (one, other))
    if told or also_told:
        return told == also_told
    short, long = sorted((plain(a["value"]).rstrip(".") for a in (one, other)), key=len)
    return bool(short) and whole(short).search(long) is not None
