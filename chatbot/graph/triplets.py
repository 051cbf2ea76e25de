"""Relation triplets of a context, read by a language model or by REBEL (GraphContextGen 4.3)."""

import importlib.util
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.models.errors import GeneratorError
from chatbot.runtime.model_calls import ask_for
from chatbot.text.verbatim import find_verbatim
from chatbot.turn import Citation, ModelCall
from prompts import fenced, render

STEP = "triplets"
REBEL = "Babelscape/rebel-large"
_SPECIAL = re.compile(r"</?s>|<pad>")
_OBJECT = re.compile(r"<subj>(?P<tail>[^<]*)<obj>(?P<relation>[^<]*)")
_LONGEST = 256
"""Tokens that REBEL was trained to read and to write."""


@dataclass(frozen=True, slots=True)
class Triplet:
    """A relation between two entities, and the citation of the words that state it, if any do.

    `source` names who states it where that is no document: "Wikidata".
    """

    head: str
    relation: str
    tail: str
    citation: Citation | None = None
    source: str = ""

    @property
    def sentence(self) -> str:
        """Head, relation and tail in sequence."""
        return f"{self.head} {self.relation} {self.tail}".rstrip(".") + "."


Extractor = Callable[[str], Iterable[Triplet]]
"""What reads triplets from a context without a chat model."""


def entities(triplets: Iterable[Triplet]) -> frozenset[str]:
    """The entity set of a context: every head and every tail."""
    return frozenset(end for triplet in triplets for end in (triplet.head, triplet.tail))


def in_context(triplets: Iterable[Triplet], context: str) -> tuple[Triplet, ...]:
    """The triplets whose both ends stand in the context, spelt as they are there, each once.

    A model invents entities; those would let anything in.
    """
    found = []
    for triplet in triplets:
        head, tail = (find_verbatim(end, context) for end in (triplet.head, triplet.tail))
        if head and tail and head != tail:
            found.append(replace(triplet, head=head, tail=tail))
    return tuple(dict.fromkeys(found))


class Relation(BaseModel):
    """One triplet as the model writes it."""

    head: str = Field(min_length=1, max_length=120)
    relation: str = Field(min_length=1, max_length=120)
    tail: str = Field(min_length=1, max_length=120)


class Relations(BaseModel):
    """The triplets that a model read from a context."""

    triplets: list[Relation] = Field(max_length=40)


async def extract_triplets(
    model: BaseChatModel, context: str, *, max_tokens: int = 400
) -> tuple[tuple[Triplet, ...] | None, tuple[ModelCall, ...]]:
    """The triplets that a language model reads from a context, with the calls it took.

    None after two replies that cannot be used. Ends that do not stand in the context are dropped.
    """
    messages = render("triplets", context=fenced("answered", context))
    reply, calls = await ask_for(model, messages, Relations, step=STEP, max_tokens=max_tokens)
    if reply is None:
        return None, calls
    read = (Triplet(r.head.strip(), r.relation.strip(), r.tail.strip()) for r in reply.triplets)
    return in_context(read, context), calls


def parse_rebel(linearised: str) -> tuple[Triplet, ...]:
    """The triplets of REBEL's output: `<triplet> head <subj> tail <obj> relation <subj> tail …`.

    What is cut off at the end of the output is left out (Huguet Cabot and Navigli, 2021, 3.1).
    """
    found = []
    for part in _SPECIAL.sub(" ", linearised).split("<triplet>")[1:]:
        head = " ".join(part.partition("<subj>")[0].split())
        for match in _OBJECT.finditer(part):
            tail, relation = (" ".join(match[name].split()) for name in ("tail", "relation"))
            if head and tail and relation:
                found.append(Triplet(head, relation, tail))
    return tuple(dict.fromkeys(found))


def open_rebel(source: str = REBEL) -> Extractor:
    """REBEL from the Hub or a folder, run by Transformers. Raises GeneratorError.

    It reads what is in its window, the first 256 tokens of a context.
    """
    needed = ("torch", "transformers")
    if missing := [package for package in needed if importlib.util.find_spec(package) is None]:
        raise GeneratorError(
            f'{" and ".join(missing)} missing: `pip install "strata-docs[hf]"` installs what '
            "REBEL needs, or leave the setting graph_rebel out"
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
        found = parse_rebel(tokenizer.decode(written[0], skip_special_tokens=False))
        return in_context(found, context)

    return extract
