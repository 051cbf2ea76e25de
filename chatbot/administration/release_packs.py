"""Release packs are made and taken in: a corpus with its product's glossary and curated answers."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.administration.exchange import Exchange, ImportReport
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.administration.overview import Overview, PairFilter, ReleaseFilter
from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import HUMAN_ORIGINS
from corpora.building.building import Builder
from corpora.building.report import IngestReport, Outcome
from corpora.catalog.glossary import Entry
from corpora.database.tables import EmbeddingModelRow, GenerationRow
from corpora.errors import BadPack, GlossaryError
from corpora.packs.container import Manifest, PackFile, open_pack, write_pack
from corpora.packs.contents import (
    DOCUMENTS,
    HASHES,
    VECTORS,
    document_lines,
    originals_of,
    pictures_of,
    text_hashes,
    vectors_of,
)
from corpora.packs.signing import fingerprint, own_key, read_key, require_trusted, trust_from_now
from ingestion.messages import message

_GLOSSARY, _ANSWERS = "glossary.json", "answers.json"
_ENTRIES = TypeAdapter(tuple[Entry, ...])
_ROWS = TypeAdapter(tuple[FaqRow, ...])

Progressed = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Packed:
    """A pack that was made: its file and bytes, what it is of, and the fingerprint of its key."""

    file: str
    size: int
    product: str
    release: str
    documents: int
    answers: int
    signer: str


@dataclass
class Unpacked:
    """What came of a pack; `embedded_anew` says why vectors were computed, if they were."""

    ingest: IngestReport
    signer: str
    made: str
    terms: int = 0
    answers: ImportReport | None = None
    embedded_anew: str = ""
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ReleasePacks:
    """Makes and takes in packs for one admin; raises NotAllowed for anybody else."""

    chatbot: Chatbot
    person: Person

    def __post_init__(self) -> None:
        self.person.require_admin()

    def make(
        self,
        product: str,
        release: str,
        path: Path,
        *,
        key: Path | None = None,
        originals: bool = False,
        on_progress: Progressed = lambda stage, done, total: None,
    ) -> Packed:
        """Write what serves a release into a signed file; raises NoCorpus and BadPack.

        `key` is a PEM file with a private Ed25519 key; without it this Strata's own is used.
        """
        chatbot, database = self.chatbot, self.chatbot.database
        signing = read_key(key) if key else own_key(chatbot.settings.data_dir)
        serving = chatbot.catalog.serving(product, release)
        with database.reading() as session:
            generation = session.get_one(GenerationRow, serving.generation)
            model = session.get_one(EmbeddingModelRow, generation.model_id)
        answers = list(self._answers(serving.product, serving.release))
        hashes = text_hashes(database, serving.generation, model.id)

        def members() -> Iterator[tuple[str, Any]]:
            lines = document_lines(
                database,
                serving.generation,
                lambda done, total: on_progress("documents", done, total),
            )
            yield DOCUMENTS, lines
            yield HASHES, iter([b"".join(hashes)])
            yield VECTORS, vectors_of(database, hashes, model.id)
            entries = chatbot.glossaries.entries(serving.product)
            yield _GLOSSARY, iter([_ENTRIES.dump_json(entries)])
            yield _ANSWERS, iter([_ROWS.dump_json(tuple(answers))])
            yield from pictures_of(database, serving.generation)
            if originals:
                yield from originals_of(database, serving.generation)

        documents = chatbot.corpora.corpus(serving.product, serving.release).documents()
        fields = {
            "product": serving.product,
            "release": serving.release,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "documents": len(documents),
            "chunking": generation.chunking,
            "embedder": model.name,
            "dimension": model.dimension,
            "language": generation.language,
        }
        write_pack(path, signing, fields, members())
        self._record("make release pack", f"{serving.product} {serving.release}", path)
        return Packed(
            str(path),
            path.stat().st_size,
            serving.product,
            serving.release,
            len(documents),
            len(answers),
            fingerprint(signing),
        )

    def take(
        self,
        path: Path,
        builder: Builder,
        *,
        trust: str = "",
        product: str = "",
        release: str = "",
        on_progress: Progressed = lambda stage, done, total: None,
    ) -> Unpacked:
        """Take a pack in, as the release that it is of or under other names, once it is verified.

        Raises BadPack, UntrustedPack unless its signer is trusted or `trust` is its fingerprint,
        and what `Builder.take` raises.
        """
        with open_pack(path) as pack:
            data_dir = self.chatbot.settings.data_dir
            is_trusted = require_trusted(data_dir, pack.signer, trust)
            pack.verify(lambda done, total: on_progress("verifying", done, total))
            if not is_trusted:
                trust_from_now(data_dir, pack.signer)
            of = pack.manifest
            product, release = product or of.product, release or of.release
            ingested = builder.take(pack, product=product, release=release)
            came = Unpacked(ingested, pack.signer, of.made)
            if ingested.embedded:
                came.embedded_anew = _why_embedded(of, builder)
            self._add_terms(pack, product, came)
            if ingested.outcome is Outcome.WAITING:
                came.left_out.append(_ANSWERS_LATER)
            else:
                self._add_answers(pack, product, release, came)
        self._record("unpack release", f"{product} {release}", path, signer=came.signer)
        return came

    def _answers(self, product: str, release: str) -> Iterator[FaqRow]:
        wanted = PairFilter(ReleaseFilter(product, release))
        for line, pair in enumerate(Overview(self.chatbot.database, self.person).every(wanted), 1):
            if pair.row.origin in HUMAN_ORIGINS and not pair.row.suspended:
                answer = pair.row.answer["text"]
                yield FaqRow(line, product, release, pair.row.question, answer, pair.row.score)

    def _add_terms(self, pack: PackFile, product: str, came: Unpacked) -> None:
        """Add the terms that the product's glossary lacks; its own stay as they are."""
        glossaries = self.chatbot.glossaries
        try:
            entries = _ENTRIES.validate_json(pack.read(_GLOSSARY))
        except ValidationError as error:
            raise BadPack("The glossary of the pack is malformed.") from error
        known = {entry.term.casefold() for entry in glossaries.entries(product)}
        for entry in entries:
            if entry.term.casefold() in known:
                continue
            try:
                glossaries.put(product, entry)
                came.terms += 1
            except GlossaryError as error:
                came.left_out.append(str(error))

    def _add_answers(self, pack: PackFile, product: str, release: str, came: Unpacked) -> None:
        try:
            rows = _ROWS.validate_json(pack.read(_ANSWERS))
        except ValidationError as error:
            raise BadPack("The answers of the pack are malformed.") from error
        if rows:
            named = [FaqRow(**{**asdict(r), "product": product, "release": release}) for r in rows]
            faq = FaqFile(f"pack of {product} {release}", tuple(named), ())
            came.answers = Exchange(self.chatbot, self.person).bring_in(faq)

    def _record(self, action: str, subject: str, path: Path, **details: str) -> None:
        audit = AuditLog(self.chatbot.database)
        audit.record(self.person, action, subject, file=path.name, **details)


_ANSWERS_LATER = message(
    "Curated answers were not added, since the release waits to be published: publish it, and "
    "unpack it again."
)


def _why_embedded(of: Manifest, builder: Builder) -> str:
    own = builder.embedder
    if (of.embedder, of.dimension) != (own.name, own.dimension):
        return message(
            "the pack has vectors of {embedder}, and this Strata uses {own}",
            embedder=of.embedder,
            own=own.name,
        )
    if of.chunking != builder.settings.fingerprint:
        return message("the pack was cut by other settings or another version of Strata")
    return message("the pack lacked some vectors")
