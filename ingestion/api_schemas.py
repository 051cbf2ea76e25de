"""Schemas of an interface's description: what a value may be, in words, and its fields in rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ingestion.page import collapse
from ingestion.structured_data import mapping, members, truth

_DEEPEST = 5
_MOST_FIELDS = 400
"""Fields that are listed of one schema; what has more is generated and nobody reads it."""
_BOUNDS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "multiple of",
    "minLength": "minimum length",
    "maxLength": "maximum length",
    "minItems": "minimum items",
    "maxItems": "maximum items",
    "pattern": "pattern",
}
_MARKS = {"nullable": "may be null", "readOnly": "read only", "writeOnly": "write only"}


@dataclass(frozen=True, slots=True)
class Field:
    """What is known of a value: its name (`items[].price`), type, default and description.

    `only_in` names the one of several schemas that has it, where an object is one of them.
    """

    name: str
    type: str
    required: bool
    default: str
    description: str
    only_in: str = ""


class Schemas:
    """The schemas of one description. `elsewhere` are the references that lead out of it."""

    def __init__(self, described: dict[str, Any]) -> None:
        self._described = described
        self.elsewhere: set[str] = set()
        self._used: set[str] = set()

    def resolved(self, value: Any) -> Any:
        """Follow references within the file; what leads nowhere stays as it is."""
        seen: set[str] = set()
        while isinstance(value, dict) and isinstance(reference := value.get("$ref"), str):
            if reference in seen:
                return {}
            seen.add(reference)
            self._used.add(reference)
            if not reference.startswith("#/"):
                self.elsewhere.add(reference)
                return value
            target: Any = self._described
            for part in reference[2:].split("/"):
                key = part.replace("~1", "/").replace("~0", "~")
                target = target.get(key) if isinstance(target, dict) else None
            if target is None:
                return value
            value = target
        return value

    def unused(self) -> Iterator[tuple[str, Any]]:
        """Yield the schemas, by name, that nothing referred to until now."""
        components = mapping(self._described.get("components"))
        for root, schemas in (
            ("#/components/schemas/", mapping(components.get("schemas"))),
            ("#/definitions/", mapping(self._described.get("definitions"))),
        ):
            for name, schema in schemas.items():
                if f"{root}{name}" not in self._used:
                    yield str(name), schema

    def told(self, schema: Any) -> Field:
        """Say in words what a value may be."""
        of = self._whole(schema)
        default = _written(of["default"]) if "default" in of else ""
        words = "Deprecated. " * truth(of.get("deprecated")) + str(of.get("description") or "")
        return Field("", self._type(schema, 0), False, default, words.strip())

    def fields(self, schema: Any, *, without: str = "") -> list[Field]:
        """List the fields of an object, those of objects inside it with dots between the names.

        Those are left out that are `without` ("readOnly", "writeOnly").
        """
        fields: list[Field] = []
        self._gather(schema, "", 0, (), fields, "")
        mark = _MARKS.get(without, "")
        gone = {field.name for field in fields if mark and mark in field.type.split(", ")}
        inside = tuple(f"{name}{sign}" for name in gone for sign in ".[")
        return [f for f in fields if f.name not in gone and not f.name.startswith(inside)]

    def _gather(
        self,
        schema: Any,
        before: str,
        depth: int,
        through: tuple[int, ...],
        fields: list[Field],
        only_in: str,
    ) -> None:
        of = self._whole(schema)
        if depth > _DEEPEST or id(self.resolved(schema)) in through:
            return
        through = (*through, id(self.resolved(schema)))
        if "items" in of:
            name = f"{before}[]" if before else ""
            self._gather(of["items"], name, depth + 1, through, fields, only_in)
        needed = {str(name) for name in members(of.get("required"))}
        for name, inner in mapping(of.get("properties")).items():
            if len(fields) >= _MOST_FIELDS:
                return
            whole = f"{before}.{name}" if before else str(name)
            told = replace(self.told(inner), name=whole, required=str(name) in needed)
            fields.append(replace(told, only_in=only_in))
            self._gather(inner, whole, depth + 1, through, fields, only_in)
        for way in ("oneOf", "anyOf"):
            choices = [one for one in members(of.get(way)) if mapping(one).get("type") != "null"]
            for inner in choices:
                name = name_of(inner) or str(mapping(inner).get("title") or "")
                own = name if len(choices) > 1 and name else only_in
                self._gather(inner, before, depth + 1, through, fields, own)
        if isinstance(extra := of.get("additionalProperties"), dict):
            name = f"{before}.*" if before else "*"
            self._gather(extra, name, depth + 1, through, fields, only_in)

    def _whole(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """Put what `allOf` puts together into one schema."""
        of = mapping(self.resolved(schema))
        if name_of(schema) and len(schema) > 1:
            # What stands beside a reference tells of this place, as well as what is referred to.
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            of = {"allOf": [{"$ref": schema["$ref"]}, beside]}
        if depth > _DEEPEST or not of.get("allOf"):
            return of
        properties: dict[str, Any] = {}
        required: list[Any] = []
        whole: dict[str, Any] = {}
        for part in [*members(of["allOf"]), {k: v for k, v in of.items() if k != "allOf"}]:
            inner = self._whole(part, depth + 1)
            properties |= mapping(inner.get("properties"))
            required += members(inner.get("required"))
            whole |= inner
        return whole | ({"properties": properties} if properties else {}) | {"required": required}

    def _type(self, schema: Any, depth: int) -> str:
        name = name_of(schema)
        of = self._whole(schema)
        kinds = of.get("type")
        kind = (
            " or ".join(map(str, members(kinds))) if isinstance(kinds, list) else str(kinds or "")
        )
        if depth <= 2 and "items" in of:
            kind = f"array of {self._type(of['items'], depth + 1) or 'any value'}"
        if depth <= 2 and (places := members(of.get("prefixItems"))):
            kind = f"array of {', then '.join(self._type(p, depth + 1) for p in places)}"
        for way in ("oneOf", "anyOf"):
            if depth <= 2 and members(of.get(way)):
                choices = (self._type(one, depth + 1) for one in members(of[way]))
                kind = " or ".join(dict.fromkeys(filter(None, choices)))
        if depth <= 2 and isinstance(extra := of.get("additionalProperties"), dict):
            kind = f"map of {self._type(extra, depth + 1) or 'any value'}"
        kind = kind or ("object" if "properties" in of else "")
        if name and kind in {"object", ""}:
            kind = f"{name} object" if kind else name
        if of.get("format"):
            kind = f"{kind} ({of['format']})"
        told = [kind]
        if values := [_written(one) for one in members(of.get("enum"))]:
            told.append(f"one of: {', '.join(values)}")
        if "const" in of:
            told.append(f"always {_written(of['const'])}")
        told += [f"{word} {_written(of[key])}" for key, word in _BOUNDS.items() if key in of]
        told += [word for key, word in _MARKS.items() if truth(of.get(key))]
        return ", ".join(filter(None, told))


def name_of(schema: Any) -> str:
    """Return the name of what is referred to, or ""."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    return reference.rpartition("/")[2] if isinstance(reference, str) else ""


def _written(value: Any) -> str:
    if isinstance(value, str):
        return collapse(value)
    if isinstance(value, list) and not any(isinstance(one, dict | list) for one in value):
        return f"[{', '.join(map(_written, value))}]"
    return "…" if isinstance(value, dict | list) and value else "empty"
