"""Relation triplets of a context, read by a language model or by REBEL (GraphContextGen 4.3)."""

import importlib.util
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.errors import GeneratorError
from chatbot.retrieval.support import find_verbatim
from chatbot.runtime.model_calls import ask_for
from chatbot.turn import ModelCall, Triplet
from prompts import fenced, render

STEP = "triplets"
_SPECIAL = re.compile(r"</?s>|<pad>")
_OBJECT = re.compile(r"<subj>(?P<tail>[^<]*)<obj>(?P<relation>[^<]*)")
_LONGEST = 256
"""Tokens that REBEL was trained to read and to write."""

Extractor = Callable[[str], Iterable[Triplet]]
"""A reader of triplets from a context that needs no chat model."""


def entities(triplets: Iterable[Triplet]) -> frozenset[str]:
    """The entity set of a context: every head and every tail."""
    return frozenset(end for triplet in triplets for end in (triplet.head, triplet.tail))


def in_context(triplets: Iterable[Triplet], context: str) -> tuple[Triplet, ...]:
    """The triplets with both ends in the context, spelt as there: a model invents entities."""
    verified = []
    for triplet in triplets:
        head, tail = (find_verbatim(end, context) for end in (triplet.head, triplet.tail))
        if head and tail and head != tail:
            verified.append(replace(triplet, head=head, tail=tail))
    return tuple(dict.fromkeys(verified))


class Relation(BaseModel):
    """One triplet as the model writes it."""

    head: str = Field(min_length=1, max_length=120)
    relation: str = Field(min_length=1, max_length=120)
    tail: str = Field(min_length=1, max_length=120)


class Relations(BaseModel):
    """The triplets that a model read from a context."""

    triplets: list[Relation] = Field(max_length=40)


async def extract_triplets(
    model: BaseChatModel, context: str
) -> tuple[tuple[Triplet, ...] | None, tuple[ModelCall, ...]]:
    """The triplets that a model reads from a context (None: no usable reply), with the calls."""
    messages = render("triplets", context=fenced("answered", context))
    reply, calls = await ask_for(model, messages, Relations, step=STEP, max_tokens=400)
    if reply is None:
        return None, calls
    read = (Triplet(r.head.strip(), r.relation.strip(), r.tail.strip()) for r in reply.triplets)
    return in_context(read, context), calls


def parse_rebel(linearised: str) -> tuple[Triplet, ...]:
    """The triplets of REBEL's output (Huguet Cabot and Navigli, 2021, 3.1), as far as it is whole.

    It is `<triplet> head <subj> tail <obj> relation <subj> tail …`.
    """
    triplets = []
    for part in _SPECIAL.sub(" ", linearised).split("<triplet>")[1:]:
        head = " ".join(part.partition("<subj>")[0].split())
        for match in _OBJECT.finditer(part):
            tail, relation = (" ".join(match[name].split()) for name in ("tail", "relation"))
            if head and tail and relation:
                triplets.append(Triplet(head, relation, tail))
    return tuple(dict.fromkeys(triplets))


def open_rebel(source: str) -> Extractor:
    """REBEL from the Hub or a folder; it reads the first 256 tokens. Raises GeneratorError."""
    if not all(map(importlib.util.find_spec, ("torch", "transformers"))):
        raise GeneratorError(
            'torch or transformers is missing: `pip install "strata-docs[hf]"` installs what REBEL '
            "needs, or leave the setting graph_rebel out"
        )
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(source)
        network = AutoModelForSeq2SeqLM.from_pretrained(source)
    except (OSError, ValueError) as error:
        raise GeneratorError(
            f"REBEL cannot be read from {source}: {error}; name a folder or a model of the Hub "
            "in the setting graph_rebel"
        ) from error

    def extract(context: str) -> tuple[Triplet, ...]:
        read = tokenizer(context, max_length=_LONGEST, truncation=True, return_tensors="pt")
        written = network.generate(**read, max_length=_LONGEST, num_beams=3, length_penalty=0.0)
        return in_context(parse_rebel(tokenizer.decode(written[0])), context)

    return extract
