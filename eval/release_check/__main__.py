"""`python -m eval.release_check FOLDER`: changed found, false alarms, calls of the model.

The documentation of both releases is fetched into the folder and checked by its SHA-256, or taken
from archives that lie there; the facts become accepted answers of the older release, and the newer
one is checked as an admin would. Settings are those of `strata`; the data lies in the folder, and
beside it `verdicts/PRODUCT.jsonl` with what was told of each fact. A run that was stopped, or whose
model did not answer, goes on with what is left; any other one looks at everything again.
"""

import argparse
import json
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from chatbot.accounts.people import LOCAL
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.release_check.checking import Check
from chatbot.release_check.reports import CheckReport, read_report
from chatbot.release_check.verdicts import Verdict
from chatbot.settings import read_settings
from corpora.building.building import Builder
from corpora.building.fingerprints import ChunkingSettings
from corpora.errors import UnknownRelease
from eval.benchmark.documents import places
from eval.benchmark.fetching import fetched_by
from eval.gold import GoldError
from eval.records import write_records
from eval.release_check.facts import LABELS, Fact, Figures, figures, read_facts, verdicts


def main() -> None:
    """Measure the pairs that are named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m eval.release_check", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given, products = fetched_by(parser, LABELS)
    told = []
    for name in products:
        folders = {
            release: path for _, release, path in places(given.folder, {name: products[name]})
        }
        facts = read_facts(name, given.labels)
        settings = read_settings(data_dir=given.folder / "data" / name, publishing="now")
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        chatbot = open_chatbot(settings)
        with closing(chatbot.database), closing(chatbot.corpora):
            report = measure(chatbot, name, folders, facts)
        of_facts = verdicts(facts, report)
        write_records(given.folder / "verdicts" / f"{name}.jsonl", of_facts)
        found = figures(of_facts, report)
        told.append({"product": name, "releases": list(folders), **asdict(found)})
        if not given.json:
            sys.stdout.write(f"{_shown(name, found)}\n")
    if given.json:
        sys.stdout.write(f"{json.dumps(told, ensure_ascii=False, indent=1)}\n")


def measure(
    chatbot: Chatbot, product: str, folders: dict[str, Path], facts: tuple[Fact, ...]
) -> CheckReport:
    """Check the facts of the first release of `folders` against the second."""
    older, newer = folders
    begun = _begun(chatbot, product, newer)
    if not begun:
        _accept(chatbot, product, folders, facts)
    return Check(chatbot).run(product, newer, against=older, afresh=not begun)


def _begun(chatbot: Chatbot, product: str, release: str) -> bool:
    """Whether a check of the release was begun and has something left."""
    try:
        report = read_report(chatbot.database, product, release)
    except UnknownRelease:
        return False
    return report is not None and (not report.finished or report.count(Verdict.FAILED) > 0)


def _accept(
    chatbot: Chatbot, product: str, folders: dict[str, Path], facts: tuple[Fact, ...]
) -> None:
    settings = chatbot.settings
    cut = ChunkingSettings(settings.search_chunks_per_page, settings.search_chunk_size)
    builder = Builder(chatbot.database, settings.data_dir, chatbot.embedder, cut)
    for release, folder in folders.items():
        builder.ingest([folder], product=product, release=release)
    older, _ = folders
    rows = tuple(
        FaqRow(line, product, older, fact.question, fact.answer, 1.0)
        for line, fact in enumerate(facts, 1)
    )
    imported = Exchange(chatbot, LOCAL).bring_in(FaqFile("facts", rows, ()))
    if imported.left_out:
        raise GoldError("; ".join(skipped.reason for skipped in imported.left_out))


def _shown(product: str, found: Figures) -> str:
    lines = [
        f"{product}: changed found {found.found} of {found.changed}, false alarms "
        f"{found.alarms} of {found.unchanged}, {found.held} held without a model, "
        f"{found.calls} calls of the model",
        *(f"  missed: {name}" for name in found.missed),
        *(f"  false alarm: {name}" for name in found.alarmed),
        *(f"  not asked, run it again: {name}" for name in found.failed),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
