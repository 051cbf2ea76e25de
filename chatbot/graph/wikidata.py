"""Wikidata as a knowledge graph (GraphContextGen 4.3), where a setting allows requests to it.

httpx asks its query service, one request a context (docs/decisions/0022).
"""

import asyncio
import logging
import re
import time
from collections.abc import Collection, Sequence

from pydantic import AliasPath, BaseModel, Field, ValidationError

from chatbot.runtime.concurrency import in_thread
from chatbot.turn import Triplet

SOURCE = "Wikidata"
PATIENCE = 5.0
"""Seconds until an answer goes on without it."""
MOST_NAMES = 20
"""The most names of one context, in alphabetical order."""
LARGEST_REPLY = 256 << 10
MOST_RELATIONS = 50
HELD = 1000
HELD_FOR = 24 * 3600.0
"""Contexts whose relations are held in memory, and for how many seconds."""
REST, LONGEST_REST = 60.0, 3600.0
"""Seconds in which nothing is asked after a failure; the service bans who asks on after a 429."""

_NAME = re.compile(r"[^\W\d_](?:[^\W_]|[ +#&'-])*")
"""Plain words, without a quote or brace that could end the string of the query."""
_MIXED = re.compile(r"[^\W\d_]\d|\d[^\W\d_]|[a-z][A-Z]|\b\d+\b")
"""Signs of a coined word: figures among letters, a capital behind a small letter."""
_PROPERTY = re.compile(r"[^\W\d_](?:[^\W_]|[ +#&'(),/-])*")
_LONGEST, _MOST_WORDS = 60, 6

# Proper names may be labelled in "mul", which stands for all languages.
_QUERY = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX wikibase: <http://wikiba.se/ontology#>
SELECT DISTINCT ?head ?relation ?tail WHERE {{
  VALUES ?head {{ {names} }}
  VALUES ?tail {{ {names} }}
  ?subject rdfs:label ?head .
  ?subject ?direct ?object .
  ?object rdfs:label ?tail .
  ?property wikibase:directClaim ?direct .
  ?property rdfs:label ?relation .
  FILTER(LANG(?relation) = "en")
}} LIMIT {most}"""

_log = logging.getLogger(__name__)


class _Row(BaseModel):
    head: str = Field(validation_alias=AliasPath("head", "value"))
    relation: str = Field(validation_alias=AliasPath("relation", "value"))
    tail: str = Field(validation_alias=AliasPath("tail", "value"))


class _Results(BaseModel):
    """SPARQL 1.1 query results in JSON."""

    rows: list[_Row] = Field(validation_alias=AliasPath("results", "bindings"))


class _Unusable(Exception):
    """Why a reply is of no use, and for how many seconds nothing is to be asked."""

    def __init__(self, reason: str, rest: float = REST) -> None:
        super().__init__(reason)
        self.rest = min(max(rest, REST), LONGEST_REST)


class Wikidata:
    """The direct statements between items with these English labels, from the service at `url`.

    A service that is late, fails or sends something else states nothing, and is left alone a while.
    """

    def __init__(self, url: str, contact: str = "", *, patience: float = PATIENCE) -> None:
        self._url = url
        self._headers = {
            "Accept": "application/sparql-results+json",
            # A reply that is packed could be of any size.
            "Accept-Encoding": "identity",
            "User-Agent": f"Strata ({contact or 'self-hosted documentation chatbot'})",
        }
        self._patience = patience
        self._rests_until = 0.0
        self._held: dict[tuple[str, ...], tuple[float, tuple[Triplet, ...]]] = {}

    async def between(self, entities: Collection[str]) -> tuple[Triplet, ...]:
        """The triplets whose both ends are entities of a context; none where it cannot be asked."""
        import httpx

        names = tuple(sorted(filter(is_plain, entities)))[:MOST_NAMES]
        until, triplets = self._held.get(names, (0.0, ()))
        if len(names) < 2 or time.monotonic() < until:
            return triplets
        if time.monotonic() < self._rests_until:
            return ()
        try:
            async with asyncio.timeout(self._patience):
                triplets = read_triplets(await self._reply(names), names)
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, _Unusable) as error:
            late = f"no reply within {self._patience:g} seconds"
            reason = late if isinstance(error, TimeoutError) else str(error) or type(error).__name__
            rest = error.rest if isinstance(error, _Unusable) else REST
            self._rests_until = time.monotonic() + rest
            _log.warning(
                "Wikidata states nothing (%s): answers go on without it, and it is asked again "
                "after %d seconds",
                *(reason, rest),
            )
            return ()
        self._held.pop(names, None)
        self._held[names] = time.monotonic() + HELD_FOR, triplets
        while len(self._held) > HELD:
            del self._held[next(iter(self._held))]
        return triplets

    async def _reply(self, names: Sequence[str]) -> bytes:
        import httpx

        # Reading the certificates takes long enough to be noticed by whoever else waits.
        try:
            opened = await in_thread(httpx.AsyncClient, headers=self._headers, timeout=None)
        except (ImportError, OSError, ValueError) as error:
            raise _Unusable(f"the environment's proxy or certificates: {error}") from error
        sent = {"query": query(names)}
        async with opened as client, client.stream("POST", self._url, data=sent) as response:
            if response.status_code != httpx.codes.OK:
                wait = response.headers.get("retry-after", "")
                rest = float(wait) if wait.isdecimal() else REST
                raise _Unusable(f"it answers {response.status_code}", rest)
            reply = bytearray()
            async for part in response.aiter_raw():
                reply += part
                if len(reply) > LARGEST_REPLY:
                    raise _Unusable(f"its reply is larger than {LARGEST_REPLY:,} bytes")
        return bytes(reply)


def is_plain(name: str) -> bool:
    """Whether a name consists of a few plain words, so that it may be sent to others."""
    short = len(name) <= _LONGEST and len(name.split()) <= _MOST_WORDS
    return short and _NAME.fullmatch(name) is not None and _MIXED.search(name) is None


def query(names: Sequence[str]) -> str:
    """The query for the relations between names, each of plain words."""
    written = " ".join(f'"{name}"@en "{name}"@mul' for name in names)
    return _QUERY.format(names=written, most=MOST_RELATIONS)


def read_triplets(reply: bytes, names: Collection[str]) -> tuple[Triplet, ...]:
    """The triplets of a reply between two of the names. Raises _Unusable for other replies."""
    try:
        rows = _Results.model_validate_json(reply).rows[:MOST_RELATIONS]
    except ValidationError:
        raise _Unusable("its reply is not a SPARQL result in JSON") from None
    triplets = {
        Triplet(row.head, row.relation, row.tail, source=SOURCE): None
        for row in rows
        if row.head != row.tail and row.head in names and row.tail in names
        if len(row.relation) <= _LONGEST and _PROPERTY.fullmatch(row.relation)
    }
    return tuple(triplets)
