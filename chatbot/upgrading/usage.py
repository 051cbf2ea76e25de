"""What somebody uses: a configuration, a command line, code, or features in words → names.

All of it is hostile text. It is parsed and never run, bounded, looked up and forgotten: names of
the documentation are shown, never words of the input.
"""

import configparser
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import yaml

from chatbot.errors import BadQuestion
from chatbot.retrieval.support import plain, whole
from chatbot.text.checked_yaml import check_yaml
from corpora.parameters.forms import is_name
from prompts.fencing import visible

LARGEST, MOST_LINES = 200_000, 10_000
"""Characters and lines of an input; a larger one is refused."""
_MOST_NAMES, _DEEPEST = 3_000, 30
_LONGEST_NAME = 120
_MOST_TOPICS = 50
_LONGEST_TOPIC = 80
_ASSIGNED = re.compile(r"(?<![\w.-])([A-Za-z_][\w.-]{0,120})[\"']?[ \t]{0,40}(?:=(?!=)|:(?=\s)|\()")
"""What has a value, or is called."""
_VALUE = re.compile(r"[=:]\s*[\"']?([A-Za-z][\w.-]{2,80})[\"']?\s*(?=[,;)}\]]|$)", re.M)
_WORD = re.compile(r"-{0,2}[$@]?[A-Za-z_][\w.:-]*(?:\(\))?")
_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#|//|;).*$", re.M)
_STRUCTURE = re.compile(r"[=:{}\[\]()<>$]|(?:^|\s)-")
_BLANKS = re.compile(r"[^\S\n]{41,}")
PART = re.compile(r"[\w.+-]+")
_MOST_WORDS = 4
"""Of a command."""
_LONGEST_LINE, _MOST_DOTS = 2_000, 50
"""Of a line that the parsers of INI and TOML get: their time grows with the square of it."""


def folded(name: str) -> str:
    """A name as it is looked up: `--max-jobs`, `max_jobs` and `MAX_JOBS` are one.

    A single letter and a name in letters of both cases stay as they are: `-q` is not `-Q`, and
    IPv6 is no `ipv6`.
    """
    bare = name.strip("`\"' ").lstrip("-$@").removesuffix("()").rstrip(":.")
    one_case = bare.islower() or bare.isupper()
    return (bare.casefold() if one_case and len(bare) > 1 else bare).replace("-", "_")


def spoken(text: str) -> str:
    """The words of a text in small letters, without the marks between them."""
    return " ".join(word.strip("-+.") for word in PART.findall(plain(text)))


def as_phrase(text: str) -> str:
    """A text as commands of several words are looked up: "quill-fax send" is "quill fax send"."""
    return spoken(text).replace("-", " ")


@dataclass(frozen=True)
class Usage:
    """What somebody uses: names with those that they stand below, topics in words, and the text.

    `values` are words that options are set to: a choice can be removed like an option. Empty where
    everything is asked for.
    """

    names: Mapping[str, frozenset[str]]
    topics: tuple[str, ...] = ()
    text: str = ""
    values: frozenset[str] = frozenset()

    @property
    def is_everything(self) -> bool:
        """Whether nothing was named, so that all changes are meant."""
        return not self.names and not self.topics

    def has(self, *spellings: str) -> bool:
        """Whether one of the spellings of a documented name is used."""
        return any(self._has(name) for name in spellings)

    def has_elsewhere(self, owner: str, names: Iterable[str]) -> bool:
        """Whether the names are used in other sections only, of an input that has this one."""
        above = [self.names[name] for name in names if name in self.names]
        sections = frozenset[str]().union(*above)
        return folded(owner) in self._sections and bool(sections) and folded(owner) not in sections

    @property
    def looked_up(self) -> int:
        """How many names and topics of several words are looked for."""
        return len(self.names) + sum(" " in topic for topic in self.topics)

    @cached_property
    def _sections(self) -> frozenset[str]:
        return frozenset[str]().union(*self.names.values())

    def _has(self, name: str) -> bool:
        if " " in name.strip() and folded(name) not in self.names:
            # A command of several words is no name of a file, and is looked for in the text.
            return bool(self.text) and whole(plain(name)).search(self._plainly) is not None
        return folded(name) in self.names

    @cached_property
    def _plainly(self) -> str:
        return plain(self.text)

    @cached_property
    def phrases(self) -> frozenset[str]:
        """What may be a command of several words, as it is looked up (`as_phrase`)."""
        lines = (spoken(line).split() for line in _COMMENT.sub("", self.text).splitlines())
        made = (
            " ".join(words[at : at + size]).replace("-", " ")
            for words in lines
            for size in range(2, _MOST_WORDS + 1)
            for at in range(len(words) - size + 1)
        )
        return frozenset((*made, *(as_phrase(name) for name in self.names if " " in name)))

    def without(self, *names: str) -> "Usage":
        """The same without some names, such as that of the product."""
        left = {k: of for k, of in self.names.items() if k not in set(map(folded, names))}
        return replace(self, names=left)

    def with_names(self, names: Iterable[str]) -> "Usage":
        """The same, and other names that what is used has in a later release."""
        more = {folded(name): frozenset[str]() for name in names}
        return replace(self, names={**more, **self.names}) if more else self


EVERYTHING = Usage({})


def read_usage(text: str) -> Usage:
    """What an input names; raises BadQuestion where it is too large or nothing can be read in it.

    A configuration is read by the parser of its format (JSON, TOML, INI, YAML), where it parses;
    else its keys, options, arguments and identifiers are what is written as such. A few words
    without any of these are topics, separated by commas or lines.
    """
    text = visible(text)
    if not text.strip():
        return EVERYTHING
    if len(text) <= LARGEST:
        text = _BLANKS.sub(" " * 40, text)
    if len(text) > LARGEST or text.count("\n") >= MOST_LINES:
        raise BadQuestion(
            "what you use has {number:,} characters in {lines:,} lines, the limit is "
            "{largest:,} in {most_lines:,}: send the part that matters",
            number=len(text),
            lines=text.count(chr(10)) + 1,
            largest=LARGEST,
            most_lines=MOST_LINES,
        )
    if not _STRUCTURE.search(text):
        return _of_words(text)
    names: dict[str, frozenset[str]] = {}
    for name, above in islice(_names(text), 4 * _MOST_NAMES):
        key = folded(name)
        if key and len(key) <= _LONGEST_NAME and len(names) < _MOST_NAMES:
            names[key] = names.get(key, frozenset()) | above
    if not names:
        return _of_words(text)
    values = islice((folded(m[1]) for m in _VALUE.finditer(text)), _MOST_NAMES)
    return Usage(names, text=text, values=frozenset(values))


def _of_words(text: str) -> Usage:
    commas = text.replace(";", ",").replace("\n", ",")
    parts = [" ".join(part.split()) for part in commas.split(",")]
    topics = [part for part in parts if part and len(part) <= _LONGEST_TOPIC][:_MOST_TOPICS]
    # Of a sentence, the words that are written as names are names, too.
    written = (word for part in parts for word in part.split() if word == part or is_name(word))
    single = {
        folded(w): frozenset[str]() for w in islice(written, _MOST_NAMES) if len(w) <= _LONGEST_NAME
    }
    if not (topics or single):
        raise BadQuestion(
            "nothing that can be looked up was found in what you use: name features, separated by "
            "commas, or paste a configuration"
        )
    return Usage(single, tuple(t for t in topics if not is_name(t)), text)


_Names = Iterator[tuple[str, frozenset[str]]]


def _names(text: str) -> _Names:
    for parse in (_json, _toml, _ini, _yaml):
        try:
            data = parse(text)
        # The parsers go one call deeper with each bracket.
        except (ValueError, RecursionError, configparser.Error, yaml.YAMLError):
            continue
        if isinstance(data, Mapping | list) and data:
            # The sections of such files are named after programs.
            yield from _walk(data, sections=parse in (_ini, _toml))
            return
    yield from _by_shape(text)


def _json(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str)


def _require_short_lines(text: str) -> None:
    for line in text.split("\n"):
        if len(line) > _LONGEST_LINE or line.partition("=")[0].count(".") > _MOST_DOTS:
            raise ValueError("a line is too long, or its key has too many parts")


def _toml(text: str) -> Any:
    _require_short_lines(text)
    return tomllib.loads(text)


def _ini(text: str) -> Any:
    _require_short_lines(text)
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser}


def _yaml(text: str) -> Any:
    # A few lines with aliases stand for billions of nodes.
    check_yaml(text, aliases=False)
    documents = islice(yaml.load_all(text, yaml.CSafeLoader), 100)
    # One line of words is YAML, too, and so is "key: value" in a sentence.
    return [d for d in documents if isinstance(d, Mapping | list)]


def _walk(data: Any, *, sections: bool = False) -> _Names:
    waiting: list[tuple[Any, tuple[str, ...]]] = [(data, ())]
    while waiting:
        value, above = waiting.pop()
        if len(above) > _DEEPEST:
            continue
        match value:
            case Mapping():
                for key, inner in value.items():
                    name = str(key)
                    if above or not (sections and isinstance(inner, Mapping)):
                        yield from _path(name, above)
                    waiting.append((inner, (*above, name)))
            case list():
                waiting += ((inner, above) for inner in value)
            case str():
                # A value may be a list, a command line or the name of a choice.
                parents = frozenset(map(folded, above))
                yield from ((word, parents) for word in _WORD.findall(value) if is_name(word))


def _path(name: str, above: tuple[str, ...]) -> _Names:
    """A key by itself and with what it stands below: "limit" and "retry.limit"."""
    parents = frozenset(map(folded, above))
    yield name, parents
    for first in range(len(above)):
        yield ".".join((*above[first:], name)), parents


def _by_shape(text: str) -> _Names:
    without_comments = _COMMENT.sub("", text)
    none = frozenset[str]()
    yield from ((name, none) for name in _ASSIGNED.findall(without_comments))
    for word in _WORD.findall(without_comments):
        if is_name(word):
            yield word, none
            # A method or an option of an object is documented by its own name.
            if "." in word:
                yield word.rsplit(".", 1)[1], frozenset([folded(word.rsplit(".", 1)[0])])
