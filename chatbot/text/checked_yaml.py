"""Hostile YAML: refused before the library would crash on it."""

import yaml

_DEEPEST = 100
_OPENS = yaml.MappingStartEvent | yaml.SequenceStartEvent
_CLOSES = yaml.MappingEndEvent | yaml.SequenceEndEvent


def check_yaml(text: str, *, aliases: bool = True) -> None:
    """Raise YAMLError for text that lies too deep, or has aliases where none are wanted.

    The C library puts nodes together by recursion, and ends the process at some ten thousand
    levels; the events that are counted here it yields one by one.
    """
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        depth += isinstance(event, _OPENS) - isinstance(event, _CLOSES)
        if depth > _DEEPEST:
            raise yaml.YAMLError(f"more than {_DEEPEST} levels")
        if not aliases and isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
