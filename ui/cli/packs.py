"""`strata pack` and `strata unpack`: a release in one signed file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from chatbot.accounts.people import LOCAL
from chatbot.runtime.ingest_throttle import pauses_for_answers
from corpora.building.building import Builder
from ui.cli.ingest import report_in_words
from ui.cli.terminal import AsJson, open_chatbot, print_result, progress_bars
from ui.wording.amounts import how_many


def pack(
    product: Annotated[str, Argument(help="The product.")],
    release: Annotated[str, Argument(help="The release.")],
    output: Annotated[
        Path | None, Option(help="The file to write (default: PRODUCT-RELEASE.strata).")
    ] = None,
    key: Annotated[
        Path | None,
        Option(help="A PEM file with an Ed25519 key to sign with (default: this Strata's own)."),
    ] = None,
    originals: Annotated[
        bool, Option(help="Put the original files in, so that pages are shown as printed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a release into one signed file, to be taken in on a network without a way out.

    It holds the pages, search chunks and vectors of its documents, the product's glossary and the
    release's curated answers. Tell those who get it the fingerprint of the key by another way.
    """
    from chatbot.administration.release_packs import ReleasePacks

    path = output or Path(f"{product}-{release}.strata".replace("/", "_"))
    with progress_bars() as show:
        packed = ReleasePacks(open_chatbot(), LOCAL).make(
            product, release, path, key=key, originals=originals, on_progress=show
        )
    print_result(
        as_json,
        packed,
        f"{packed.file} holds {packed.product} {packed.release}: "
        f"{how_many(packed.documents, 'document')}, {how_many(packed.answers, 'curated answer')}, "
        f"{packed.size / 1_000_000:,.1f} MB",
        f"signed by {packed.signer}",
    )


def unpack(
    file: Annotated[Path, Argument(help="A pack that `strata pack` wrote.")],
    trust: Annotated[
        str, Option(help="The fingerprint of a key whose packs are trusted from now on.")
    ] = "",
    product: Annotated[str, Option(help="Another name for its product.")] = "",
    release: Annotated[str, Option(help="Another name for its release.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take a release pack in: verified, offline, without a model and without embedding anew.

    It replaces what an earlier pack of that release brought; other documents of the release stay.
    After Ctrl-C the same command continues where it stopped.
    """
    from chatbot.administration.release_packs import ReleasePacks, Unpacked

    chatbot = open_chatbot()
    settings = chatbot.settings
    with progress_bars() as show:
        builder = Builder(
            chatbot.database,
            settings.data_dir,
            chatbot.embedder,
            settings=settings.chunking,
            on_progress=lambda p: show(p.stage, p.done, p.total, p.item),
            pause=pauses_for_answers(settings.data_dir),
            waits=settings.publishing_waits,
        )
        came = ReleasePacks(chatbot, LOCAL).take(
            file, builder, trust=trust, product=product, release=release, on_progress=show
        )

    def words(came: Unpacked) -> Iterator[str]:
        yield from report_in_words(came.ingest)
        yield f"made {came.made}, signed by {came.signer}"
        if came.embedded_anew:
            yield f"{how_many(came.ingest.embedded, 'text')} embedded anew: {came.embedded_anew}"
        if came.terms:
            yield f"{how_many(came.terms, 'term')} added to the glossary"
        if came.answers:
            yield f"{how_many(came.answers.added, 'curated answer')} added"
        yield from came.left_out

    print_result(as_json, came, *words(came))
