"""The MCP server: what editors and agents use as tools, over HTTP at `/mcp` or over stdio."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field
from starlette.requests import Request

from chatbot.turn import Citation
from ingestion.errors import StrataError
from ui.api.callers import ON_THIS_COMPUTER, Caller, caller_of
from ui.api.forms import AskIn, AskOut, PageOut, ProductOut, RowId, SearchIn, SearchOut
from ui.api.service import Service

INSTRUCTIONS = (
    "Strata answers from the documentation of one release of a product and never mixes releases. "
    "Name product and release where they are known; `releases` lists them. Every answer cites "
    "document and page, and says so where that release does not tell."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Product = Annotated[str | None, Field(description="The product; without it the question's.")]
Release = Annotated[str | None, Field(description="The release; without it the question's.")]
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


def mcp_server(service: Callable[[], Service], version: str) -> MCPServer[Any]:
    """The server with its tools; `service` is opened with the first call.

    Over HTTP a call has the scopes of its key; over stdio the person who started the process is
    on this computer, and may do what the command line may.
    """
    server: MCPServer[Any] = MCPServer(
        "strata", instructions=INSTRUCTIONS, version=version, log_level="WARNING"
    )

    @server.tool(annotations=_READS)
    async def releases(ctx: Context) -> Catalog:
        """List the products and their releases, the oldest first."""
        found = await _done(ctx, service, lambda s, caller: s.products(caller))
        return Catalog(products=found)

    @server.tool(annotations=_READS)
    async def ask(
        ctx: Context, question: str, product: Product = None, release: Release = None
    ) -> Answered:
        """Answer a question from the documentation of one release, with sources."""
        asked = AskIn(question=question, product=product, release=release)
        return _answered(await _done(ctx, service, lambda s, caller: s.ask(caller, asked)))

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
        asked = AskIn(question=question, product=product)
        return _answered(await _done(ctx, service, lambda s, caller: s.ask(caller, asked)))

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
        return await _done(ctx, service, lambda s, caller: s.search(caller, wanted))

    @server.tool(annotations=_READS)
    async def read_page(
        ctx: Context,
        page_id: RowId,
        quote: Annotated[str, Field(description="Words to find on the page.")] = "",
    ) -> PageOut:
        """Read a whole page of a document, by the page_id of a source or passage."""
        return await _done(ctx, service, lambda s, caller: s.page(caller, page_id, quote))

    @server.resource("strata://pages/{page_id}", mime_type="text/plain")
    async def page(ctx: Context, page_id: RowId) -> str:
        """A page of a document."""
        try:
            found = await _done(ctx, service, lambda s, caller: s.page(caller, page_id))
        except ToolError as error:
            raise ResourceError(str(error)) from error
        return f"{found.document}, page {found.number}\n{found.section}\n\n{found.text}"

    return server


async def _done(
    ctx: Context, service: Callable[[], Service], work: Callable[[Service, Caller], Told]
) -> Told:
    request = ctx.request_context.request

    def run() -> Told:
        opened = service()
        chatbot = opened.chatbot
        caller = ON_THIS_COMPUTER
        if isinstance(request, Request):
            caller = caller_of(request, chatbot.database, chatbot.settings)
        return work(opened, caller)

    try:
        return await to_thread.run_sync(run)
    except StrataError as error:
        raise ToolError(str(error)) from error


def _answered(reply: AskOut) -> Answered:
    sources = [
        Source(**asdict(cited), number=number, uri=f"strata://pages/{cited.page_id}")
        for number, cited in enumerate(reply.citations, 1)
    ]
    return Answered.model_validate({**dict(reply), "sources": sources})
