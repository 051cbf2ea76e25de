"""The MCP server: what editors and agents use as tools, over HTTP at `/mcp` or over stdio."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field
from starlette.requests import Request

from chatbot.accounts.people import LOCAL
from chatbot.accounts.program_keys import Scope
from chatbot.assembly import Chatbot
from chatbot.turn import Citation
from ui.api.forms import AskIn, Name, PageOut, ProductOut, RowId, SearchIn, SearchOut
from ui.api.service import Service, service_of, settings_of
from ui.wording.failures import told

INSTRUCTIONS = (
    "Strata answers from the documentation of one release of a product and never mixes releases. "
    "Name product and release where they are known; `releases` lists them. Every answer cites "
    "document and page, and says so where that release does not tell."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Product = Annotated[Name | None, Field(description="The product; without it the question's.")]
Release = Annotated[Name | None, Field(description="The release; without it the question's.")]
Told = TypeVar("Told")


@dataclass(frozen=True, kw_only=True)
class Source(Citation):
    """A citation with its number; `uri` is the page as a resource."""

    number: int
    uri: str


class Answered(BaseModel):
    """An answer with marks such as [1] of its sources; `abstained` where the release is silent."""

    answer: str
    product: str | None
    release: str | None
    compared_releases: tuple[str, ...] = ()
    abstained: bool
    sources: tuple[Source, ...] = ()


class Catalog(BaseModel):
    """The products with their releases."""

    products: tuple[ProductOut, ...]


def mcp_server(chatbot: Callable[[], Chatbot]) -> MCPServer[Any]:
    """The server with its tools; `chatbot` is opened with the first call.

    Over HTTP a call has the scopes of its key; over stdio the person who started the process is
    on this computer, and may do what the command line may.
    """
    server: MCPServer[Any] = MCPServer(
        "strata",
        instructions=INSTRUCTIONS,
        version=metadata.version("strata-docs"),
        log_level="WARNING",
    )

    async def done(ctx: Context, scope: Scope, work: Callable[[Service], Told]) -> Told:
        request = ctx.request_context.request

        def run() -> Told:
            opened = chatbot()
            if isinstance(request, Request):
                return work(service_of(request, opened, scope))
            return work(Service(opened, LOCAL))

        try:
            return await to_thread.run_sync(run)
        except Exception as error:  # noqa: BLE001 - the library would repeat what it says
            raise ToolError(told(error, settings_of(chatbot))) from None

    async def answered(ctx: Context, asked: AskIn) -> Answered:
        reply = await done(ctx, Scope.ASK, lambda service: service.ask(asked))
        sources = [
            Source(**asdict(cited), number=number, uri=f"strata://pages/{cited.page_id}")
            for number, cited in enumerate(reply.citations, 1)
        ]
        return Answered.model_validate({**dict(reply), "sources": sources})

    @server.tool(annotations=_READS)
    async def releases(ctx: Context) -> Catalog:
        """List the products and their releases, the oldest first."""
        return Catalog(products=await done(ctx, Scope.SEARCH, lambda service: service.products()))

    @server.tool(annotations=_READS)
    async def ask(
        ctx: Context, question: str, product: Product = None, release: Release = None
    ) -> Answered:
        """Answer a question from the documentation of one release, with sources."""
        return await answered(ctx, AskIn(question=question, product=product, release=release))

    @server.tool(annotations=_READS)
    async def compare(
        ctx: Context,
        topic: Annotated[str, Field(description="What is compared, in a few words.")],
        first: Annotated[str, Field(description="A release.")],
        second: Annotated[str, Field(description="Another release.")],
        product: Product = None,
    ) -> Answered:
        """Say what differs on a topic between two releases, with sources of both."""
        question = f"What is the difference between {first} and {second} in {topic}?"
        return await answered(ctx, AskIn(question=question, product=product))

    @server.tool(annotations=_READS)
    async def search(
        ctx: Context,
        query: str,
        product: Product = None,
        release: Release = None,
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
    ) -> SearchOut:
        """Find passages of one release, word for word, without an answer."""
        wanted = SearchIn(query=query, product=product, release=release, limit=limit)
        return await done(ctx, Scope.SEARCH, lambda service: service.search(wanted))

    @server.tool(annotations=_READS)
    async def read_page(
        ctx: Context,
        page_id: RowId,
        quote: Annotated[str, Field(description="Words to find on the page.")] = "",
    ) -> PageOut:
        """Read a whole page of a document, by the page_id of a source or passage."""
        return await done(ctx, Scope.SEARCH, lambda service: service.page(page_id, quote))

    @server.resource("strata://pages/{page_id}", mime_type="text/plain")
    async def page(ctx: Context, page_id: RowId) -> str:
        """A page of a document."""
        try:
            found = await read_page(ctx, page_id)
        except ToolError as error:
            raise ResourceError(str(error)) from error
        return f"{found.document}, page {found.number}\n{found.section}\n\n{found.text}"

    return server
