"""Descriptions of interfaces, OpenAPI and Swagger: one page an operation, parameters as rows."""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from ingestion.api_schemas import Schemas, name_of
from ingestion.decoding import decode
from ingestion.documents import document, paginate
from ingestion.loaders.markdown import markdown_blocks
from ingestion.messages import message
from ingestion.page import (
    Block,
    BlockKind,
    Document,
    NotDocumentation,
    Page,
    UnreadableFile,
    collapse,
)
from ingestion.structured_data import (
    as_json,
    mapping,
    may_be_openapi,
    members,
    structured_data,
    truth,
)
from ingestion.tables import table_blocks

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_MARKUP = re.compile(r"[`*_\[<\\&~#]|^\s*[-+\d]", re.MULTILINE)
_ADDRESSES = ("authorizationUrl", "tokenUrl")
_PARAMETER = ("Parameter", "In", "Type", "Required", "Default", "Description")
_FIELD = ("Field", "Only in", "Type", "Required", "Default", "Description")
_LONGEST_EXAMPLE = 4_000


def load(data: bytes, file: str) -> Document:
    """Read a description of an interface in YAML or JSON, OpenAPI 3 or Swagger 2.

    The first page tells of the interface, then each operation has a page of its own, or several
    where it is long, and each schema that no operation uses. References within the file are
    followed, those to others counted in a remark. Raises NotDocumentation for other data,
    UnreadableFile where it is broken.
    """
    text = decode(data)
    if not may_be_openapi(text):
        raise NotDocumentation("data, and no description of an interface (OpenAPI)")
    described = structured_data(text)
    if not isinstance(described, dict) or not {"openapi", "swagger"} & described.keys():
        raise NotDocumentation("data, and no description of an interface (OpenAPI)")
    try:
        interface = _Interface(described, file)
        sections = [section for section in interface.sections() if section]
    except RecursionError as error:
        raise UnreadableFile("its values are nested too deeply to be read") from error
    numbers = count(1)
    pages = [Page(next(numbers), page.blocks) for section in sections for page in paginate(section)]
    elsewhere = interface.schemas.elsewhere
    named = ", ".join(sorted(elsewhere)[:5])
    remark = message("references to other files are not followed: {names}", names=named)
    remarks = (remark,) if elsewhere else ()
    return document(data, file, interface.title, pages, remarks)


class _Interface:
    def __init__(self, described: dict[str, Any], file: str) -> None:
        self.described = described
        self.schemas = Schemas(described)
        info = mapping(described.get("info"))
        self.title = _text(info.get("title")) or file.rpartition("/")[2]

    def sections(self) -> Iterator[list[Block]]:
        """Yield the blocks of the interface, of each operation, and of the schemas left."""
        yield list(self._about())
        for kind in ("paths", "webhooks"):
            for place, given in mapping(self.described.get(kind)).items():
                item = mapping(self.schemas.resolved(given))
                for method in _METHODS:
                    if method in item:
                        name = f"{method.upper()} {place}"
                        name = f"Webhook {name}" if kind == "webhooks" else name
                        operation = mapping(item[method])
                        if kind == "paths" and "security" in self.described:
                            operation = {"security": self.described["security"], **operation}
                        yield list(self._operation(name, item, operation))
                        yield from self._callbacks(name, operation)
        for name, schema in self.schemas.unused():
            place = (self.title, name)
            yield [
                Block(BlockKind.HEADING, name, place),
                *_described(mapping(schema), place),
                *self._fields(schema, place),
            ]

    def _callbacks(self, name: str, operation: dict[str, Any]) -> Iterator[list[Block]]:
        """Yield the blocks of what an operation calls in its turn."""
        for callback, given in mapping(operation.get("callbacks")).items():
            for place, called in mapping(self.schemas.resolved(given)).items():
                item = mapping(self.schemas.resolved(called))
                for method in filter(item.__contains__, _METHODS):
                    title = f"Callback {callback} of {name}: {method.upper()} {place}"
                    yield list(self._operation(title, item, mapping(item[method])))

    def _about(self) -> Iterator[Block]:
        info, place = mapping(self.described.get("info")), (self.title,)
        yield Block(BlockKind.HEADING, self.title, place)
        if version := _text(info.get("version")):
            yield Block(BlockKind.PARAGRAPH, f"Version of the interface: {version}", place)
        yield from _described(info, place)
        servers = [mapping(server) for server in members(self.described.get("servers"))]
        rows = [[_text(server.get("url")), _line(server.get("description"))] for server in servers]
        if host := _text(self.described.get("host")):
            rows.append([host + _text(self.described.get("basePath")), ""])
        yield from _table(("Server", "Description"), rows, place)
        rows = [
            [
                f"{{{name}}}",
                _text(variable.get("default")),
                ", ".join(map(_text, members(variable.get("enum")))),
                _line(variable.get("description")),
            ]
            for server in servers
            for name, variable in (
                (n, mapping(v)) for n, v in mapping(server.get("variables")).items()
            )
        ]
        yield from _table(("Part of the address", "Default", "One of", "Description"), rows, place)
        components = mapping(self.described.get("components"))
        schemes = components.get("securitySchemes") or self.described.get("securityDefinitions")
        rows = [
            [
                name,
                *(_text(scheme.get(key)) for key in ("type", "scheme", "in", "name")),
                " ".join(filter(None, (_line(scheme.get("description")), *_flows(scheme)))),
            ]
            for name, scheme in (
                (n, mapping(self.schemas.resolved(s))) for n, s in mapping(schemes).items()
            )
        ]
        yield from _table(("Security", "Type", "Scheme", "In", "Name", "Description"), rows, place)
        tags = [mapping(tag) for tag in members(self.described.get("tags"))]
        rows = [[_text(tag.get("name")), _line(tag.get("description"))] for tag in tags]
        yield from _table(("Tag", "Description"), [row for row in rows if row[1]], place)

    def _operation(
        self, name: str, item: dict[str, Any], operation: dict[str, Any]
    ) -> Iterator[Block]:
        place, anchor = (self.title, name), _text(operation.get("operationId")) or None
        yield Block(BlockKind.HEADING, name, place, anchor)
        if summary := _line(operation.get("summary") or item.get("summary")):
            yield Block(BlockKind.PARAGRAPH, summary, place, anchor)
        if truth(operation.get("deprecated")):
            yield Block(BlockKind.PARAGRAPH, "Deprecated.", place, anchor)
        yield from _described(operation or item, place)
        for label, value in (
            ("Operation", anchor or ""),
            ("Tags", ", ".join(map(_text, members(operation.get("tags"))))),
            ("Security", self._security(operation)),
        ):
            if value:
                yield Block(BlockKind.PARAGRAPH, f"{label}: {value}", place, anchor)
        given = {
            (_text(one.get("name")), _text(one.get("in"))): one
            for one in (
                mapping(self.schemas.resolved(parameter))
                for parameter in (
                    *members(item.get("parameters")),
                    *members(operation.get("parameters")),
                )
            )
        }
        rows = [self._parameter(one) for (_, where), one in given.items() if where != "body"]
        yield from _table(_PARAMETER, rows, place)
        bodies = [one for (_, where), one in given.items() if where == "body"]
        if "requestBody" in operation:
            bodies.append(mapping(self.schemas.resolved(operation["requestBody"])))
        for body in bodies:
            yield from self._content("Request body", body, (*place, "Request body"))
        responses = mapping(operation.get("responses"))
        answers = {code: mapping(self.schemas.resolved(one)) for code, one in responses.items()}
        rows = [[str(code), _line(one.get("description"))] for code, one in answers.items()]
        yield from _table(("Response", "Description"), rows, (*place, "Responses"), "Responses")
        for code, one in answers.items():
            yield from self._content(f"Response {code}", one, (*place, f"Response {code}"))

    def _security(self, operation: dict[str, Any]) -> str:
        """Say what a call needs; of several ways one is enough."""
        ways = []
        for one in members(operation.get("security")):
            scopes = {n: ", ".join(map(_text, members(s))) for n, s in mapping(one).items()}
            parts = (f"{name} ({named})" if named else name for name, named in scopes.items())
            ways.append(" and ".join(parts) or "none")
        return " or ".join(ways) or "none" * (operation.get("security") == [])

    def _parameter(self, one: dict[str, Any]) -> list[str]:
        contents = [mapping(content) for content in mapping(one.get("content")).values()]
        schema = one.get("schema") or next((c.get("schema") for c in contents), None) or one
        told = self.schemas.told(schema)
        words = _line(one.get("description")) or told.description
        if truth(one.get("deprecated")):
            words = f"Deprecated. {words}".strip()
        required = "yes" if truth(one.get("required")) else "no"
        name = _text(one.get("name")) or name_of(one)
        return [name, _text(one.get("in")), told.type, required, told.default, words]

    def _content(self, label: str, body: dict[str, Any], place: tuple[str, ...]) -> Iterator[Block]:
        """Read what is sent or returned: its media types, its fields, an example."""
        contents = mapping(body.get("content")) or ({"": body} if "schema" in body else {})
        blocks: list[Block] = []
        seen: list[Any] = []
        for kind, content in ((k, mapping(c)) for k, c in contents.items()):
            schema = content.get("schema")
            told = self.schemas.told(schema).type if schema else ""
            line = ": ".join(filter(None, (str(kind), told)))
            if line:
                blocks.append(Block(BlockKind.PARAGRAPH, line, place))
            if schema and schema not in seen:
                seen.append(schema)
                unseen = "readOnly" if label == "Request body" else "writeOnly"
                blocks += self._fields(schema, place, unseen)
            blocks += _examples(content, place)
        rows = [
            [
                str(name),
                self.schemas.told(one.get("schema") or one).type,
                _line(one.get("description")),
            ]
            for name, one in (
                (n, mapping(self.schemas.resolved(h)))
                for n, h in mapping(body.get("headers")).items()
            )
        ]
        blocks += _table(("Header", "Type", "Description"), rows, place)
        words = list(_described(body, place)) if label == "Request body" else []
        if blocks or words:
            yield Block(BlockKind.HEADING, label, place)
            if truth(body.get("required")):
                yield Block(BlockKind.PARAGRAPH, "Required.", place)
        yield from (*words, *blocks)

    def _fields(self, schema: Any, place: tuple[str, ...], without: str = "") -> list[Block]:
        rows = [
            [
                field.name,
                field.only_in,
                field.type,
                "yes" if field.required else "no",
                field.default,
                _line(field.description),
            ]
            for field in self.schemas.fields(schema, without=without)
        ]
        return list(_table(_FIELD, rows, place))


def _examples(content: dict[str, Any], place: tuple[str, ...]) -> Iterator[Block]:
    named = [mapping(one).get("value") for one in mapping(content.get("examples")).values()]
    for example in [content.get("example"), *named]:
        if example not in (None, "", {}, []):
            text = example if isinstance(example, str) else as_json(example)
            if len(text) <= _LONGEST_EXAMPLE:
                yield Block(BlockKind.CODE, text, place)


def _described(thing: dict[str, Any], place: tuple[str, ...]) -> Iterator[Block]:
    """Read a description, which is Markdown, below the headings of its place."""
    for block in markdown_blocks(_text(thing.get("description"))):
        yield Block(block.kind, block.text, (*place, *block.path), block.anchor, block.header)


def _flows(scheme: dict[str, Any]) -> Iterator[str]:
    """Say of each flow of OAuth where it begins, and what its scopes allow."""
    alone = {scheme["flow"]: scheme} if "flow" in scheme else {}
    flows = mapping(scheme.get("flows")) or alone
    for name, flow in ((name, mapping(flow)) for name, flow in flows.items()):
        places = ", ".join(filter(None, (_text(flow.get(key)) for key in _ADDRESSES)))
        scopes = (f"{s} ({_line(w)})" if w else s for s, w in mapping(flow.get("scopes")).items())
        told = ": ".join(
            filter(None, (f"{name} at {places}" if places else name, ", ".join(scopes)))
        )
        yield f"{told}."


def _line(text: Any) -> str:
    """Read Markdown of a few words as one line."""
    words = _text(text)
    if _MARKUP.search(words):
        words = " ".join(block.text for block in markdown_blocks(words))
    return collapse(words)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _table(
    header: tuple[str, ...], rows: list[list[str]], place: tuple[str, ...], heading: str = ""
) -> Iterator[Block]:
    """Lay out rows below their header, without the columns in which no row says anything."""
    if not rows:
        return
    if heading:
        yield Block(BlockKind.HEADING, heading, place)
    kept = [i for i in range(len(header)) if i == 0 or any(row[i] for row in rows)]
    grid = [[row[i] for i in kept] for row in [list(header), *rows]]
    yield from table_blocks(grid, header_rows=1, path=place)
