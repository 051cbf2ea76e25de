"""A release goes into one signed file and comes out of it elsewhere, the same and nothing else."""

import json
import re
import time
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from chatbot.accounts.people import LOCAL, Person
from chatbot.administration import release_packs
from chatbot.administration.administration import Administration
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.administration.release_packs import ReleasePacks, Unpacked
from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.errors import NotAllowed
from corpora.building import building, gathering
from corpora.building.building import Builder
from corpora.building.report import Outcome
from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import Entry
from corpora.catalog.languages import languages_of
from corpora.catalog.rights import Rights
from corpora.database.originals import Originals
from corpora.database.tables import DocumentRow, EmbeddingRow, FigureRow, MemberRow, PageRow
from corpora.documents import uploads
from corpora.documents.documents import Documents
from corpora.documents.uploads import kept_result, sweep_uploads
from corpora.errors import BadPack, JobError, UnknownRelease, UntrustedPack
from corpora.jobs.jobs import Job, JobKind, Jobs, JobState
from corpora.packs.container import open_pack, write_pack
from corpora.packs.contents import DOCUMENTS
from corpora.packs.signing import own_key
from tests.hash_embedder import HashEmbedder
from tests.job_work import worker_of
from tests.pictures import picture
from tests.ui.api.conftest import serving
from tests.ui.conftest import close
from ui.serving.packing import make_pack, take_pack

pytestmark = pytest.mark.database

QUESTIONS = (
    "What is the default of hold_time?",
    "How do I mount the valve?",
    "What is the torque of the cover screw?",
    "How long is the warranty of the moon?",
    "Who fixed it?",
)
Unpack = Callable[..., Unpacked]


@pytest.fixture
def elsewhere(chatbot: Chatbot, tmp_path: Path) -> Iterator[Chatbot]:
    """Another Strata, with nothing in it."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    made = open_chatbot(chatbot.settings.model_copy(update={"data_dir": folder}))
    yield made
    close(made)


@pytest.fixture
def pack(chatbot: Chatbot, tmp_path: Path) -> Path:
    """A pack of the valve's release 1.0, with its originals, a term and a curated answer."""
    chatbot.glossaries.put("valve", Entry("hold_time", ("holding period",)))
    row = FaqRow(1, "valve", "1.0", "Who fixed it?", "Ask the hotline.", 1.0)
    Exchange(chatbot, LOCAL).bring_in(FaqFile("faq.csv", (row,), ()))
    path = tmp_path / "valve.strata"
    ReleasePacks(chatbot, LOCAL).make("valve", "1.0", path, originals=True)
    return path


def builder_of(chatbot: Chatbot, embedder: Any = None) -> Builder:
    return Builder(
        chatbot.database, chatbot.settings.data_dir, embedder or chatbot.embedder, workers=1
    )


def taken(chatbot: Chatbot, path: Path, embedder: Any = None, **names: Any) -> Unpacked:
    with open_pack(path) as pack:
        signer = pack.signer
    packs = ReleasePacks(chatbot, LOCAL)
    return packs.take(path, builder_of(chatbot, embedder), trust=signer, **names)


def answer(chatbot: Chatbot, question: str) -> dict[str, Any]:
    """A reply without what differs from one Strata, and from one second, to the next."""
    reply = chatbot.ask(question, product="valve", release="1.0").content.model_dump(mode="json")
    cited = [{**citation, "page_id": 0} for citation in reply["citations"]]
    memory = {k: v for k, v in reply["memory"].items() if k in ("route", "reused")}
    return {**reply, "citations": cited, "memory": memory, "timings": {}, "seconds": 0}


def test_a_release_answers_elsewhere_as_it_did_here(
    chatbot: Chatbot, elsewhere: Chatbot, pack: Path
) -> None:
    came = taken(elsewhere, pack)
    assert (came.ingest.outcome, came.ingest.embedded) == (Outcome.PUBLISHED, 0)
    assert came.embedded_anew == ""
    assert came.terms == 1
    assert came.answers is not None
    assert came.answers.added == 1
    for question in QUESTIONS:
        assert answer(elsewhere, question) == answer(chatbot, question)
    vectors = select(EmbeddingRow.text_hash, EmbeddingRow.vector)
    with chatbot.database.reading() as here, elsewhere.database.reading() as there:
        own = {row.text_hash: row.vector for row in here.execute(vectors)}
        assert {r.text_hash: r.vector for r in there.execute(vectors)}.items() <= own.items()
    corpus = elsewhere.corpora.corpus("valve", "1.0")
    for document in corpus.documents():
        kept = Documents(chatbot.database).original(document.content_hash)
        assert Documents(elsewhere.database).original(document.content_hash) == kept
    # What the pack is not of did not come along.
    assert [r.name for r in elsewhere.catalog.product("valve").releases] == ["1.0"]
    assert taken(elsewhere, pack).ingest.outcome is Outcome.UNCHANGED


def test_figures_languages_and_addresses_come_along(
    chatbot: Chatbot, elsewhere: Chatbot, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pump.png").write_bytes(picture())
    inside = f"data:image/png;base64,{b64encode(picture(colour='blue')).decode()}"
    (folder / "valve.md").write_text(
        "# Ventil\n\n## Einbau\n\nDas Ventil sitzt hinter der Pumpe und wird mit vier Schrauben "
        f"befestigt.\n\n![Die Pumpe](pump.png)\n\n![Das Ventil]({inside})\n",
        "utf-8",
    )
    builder_of(chatbot).ingest([folder], product="valve", release="1.0", language="de")
    with chatbot.database.writing() as session:
        session.execute(update(MemberRow).values(address="https://docs.example.org/valve"))
    path = tmp_path / "figures.strata"
    ReleasePacks(chatbot, LOCAL).make("valve", "1.0", path)
    taken(elsewhere, path)
    (cited, *_) = answer(chatbot, "Wie wird das Ventil befestigt?")["citations"]
    assert cited["url"].startswith("https://docs.example.org/valve")
    assert answer(elsewhere, "Wie wird das Ventil befestigt?") == answer(
        chatbot, "Wie wird das Ventil befestigt?"
    )

    def kept(of: Chatbot) -> Any:
        columns = (
            *(FigureRow.block, FigureRow.section, FigureRow.caption, FigureRow.description),
            *(FigureRow.width, FigureRow.height, FigureRow.place, FigureRow.original),
        )
        serving = of.catalog.serving("valve", "1.0").generation
        with of.database.reading() as session:
            languages = languages_of(session, serving)
            rows = session.execute(
                select(FigureRow.content_hash, *columns, DocumentRow.language)
                .join(PageRow, PageRow.id == FigureRow.page_id)
                .join(DocumentRow, DocumentRow.id == PageRow.document_id)
                .order_by(FigureRow.id)
            ).all()
        return languages, [(Originals(of.database).read(row[0]), *row) for row in rows]

    here, there = kept(chatbot), kept(elsewhere)
    assert here == there
    assert here[0].chosen == "de"
    assert [row[4] or row[5] for row in here[1]] == ["Die Pumpe", "Das Ventil"]
    assert taken(elsewhere, path).ingest.outcome is Outcome.UNCHANGED


def test_a_picture_that_is_none_is_refused(
    chatbot: Chatbot, elsewhere: Chatbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pump.png").write_bytes(picture())
    (tmp_path / "pump.md").write_text("# Pump\n\nIt pumps.\n\n![The pump](pump.png)\n", "utf-8")
    builder_of(chatbot).ingest([tmp_path], product="pump", release="1.0")
    path = tmp_path / "pump.strata"
    for data, told in (
        (b"<svg onload='alert(1)'/>", "is none"),
        (picture(colour="blue"), "is another one"),
    ):
        made = [(f"pictures/{row}", data) for row in hashes(chatbot)]
        monkeypatch.setattr(
            release_packs, "pictures_of", lambda *of, made=made: ((n, iter([d])) for n, d in made)
        )
        ReleasePacks(chatbot, LOCAL).make("pump", "1.0", path)
        with pytest.raises(BadPack, match=told):
            taken(elsewhere, path)


def hashes(chatbot: Chatbot) -> list[str]:
    with chatbot.database.reading() as session:
        return list(session.scalars(select(FigureRow.content_hash)))


def test_nothing_is_embedded_however_long_the_documents_take(
    elsewhere: Chatbot, pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_LOOK_SECONDS", 0.0)
    insert = gathering.insert_document

    def slowly(*given: Any, **columns: Any) -> int:
        time.sleep(0.1)
        return insert(*given, **columns)

    monkeypatch.setattr(gathering, "insert_document", slowly)
    assert taken(elsewhere, pack).ingest.embedded == 0


def test_a_newer_pack_replaces_what_the_older_one_brought(
    chatbot: Chatbot, elsewhere: Chatbot, pack: Path, tmp_path: Path
) -> None:
    taken(elsewhere, pack)
    own = tmp_path / "own.md"
    own.write_text("# Our notes\n\nThe valve in hall 3 has the number 4711.")
    builder_of(elsewhere).ingest([own], product="valve", release="1.0")
    builder_of(chatbot).remove_documents("valve", "1.0", ["reference.html"])
    newer = tmp_path / "newer.strata"
    ReleasePacks(chatbot, LOCAL).make("valve", "1.0", newer)
    came = taken(elsewhere, newer)
    assert came.ingest.dropped == ["reference.html"]
    files = {d.file for d in elsewhere.corpora.corpus("valve", "1.0").documents()}
    assert "own.md" in files
    assert "reference.html" not in files


def test_without_originals_pages_are_read_as_text(
    chatbot: Chatbot, elsewhere: Chatbot, tmp_path: Path
) -> None:
    path = tmp_path / "small.strata"
    ReleasePacks(chatbot, LOCAL).make("valve", "1.0", path)
    taken(elsewhere, path, product="pump", release="7")
    corpus = elsewhere.corpora.corpus("pump", "7")
    (first, *_) = corpus.documents()
    assert corpus.pages_of(first.id)
    with pytest.raises(LookupError):
        Documents(elsewhere.database).original(first.content_hash)
    # The same file, when it is ingested, is kept.
    original = Documents(chatbot.database).original(first.content_hash)
    file = tmp_path / first.file
    file.write_bytes(original)
    builder_of(elsewhere).ingest([file], product="pump", release="8")
    assert Documents(elsewhere.database).original(first.content_hash) == original


def test_another_embedder_embeds_anew_and_says_so(elsewhere: Chatbot, pack: Path) -> None:
    came = taken(replace(elsewhere, embedder=HashEmbedder()), pack, HashEmbedder())  # type: ignore[arg-type]
    assert came.ingest.embedded == came.ingest.chunks
    assert "the pack has vectors of all-minilm" in came.embedded_anew


def rewritten(path: Path, change: Callable[[str, bytes], bytes | None], **more: bytes) -> Path:
    """A copy with changed members (None: left out) and more of them."""
    copy = path.with_name("changed.strata")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            if (data := change(name, old.read(name))) is not None:
                new.writestr(name, data)
        for name, data in more.items():
            new.writestr(name, data)
    return copy


CHANGES: dict[str, Callable[[str, bytes], bytes | None]] = {
    "a value": lambda n, d: d.replace(b"20", b"99") if n == "documents.jsonl" else d,
    "a vector": lambda n, d: d[:-4] + b"\0\0\0\0" if n == "vectors.f4" else d,
    "an answer": lambda n, d: d.replace(b"hotline", b"attacker") if n == "answers.json" else d,
    "an original": lambda n, d: d[::-1] if n.startswith("originals/") else d,
    "the manifest": lambda n, d: d.replace(b'"1.0"', b'"2.0"') if n == "manifest.json" else d,
    "the signature": lambda n, d: (
        d.replace(b'ature": "', b'ature": "AAAA') if n == "signature.json" else d
    ),
    "no signature": lambda n, d: None if n == "signature.json" else d,
    "nonsense for one": lambda n, d: b"[1]" if n == "signature.json" else d,
    "a member is missing": lambda n, d: None if n == "glossary.json" else d,
    "more than was signed": lambda n, d: d + b"\n" * 50 if n == "documents.jsonl" else d,
}


def test_what_was_tampered_with_is_refused(elsewhere: Chatbot, pack: Path) -> None:
    with open_pack(pack) as opened:
        signer = opened.signer
    for name, change in CHANGES.items():
        changed = rewritten(pack, change)
        assert changed.read_bytes() != pack.read_bytes(), name
        with pytest.raises(BadPack):
            ReleasePacks(elsewhere, LOCAL).take(changed, builder_of(elsewhere), trust=signer)
    assert not elsewhere.products()
    # Who signed is trusted from then on only if the pack was as it was signed.
    with pytest.raises(UntrustedPack, match="not known"):
        ReleasePacks(elsewhere, LOCAL).take(pack, builder_of(elsewhere))


def test_an_added_member_a_torn_file_and_no_pack_are_refused(
    elsewhere: Chatbot, pack: Path, tmp_path: Path
) -> None:
    torn, none = tmp_path / "torn.strata", tmp_path / "none.strata"
    torn.write_bytes(pack.read_bytes()[:-200])
    none.write_bytes(b"PK no zip")
    added = rewritten(pack, lambda n, d: d, **{"originals/x": b"x"})
    before, behind = tmp_path / "before.strata", tmp_path / "behind.strata"
    before.write_bytes(b"#!/bin/sh\n" + pack.read_bytes())
    behind.write_bytes(pack.read_bytes() + b"more")
    for path in (added, torn, none, before, behind, tmp_path / "missing.strata"):
        with pytest.raises(BadPack):
            taken(elsewhere, path)
    assert not elsewhere.products()


def broken(data: bytes) -> dict[str, bytes]:
    """Zips that say what they are and cannot be read, or hold more than is to be parsed."""
    made: dict[str, bytes] = {}
    for name, method in {"lzma": zipfile.ZIP_LZMA, "bzip2": zipfile.ZIP_BZIP2}.items():
        file = BytesIO()
        with zipfile.ZipFile(file, "w", method) as zipped:
            zipped.writestr("manifest.json", b"{}")
            zipped.writestr("signature.json", b"{}")
        made[name] = file.getvalue()
    for name, sizes in {"manifest": (10_000_001, 2), "signature": (2, 4_097)}.items():
        file = BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
            zipped.writestr("manifest.json", b" " * sizes[0])
            zipped.writestr("signature.json", b" " * sizes[1])
        made[name] = file.getvalue()
    with zipfile.ZipFile(BytesIO(data)) as zipped:
        info = zipped.getinfo("manifest.json")
    encrypted, deflate = bytearray(data), bytearray(data)
    listed = data.rindex(b"PK\x01\x02", 0, data.rindex(b"manifest.json"))
    encrypted[listed + 8] |= 1
    encrypted[info.header_offset + 6] |= 1
    # A block of a kind that there is none of.
    deflate[info.header_offset + 30 + len("manifest.json")] = 0xFF
    return {**made, "encrypted": bytes(encrypted), "deflate": bytes(deflate)}


def test_members_that_cannot_be_read_are_refused(pack: Path) -> None:
    for name, data in broken(pack.read_bytes()).items():
        with (
            pytest.raises(BadPack, match="is no release pack: ") as refused,
            open_pack(BytesIO(data)),
        ):
            pass
        is_large = "is too large" in str(refused.value)
        assert is_large is (name in ("manifest", "signature")), name


def document(**changes: Any) -> dict[str, Any]:
    page = {
        "number": 1,
        "blocks": [{"kind": "paragraph", "text": "Words."}],
        "chunks": [[0, 6, ""]],
    }
    of = {"title": "T", "kind": "guide", "content_hash": "0" * 64, "reading": "", "pages": [page]}
    return {"file": "a.md", **of, **changes}


MALFORMED: tuple[dict[str, Any], ...] = (
    {"file": "../../etc/passwd"},
    {"file": "/etc/passwd"},
    {"file": "a/../../b.md"},
    {"content_hash": "../x"},
    {"kind": "program"},
    {"pages": [{"number": 1, "blocks": [], "chunks": [[0, 99, ""]]}]},
    {"pages": "x"},
)


def test_a_signed_pack_is_not_believed_what_it_cannot_mean(
    elsewhere: Chatbot, tmp_path: Path
) -> None:
    path = tmp_path / "bad.strata"
    fields = {
        "product": "valve",
        "release": "1.0",
        "made": "",
        "documents": 1,
        "chunking": "",
        "embedder": "all-minilm-l6-v2-int8",
        "dimension": 384,
    }
    for changes in MALFORMED:
        line = json.dumps(document(**changes)).encode()
        members = [
            (DOCUMENTS, iter([line])),
            ("vectors.sha256", iter([])),
            ("vectors.f4", iter([])),
        ]
        write_pack(path, own_key(tmp_path), fields, members)
        with pytest.raises(BadPack, match="Document 1 of the pack is malformed"):
            taken(elsewhere, path)
    assert not elsewhere.products() or not elsewhere.products()[0].releases


def test_an_unknown_signer_is_trusted_by_fingerprint_alone(elsewhere: Chatbot, pack: Path) -> None:
    packs, builder = ReleasePacks(elsewhere, LOCAL), builder_of(elsewhere)
    for trust, message in (
        ("", "not known"),
        ("ab" * 32, "another key"),
        ("yes", "no fingerprint"),
    ):
        with pytest.raises(UntrustedPack, match=message):
            packs.take(pack, builder, trust=trust)
    taken(elsewhere, pack)
    assert packs.take(pack, builder).ingest.outcome is Outcome.UNCHANGED


def test_only_admins_make_and_take_packs(chatbot: Chatbot) -> None:
    with pytest.raises(NotAllowed):
        ReleasePacks(chatbot, Person("bo@example.org", "Bo", is_admin=False))


def work(chatbot: Chatbot) -> list[Job]:
    """Do the jobs that wait as the worker does; return all, the newest first."""
    settings = chatbot.settings
    work = worker_of(chatbot, unpack=partial(take_pack, settings))
    packs = replace(work, tasks={JobKind.PACK: partial(make_pack, settings)})
    while packs.do_next() or work.do_next():
        pass
    return list(Jobs(chatbot.database).recent(kinds=tuple(JobKind)))


def test_packs_are_made_and_taken_in_as_jobs(
    chatbot: Chatbot, elsewhere: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_PIECE", 5_000)
    admin = Administration(chatbot.database, LOCAL)
    ordered = admin.pack("VALVE", "1.0", originals=True)
    (job, *_) = work(chatbot)
    assert (job.id, job.kind, job.state) == (ordered, JobKind.PACK, JobState.DONE)
    assert "Ready to download for a week: " in job.message
    name, size, pieces = kept_result(chatbot.database, ordered)
    data = b"".join(pieces)
    assert name == "valve-1.0.strata"
    sweep_uploads(chatbot.database, chatbot.settings.data_dir)
    assert b"".join(kept_result(chatbot.database, ordered)[-1]) == data
    assert size == len(data)
    # Made anew, the earlier one is let go; that of another release is not.
    other, anew = admin.pack("valve", "2.0"), admin.pack("valve", "1.0", originals=True)
    work(chatbot)
    with pytest.raises(JobError, match="not kept any more"):
        kept_result(chatbot.database, ordered)
    assert kept_result(chatbot.database, other)[0] == "valve-2.0.strata"
    data = b"".join(kept_result(chatbot.database, anew)[-1])

    there = Administration(elsewhere.database, LOCAL)
    file, data_dir = BytesIO(data), elsewhere.settings.data_dir
    with pytest.raises(UntrustedPack, match=r"a key that is not known: [0-9a-f]{64}"):
        there.unpack(file, data_dir)
    assert not Jobs(elsewhere.database).recent()
    with open_pack(BytesIO(data)) as pack:
        signer = pack.signer
    there.unpack(file, data_dir, signer)
    assert len(Jobs(elsewhere.database).files(1)) > 2, "it is kept in pieces"
    (taken_in, *_) = work(elsewhere)
    assert (taken_in.state, taken_in.kind) == (JobState.DONE, JobKind.UNPACK)
    assert taken_in.message.startswith("Taken in: ")
    for question in QUESTIONS:
        assert answer(elsewhere, question) == answer(chatbot, question)
    # From now on its maker is trusted, also by the admins of the product, and for it alone.
    there.unpack(file, data_dir)
    Catalog(elsewhere.database).add_release("relay", "17.20")
    rights = Rights(elsewhere.database)
    for product, refused in (("valve", nullcontext()), ("relay", pytest.raises(UnknownRelease))):
        rights.change_admins(product, [f"{product}@example.org"])
        person = Person(f"{product}@example.org", product, is_admin=False)
        own = replace(rights.database, sight=rights.administered(person.viewer))
        with refused:
            Administration(own, person).unpack(file, data_dir)


def test_a_pack_that_was_changed_is_refused_before_it_is_a_job(
    chatbot: Chatbot, elsewhere: Chatbot
) -> None:
    there = Administration(elsewhere.database, LOCAL)
    for data in (b"", b"PK\x03\x04", b"no zip at all"):
        with pytest.raises(BadPack, match="This file is no release pack"):
            there.unpack(BytesIO(data), elsewhere.settings.data_dir)
    assert not Jobs(elsewhere.database).recent()


def test_no_file_is_given_of_a_job_that_made_none(chatbot: Chatbot) -> None:
    admin = Administration(chatbot.database, LOCAL)
    with pytest.raises(UnknownRelease):
        admin.pack("valve", "9.9")
    job = admin.pack("valve", "1.0")
    with pytest.raises(JobError, match="order it again"):
        kept_result(chatbot.database, job)


def test_programs_make_fetch_and_take_packs(chatbot: Chatbot, elsewhere: Chatbot) -> None:
    with ExitStack() as stack:
        here, there = (
            stack.enter_context(httpx.Client(base_url=stack.enter_context(serving(of)), timeout=60))
            for of in (chatbot, elsewhere)
        )
        _through_programs(here, there, chatbot, elsewhere)


def _through_programs(
    here: httpx.Client, there: httpx.Client, chatbot: Chatbot, elsewhere: Chatbot
) -> None:
    made = here.post("/api/v1/packs", params={"product": "valve", "release": "1.0"})
    assert made.status_code == 202
    place = f"/api/v1/packs/{made.json()['id']}"
    assert here.get(place).status_code == 422
    work(chatbot)
    fetched = here.get(place)
    assert fetched.headers["content-disposition"] == 'attachment; filename="valve-1.0.strata"'
    assert int(fetched.headers["content-length"]) == len(fetched.content)

    form = {"files": ("valve.strata", fetched.content)}
    refused = there.put("/api/v1/packs", files=form)
    assert refused.status_code == 422
    signer = re.search("[0-9a-f]{64}", refused.text)
    assert signer
    taken_in = there.put("/api/v1/packs", files=form, params={"trust": signer[0]})
    assert taken_in.status_code == 202
    assert work(elsewhere)[0].state is JobState.DONE
