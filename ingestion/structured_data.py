"""YAML and JSON as their authors wrote them: every value stays the text that it is in the file."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from ingestion.decoding import printable
from ingestion.page import UnreadableFile

_OPENAPI = re.compile(
    r"""(?:^|[{,])[ \t]*["']?(?:openapi|swagger)["']?\s*:\s*["']?\d""", re.MULTILINE
)
_LITERAL = re.compile(r"[-+]?(\d[\d_]*)?(\.\d*)?([eE][-+]?\d+)?|true|false|null|~")
_DEEPEST = 200
_MOST_NODES = 2_000_000
"""How many values aliases may stand for, all together."""


def may_be_openapi(text: str) -> bool:
    """Say whether a text seems to describe an interface, before it is parsed."""
    return _OPENAPI.search(text) is not None


class Literal(str):
    """A number, a truth value or null, as it is written."""

    __slots__ = ()


def structured_data(text: str, *, cleaned: Callable[[str], str] = printable) -> Any:
    """Return mappings, lists and texts; what is no text is a Literal, so that 1.10 stays 1.10.

    `cleaned` is what texts of JSON go through.
    Raises UnreadableFile where it is neither YAML nor JSON, is nested too deeply, or stands for
    more than 2,000,000 values by its aliases.
    """
    try:
        if text.lstrip()[:1] in {"{", "["}:
            return _literals(json.loads(text, parse_int=Literal, parse_float=Literal), cleaned)
        return _yaml(text)
    except json.JSONDecodeError as error:
        raise UnreadableFile(
            "not valid JSON (line {line}: {msg}); correct it", line=error.lineno, msg=error.msg
        ) from error
    except RecursionError as error:
        raise UnreadableFile("its values are nested too deeply to be read") from error


def as_json(value: Any, indent: str = "") -> str:
    """Write what was read as JSON."""
    inner = f"{indent}  "
    if isinstance(value, dict) and value:
        lines = (
            f"{inner}{json.dumps(str(k), ensure_ascii=False)}: {as_json(v, inner)}"
            for k, v in value.items()
        )
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"{inner}{as_json(v, inner)}" for v in value) + f"\n{indent}]"
    return str(value) if isinstance(value, Literal) else json.dumps(value, ensure_ascii=False)


def truth(value: Any) -> bool:
    """Say whether a value is the truth value true."""
    return value == "true" and isinstance(value, Literal)


def mapping(value: Any) -> dict[Any, Any]:
    """Return a mapping with what YAML merges into it, or an empty one for anything else."""
    if not isinstance(value, dict):
        return {}
    merged = value.get("<<")
    if merged is None:
        return value
    parts = members(merged) if isinstance(merged, list) else [merged]
    whole: dict[Any, Any] = {}
    for part in reversed(parts):
        whole |= part if isinstance(part, dict) else {}
    return whole | {key: one for key, one in value.items() if key != "<<"}


def members(value: Any) -> list[Any]:
    """Return a list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def _literals(value: Any, cleaned: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {key: _literals(one, cleaned) for key, one in value.items()}
    if isinstance(value, list):
        return [_literals(one, cleaned) for one in value]
    if isinstance(value, Literal):
        return value
    return cleaned(value) if isinstance(value, str) else Literal(json.dumps(value))


def _yaml(text: str) -> Any:
    import yaml

    try:
        _refuse_bombs(yaml.parse(text, Loader=yaml.CBaseLoader))
        # Of several documents the first one is meant.
        return _value(next(yaml.compose_all(text, Loader=yaml.CBaseLoader), None))
    except yaml.MarkedYAMLError as error:
        problem = " ".join(str(error.problem).split())[:120]
        raise UnreadableFile(
            "not valid YAML (line {line}: {problem}); correct it"
            if error.problem_mark
            else "not valid YAML ({problem}); correct it",
            line=error.problem_mark.line + 1 if error.problem_mark else 0,
            problem=problem,
        ) from error
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableFile("not valid YAML; correct it") from error


def _value(node: Any) -> Any:
    if node is None:
        return None
    if node.id == "mapping":
        return {str(key.value): _value(one) for key, one in node.value}
    if node.id == "sequence":
        return [_value(one) for one in node.value]
    is_literal = node.value and not node.style and _LITERAL.fullmatch(node.value)
    return Literal(node.value) if is_literal else printable(node.value)


def _refuse_bombs(events: Iterator[Any]) -> None:
    """Look how deep a document is, and count what it stands for once its aliases are followed."""
    import yaml

    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            total += sizes.get(event.anchor, 1)
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, total))
            if len(open_nodes) > _DEEPEST:
                raise RecursionError
            total += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            if anchor:
                sizes[anchor] = total - before
        elif isinstance(event, yaml.ScalarEvent):
            total += 1
        if total > _MOST_NODES:
            raise UnreadableFile(
                "its aliases expand to more than {most_nodes:,} values; write them out",
                most_nodes=_MOST_NODES,
            )
