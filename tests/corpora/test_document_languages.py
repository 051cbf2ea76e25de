"""The language of documents: told at ingest or said by an admin, indexed and searched by."""

from contextlib import closing
from pathlib import Path
from string import ascii_lowercase

import pytest
from sqlalchemy import update

from corpora.building.building import Builder
from corpora.building.detection import detect
from corpora.building.report import Outcome
from corpora.catalog.languages import languages_of
from corpora.catalog.release_settings import ProductSettings, ReleaseAdministration
from corpora.database.engine import Database
from corpora.database.tables import DocumentRow
from corpora.documents.documents import Documents
from corpora.errors import UnusableName
from corpora.indexing.compounds import Compounds
from corpora.indexing.corpus import open_corpus
from corpora.indexing.lexical import tokens
from ingestion.loaders import markdown
from tests.corpora.beacon import write
from tests.data_folders import data_dir_of
from tests.hash_embedder import HashEmbedder

MANUALS = Path(__file__).parents[2] / "examples/languages"
GERMAN = "# Warten\n\nDie Laternen werden jeden Monat gereinigt, sobald das Licht erloschen ist.\n"
ENGLISH = "# Waiting\n\nThe lanterns are cleaned every month as soon as the light has gone out.\n"
FRENCH = "# Attendre\n\nLes lanternes sont nettoyées chaque mois dès que la lumière est éteinte.\n"


def builder(database: Database) -> Builder:
    return Builder(database, data_dir_of(database), HashEmbedder(), workers=1)


def listed(database: Database, generation: int | None) -> dict[str, str]:
    found = Documents(database).find(generation or 0)
    return {document.file: document.language for document in found}


@pytest.mark.parametrize("language", ["de", "fr", "ja"])
def test_a_manual_tells_its_language(language: str) -> None:
    files = sorted((MANUALS / language).glob("*.md"))
    told = [detect(markdown.load(file.read_bytes(), file.name)) for file in files]
    # What is a table alone, such as the list of roles, may tell none.
    assert {*told} <= {language, ""}
    assert told.count("") <= 1


def test_code_and_tables_do_not_count() -> None:
    code = "\n".join(["    while the light is on: wait_until_it_goes_out_again()"] * 50)
    table = "\n".join(["| the name of the light | what it does when it is on |"] * 20)
    head = "| Name | Bedeutung |\n| --- | --- |"
    text = f"{GERMAN}\n{code}\n\n{head}\n{table}\n"
    assert detect(markdown.load(text.encode(), "a.md")) == "de"
    assert detect(markdown.load(b"# 17.20\n\n    light on\n", "a.md")) == ""


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Schutzgruppen", "Schutzgruppe"),
        ("fr", "raccordées", "raccordé"),
        ("es", "puertos", "puerto"),
        ("en", "cleaned", "cleaning"),
    ],
)
def test_words_are_stemmed_as_in_their_language(language: str, one: str, other: str) -> None:
    assert tokens(one, language) == tokens(other, language)


@pytest.mark.parametrize("language", ["de", "fr", "ja", "th"])
def test_names_and_versions_stay_whole_in_every_language(language: str) -> None:
    assert tokens("wait-to-restore", language)[0] == "wait-to-restore"
    assert tokens("1.10.1", language) == ["1.10.1"]
    assert tokens("保護グループ", language) == tokens("保護グループ")


@pytest.mark.database
def test_a_release_in_two_languages_is_searched_in_each(database: Database, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", de=GERMAN, en=ENGLISH, note="# 17.20\n\n1\n")
    write(docs, zwei=GERMAN.replace("Laternen", "Masten"))
    report = builder(database).ingest([docs], product="Beacon", release="1")
    assert report.languages == {"de": 3, "en": 1}
    assert listed(database, report.generation) == {
        "de.md": "de",
        "en.md": "en",
        # What tells none is taken for most of the release.
        "note.md": "de",
        "zwei.md": "de",
    }
    with closing(open_corpus(database, data_dir_of(database), "Beacon", "1")) as corpus:
        assert corpus.languages == ("de", "en")

        def first(text: str) -> str:
            (chunk_id, _), *_ = corpus.lexical(corpus.terms(text), 1)
            return corpus.places([chunk_id])[0][1].file

        assert first("die Laterne") == "de.md"
        assert first("lantern cleaning") == "en.md"
        assert corpus.frequency("Laterne") == 1
    with database.writing() as session:
        untold = update(DocumentRow).where(DocumentRow.file == "zwei.md").values(language=None)
        session.execute(untold)
        assert languages_of(session, report.generation).documents == {"de": 3, "en": 1}


@pytest.mark.database
def test_what_is_said_goes_before_what_is_told(database: Database, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", a=FRENCH)
    build = builder(database)

    def ingest(release: str = "1", language: str | None = None) -> tuple[Outcome, list[str]]:
        report = build.ingest([docs], product="Beacon", release=release, language=language)
        return report.outcome, list(report.languages)

    assert ingest() == (Outcome.PUBLISHED, ["fr"])
    assert ingest(language="fr") == (Outcome.UNCHANGED, ["fr"])
    assert ingest(language="en") == (Outcome.PUBLISHED, ["en"])
    assert ingest() == (Outcome.UNCHANGED, ["en"])
    administration = ReleaseAdministration(database)
    assert administration.settings("Beacon", "1").language == "en"
    assert ingest(language="") == (Outcome.PUBLISHED, ["fr"])
    administration.change_product("Beacon", ProductSettings(language="es"))
    assert ingest("2") == (Outcome.PUBLISHED, ["es"])
    assert ingest("2", "it") == (Outcome.PUBLISHED, ["it"])
    with pytest.raises(UnusableName, match="'klingon' is not a known language"):
        ingest(language="klingon")
    with pytest.raises(UnusableName):
        administration.change_product("Beacon", ProductSettings(language="xx"))


@pytest.mark.database
def test_documents_of_before_are_told_at_the_next_version(
    database: Database, tmp_path: Path
) -> None:
    build = builder(database)
    docs = write(tmp_path / "docs", a=GERMAN)
    first = build.ingest([docs], product="Beacon", release="1", language="en")
    with database.writing() as session:
        session.execute(update(DocumentRow).values(language=None))
    assert listed(database, first.generation) == {"a.md": "en"}
    again = build.ingest([docs], product="Beacon", release="1", language="")
    assert (again.read, again.unchanged) == (0, 1)
    assert listed(database, again.generation) == {"a.md": "de"}
    # A version that serves or waits for a rollback never changes.
    assert listed(database, first.generation) == {"a.md": "en"}


def test_compounds_are_found_by_their_parts_and_parts_by_their_compounds() -> None:
    compounds = Compounds(["bitfehlerrat", "fehler", "schleif", "benutzerkonto", "benutzt", "rat"])
    assert compounds.of("bitfehler") == ["bitfehlerrat", "fehler"]
    assert compounds.of("prufschleif") == ["schleif"]
    assert compounds.of("benutz") == ["benutzt", "benutzerkonto"]
    assert compounds.of("schleif") == compounds.of("rat") == []
    assert len(Compounds(f"kabel{letter}{letter}" for letter in ascii_lowercase).of("kabel")) == 8


@pytest.mark.database
@pytest.mark.parametrize(("language", "found"), [("de", ["bitfehlerrat"]), ("en", [])])
def test_only_languages_that_join_words_are_searched_by_their_parts(
    database: Database, tmp_path: Path, language: str, found: list[str]
) -> None:
    docs = write(tmp_path / "docs", a="# Messen\n\nDie Bitfehlerrate steigt.\n")
    builder(database).ingest([docs], product="Beacon", release="1", language=language)
    with closing(open_corpus(database, data_dir_of(database), "Beacon", "1")) as corpus:
        assert corpus.compounds(corpus.terms("Bitfehler")) == found
