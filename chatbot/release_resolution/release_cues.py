"""Whether a number in a question is a release, judged by the words around it."""

from __future__ import annotations

import re

from chatbot.release_resolution.release_numbers import Number
from chatbot.release_resolution.release_words import (
    BOUNDARY,
    OTHER,
    OWN,
    RELEASE_WORD,
    TAIL,
    UNIT,
)
from corpora.release import name_tokens

_PROTOCOL_WORDS = """
    http https tls ssl ssh snmp smtp imap ftp sftp usb pci pcie bluetooth wifi wi-fi dns dhcp ntp
    ptp bgp ospf netconf restconf yang soap grpc xml xhtml json yaml toml html css
"""
_PROTOCOLS = frozenset(_PROTOCOL_WORDS.split())
_TECHNOLOGY_WORDS = """
    python cpython pypy java jdk jre openjdk node node.js nodejs golang rust ruby php perl lua
    scala kotlin swift c++ gcc clang llvm glibc libc numpy scipy pandas cython pip setuptools
    django flask fastapi pydantic alembic sqlmodel celery asyncpg aiomysql aiosqlite psycopg
    psycopg2 psycopg3 pg8000 pymysql mysqlclient mysql mariadb postgres postgresql postgis pg
    sqlite sqlite3 oracle cx_oracle oracledb mssql odbc jdbc pyodbc freetds db2 redshift
    cockroachdb sybase firebird redis mongo mongodb kafka elasticsearch rabbitmq tcp udp ip ipv sip
    unicode utf iso iec rfc ieee itu etsi 3gpp pep cve chrome chromium firefox safari windows macos
    os ios android linux kernel ubuntu debian rhel centos fedora suse sles opensuse alpine
    solaris aix freebsd openbsd vmware vsphere esxi docker podman kubernetes k8s helm openshift
    terraform ansible aws azure cuda mpi openmpi mpich mpich2 openssl openssh curl git cmake
    bash powershell nginx apache tomcat jetty jboss excel qt gtk greenlet mypy pytest
    typing_extensions spark hadoop hdf5 cupy numba mod_wsgi gunicorn uwsgi swagger openapi oauth
    saml ldap ecmascript gnu gpl lgpl
"""
_TECHNOLOGY_PAIRS = {"sql server", "windows server", "red hat", "internet explorer"}
_TECHNOLOGIES = {*_TECHNOLOGY_WORDS.split(), *_TECHNOLOGY_PAIRS, *_PROTOCOLS}
_R_NUMBERED = frozenset({"3gpp", "etsi"})
"""Others who write the numbers of their releases as R17."""
_PLACE_WORDS = """
    section sections sect chapter chapters step steps figure figures fig table tables page pages
    line lines appendix annex clause paragraph equation listing item items port ports phase stage
    rack slot ticket lesson exercise
"""
_PLACES = frozenset(_PLACE_WORDS.split()) | {"§", "#"}
_EQUIPMENT = frozenset({"line", "lines", "port", "ports", "rack", "racks", "slot", "slots"})
_LABELLED = frozenset({"rack", "slot", "item", "ticket"})
"""What is labelled R17 itself."""
_POINTED_AT = re.compile(
    rf"(?:^|[^\w\s{OWN}]|\b(?:on|at|in|into|onto|to|from|of|for|via|through|by|with|per|see|the|this|that|these"
    r"|those|my|our|your|its|and|or|is|are|was|were|if|when|why|which|what|has|have"
    r"|(?:re)?(?:set|start|open|clos|enabl|disabl|configur|connect|activat|us|assign|provision)\w*"
    r"|shut|show|replace|check|clear|block|remove|insert|plug|delete|create|name|call|down|up))\s*$",
    re.IGNORECASE,
)

_NEIGHBOUR = re.compile(
    rf"(?<!\w)(?P<word>(?:sql|windows)\s+server|red\s+hat|internet\s+explorer"
    rf"|[^\W\d][\w+]*+(?:\.js)?|3gpp|§|\#|{OTHER}+)(?:['’]s)?[\s/_-]*"
    rf"(?:\b{RELEASE_WORD}[\s.]*)?(?:(?:at\s+least|at\s+most|up\s+to"
    r"|(?P<verb>is)|minimum|(?:older|newer|lower|higher|later|earlier|greater|less)\s+than)\s+)?[<>=~!≥≤]*\s*['\"]?$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?:\b(?:set(?:ting)?(?:\s+\S+){0,3}?\s+to|values?\s+of|equals?(?:\s+to)?"
    r"|(?P<measure>(?P<some>\b(?:an?|at|with)\s+(?:\S+\s+){0,2})?"
    r"\b(?:factor|rate|timeout|delay|interval|size|ratio|weight|scale|speed)\s+of))\s+"
    r"|(?<=[\w)\]\s])=\s*['\"]?|\w\(['\"]?|[$€£]\s?)$",
    re.IGNORECASE,
)
_MADE_RELEASE = re.compile(
    rf"\bset(?:ting)?\s+(?:\S+\s+){{0,2}}(?:releases?|versions?|software|firmware|nodes?|devices?|systems?"
    rf"|shel(?:f|ves)|elements?|{OWN}+)\s+to\s+$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s*(?:,|/|&|-|–|and|or|to)\s*\d", re.IGNORECASE)
_COUNTED = re.compile(
    r"[\s-]+(?:\w+s|bit|byte|core|node|api|uuid|protocol|format|schema|header|packet|license)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"\b(?:does|did|will|has)\s+$", re.IGNORECASE)
_TWO = (
    r"v?\d+(?:\.\w+)+\s+(?:{between})\s+(?:in\s+)?v?\d+(?:\.\w+)+(?![\w%]|\s*(?:s|ms|seconds?)\b)"
)
_SIDES = (
    re.compile(
        r"\b(?:chang|differ|compar|diff\b|same\b|new\b)[^?]*\bbetween\s+"
        + _TWO.format(between="and"),
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:compar\w+|diff(?:erences?)?)\s+(?:(?:of|in|between)\s+)?"
        + _TWO.format(between="and|with|to|vs\\.?|versus"),
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:what\b[^?]*\bchang\w+|upgrad\w+|migrat\w+)\b[^?]*\bfrom\s+"
        + _TWO.format(between="to"),
        re.IGNORECASE,
    ),
    re.compile(_TWO.format(between="vs\\.?|versus"), re.IGNORECASE),
)
_OF_SOMETHING = re.compile(r"\s+of\s+(?:the\s+|an?\s+)?(?P<word>[^\W\d][\w+]*|\ue001+)", re.I)


def claimed(before: str, lead: re.Match[str], after: str, number: Number) -> bool:
    """Say whether a number belongs to what stands right before or after it, not to a release.

    Python 3.8, HTTP/1.1, section 2.0, timeout=1.5, 1.4 GB, 3 %, version 3 of TLS. A number known as
    a release may be a subject of its own (which Python version is 2.0 tested on?), and one that is
    written as a release stays one: default MTU client port R17.20.
    """
    known = bool(number.reading.covers)
    marked = bool(lead["word"] or lead["prefix"])
    quantity = after.lstrip(" \u00a0-")
    if quantity.startswith("%") or UNIT.match(quantity):
        return not (marked and known and number.dotted)
    if not (lead["product"] or lead["word"]) and _is_value(before, number):
        return True
    found = _NEIGHBOUR.search(before)
    if found and not (known and found["verb"]):
        word = " ".join(found["word"].casefold().split())
        if word in _PLACES and not _is_release_at(word, found, lead, after, number):
            return True
        if _is_technology(word) and not _is_release_beside(word, lead, number):
            return True
    owner = _OF_SOMETHING.match(after)
    return bool(owner and _is_technology(owner["word"]))


def _is_value(before: str, number: Number) -> bool:
    """Whether a number is what something is set to or measures: "a timeout of 17.20".

    "The timeout of 17.20" is that of a release, if one is written so.
    """
    value = _VALUE.search(before)
    if not value:
        return False
    if value["measure"]:
        return bool(value["some"]) or not _is_full_name(number)
    return not (number.reading.covers and _MADE_RELEASE.search(before))


def _is_release_at(
    word: str, found: re.Match[str], lead: re.Match[str], after: str, number: Number
) -> bool:
    """Whether a number after the name of a place is a release: "default MTU client port R17.20".

    A bare number ("port 18", "slot R1") is one only where a release has it and more is said; so is
    a full name without any mark, if no port in particular is pointed at ("on port 17.20").
    """
    bounded = bool(BOUNDARY.match(after))
    if lead["word"] or lead["prefix"]:
        if number.dotted or len(lead["word"] or "") > 1:
            return True
        return bool(number.reading.covers) and bounded and word not in _LABELLED
    if word not in _EQUIPMENT or not bounded or not _is_full_name(number):
        return False
    if not found.string[found.end("word") :].isspace():
        return False
    if word.endswith("s") and not _GOES_ON.match(after):
        return True
    return not _POINTED_AT.search(found.string[: found.start("word")])


def _is_release_beside(word: str, lead: re.Match[str], number: Number) -> bool:
    """Whether a number after the name of a technology is a release all the same: "OSPF R18.00".

    Nearly nobody else writes an R before it, and no protocol has come to a version as high.
    """
    if word[0] == OTHER or word in _R_NUMBERED:
        return False
    mark = (lead["prefix"] or lead["word"] or "").casefold()
    if mark.startswith("r") and (lead["prefix"] or mark == "r"):
        if word in _PROTOCOLS and number.dotted:
            return True
        if number.reading.covers and (number.dotted or number.high):
            return True
    return word in _PROTOCOLS and number.dotted and number.akin and number.high


def _is_full_name(number: Number) -> bool:
    """Whether a number is a release's name as it is written, and high: hardly by chance."""
    written = any(name_tokens(release.name) == number.tokens for release in number.reading.covers)
    return written and number.dotted and number.high


def says_release(text: str, number: Number, lead: re.Match[str]) -> bool:
    """Say whether a number that nothing else claims is meant as a release, known or unknown.

    A known release of two parts needs no cue; a bare "17" and an unknown number do.
    """
    known = bool(number.reading.covers)
    if known and number.dotted:
        return True
    bounded = bool(BOUNDARY.match(text, number.end))
    tail = TAIL.match(text, number.end)
    named = bool(lead["word"] or lead["prefix"] or (tail and tail["word"]))
    alone = not (text[: lead.start()] + text[number.end :]).strip(" ?.!")
    if number.dotted:
        cue = named or lead["product"] or alone or number.suffixed
        return bool(cue) or (bounded and _looks_like_release(text, number, lead))
    if not bounded and _COUNTED.match(text, number.end):
        return False
    if lead["product"] or lead["word"] or alone or (lead["prefix"] and bounded):
        return True
    told = lead["preposition"] or lead["before"] or lead["after"] or lead["pre"]
    told = told or _SUBJECT.search(text, max(0, number.start - 8), number.start)
    return known and (named or (bool(told) and number.high and (bounded or number.exact)))


def _looks_like_release(text: str, number: Number, lead: re.Match[str]) -> bool:
    """Judge an unknown number without any cue: to ask beats to answer from another release."""
    if _is_side(text, number) and not _names_technology(text):
        return True
    if (lead["preposition"] or "").casefold() in {"in", "on", "under", "since", "as of"}:
        return number.akin or not _names_technology(text)
    set_off = lead["preposition"] or lead["before"] or lead["after"] or lead["open"]
    return number.akin and bool(set_off or text[: number.start].endswith(", "))


def _is_side(text: str, number: Number) -> bool:
    """Whether the number is one of two that a question compares."""
    return any(
        pair.start() <= number.start < pair.end()
        for sides in _SIDES
        for pair in sides.finditer(text)
    )


def _names_technology(text: str) -> bool:
    return OTHER in text or any(_is_technology(w) for w in re.findall(r"[^\W\d][\w+.]*", text))


def _is_technology(word: str) -> bool:
    return word[0] == OTHER or " ".join(word.casefold().split()) in _TECHNOLOGIES
