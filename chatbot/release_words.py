"""The words around a number that say whether it is a release, and whose."""

from __future__ import annotations

import re

OWN, OTHER = "\ue000", "\ue001"
"""Stand in a masked question for each letter of the product's name, and of other products'."""

_TECHNOLOGY_WORDS = """
    python cpython pypy java jdk jre openjdk node node.js nodejs golang rust ruby php perl lua
    scala kotlin swift c++ gcc clang llvm glibc libc numpy scipy pandas cython pip setuptools
    django flask fastapi pydantic alembic sqlmodel celery asyncpg aiomysql aiosqlite psycopg
    psycopg2 psycopg3 pg8000 pymysql mysqlclient mysql mariadb postgres postgresql postgis pg
    sqlite sqlite3 oracle cx_oracle oracledb mssql server odbc jdbc pyodbc freetds db2 redshift
    cockroachdb sybase firebird redis mongo mongodb kafka elasticsearch rabbitmq http https tls ssl
    ssh snmp smtp imap ftp sftp tcp udp ip ipv sip usb pci pcie bluetooth wifi wi-fi dns dhcp ntp
    ptp bgp ospf netconf restconf yang soap grpc xml xhtml json yaml toml html css unicode utf iso
    iec rfc ieee itu etsi 3gpp pep cve chrome chromium firefox safari explorer edge windows macos
    os ios android linux kernel ubuntu debian rhel hat centos fedora suse sles opensuse alpine
    solaris aix freebsd openbsd vmware vsphere esxi docker podman kubernetes k8s helm openshift
    terraform ansible aws azure cuda mpi openmpi mpich mpich2 lam openssl openssh curl git cmake
    make bash powershell nginx apache tomcat jetty jboss excel qt gtk greenlet mypy pytest
    typing_extensions spark hadoop hdf5 cupy numba mod_wsgi gunicorn uwsgi swagger openapi oauth
    saml ldap ecmascript gnu gpl lgpl
"""
_TECHNOLOGIES = frozenset(_TECHNOLOGY_WORDS.split())
_PLACE_WORDS = """
    section sections sect chapter chapters step steps figure figures fig table tables page pages
    line lines appendix annex clause paragraph equation listing item items port ports phase stage
    rack slot ticket issue bug lesson exercise question
"""
_PLACES = frozenset(_PLACE_WORDS.split())

RELEASE_WORD = (
    r"(?:releases?|versions?|rel|vers?|relases?|releses?|relea?ces?|realeases?|realses?|relaeses?"
    r"|verisons?|versoins?|verions?|vesions?|verssions?|v|r)"
)
_BEFORE = (
    r"(?:(?:(?:the\s+)?(?P<count>\w+\s+)?(?:releases?|versions?|ones?)\s+(?:that\s+(?:came|was)\s+)?)?"
    r"(?:just\s+|right\s+|immediately\s+|directly\s+|shortly\s+)?"
    r"(?:(?P<before>before|prior\s+to|(?:older|earlier|lower)\s+than|preceding|below|previous\s+to)"
    r"|(?P<after>after|following|(?:newer|later|higher)\s+than|succeeding|above)))"
)
LEAD = re.compile(
    rf"(?:\b(?P<negation>not|unlike|instead\s+of|rather\s+than|other\s+than|except(?:\s+for)?"
    rf"|as\s+opposed\s+to|(?:not|n['’]t|never|no\s+longer)\s+(?:mean|use|using|want|have|run|running"
    rf"|asking\s+about|talking\s+about|interested\s+in))\s+)?"
    rf"(?:(?:\b{_BEFORE}|\b(?P<preposition>in|on|for|with|within|inside|under|of|at|by|using|into|onto"
    rf"|to|from|off|since|as\s+of|via|through|than|vs\.?|versus|against|is|about|over|running|use))\s+"
    rf"|(?P<pre>\bpre)[\s-])?"
    rf"(?:(?:the|our|my|your|a|an|both|either|old|new|older|newer)\s+){{0,2}}"
    rf"(?P<product>{OWN}+(?:['’]s)?(?:[\s,:_=<>~@/(-]|\bin\b)*)?"
    rf"(?:\b(?P<word>{RELEASE_WORD})\b[\s.:=#_-]*(?:(?:is|number|no\.?|nr\.?)\s+)?)?"
    rf"(?P<open>[(\[\"'“‘]*)(?P<prefix>(?<![\w.])(?:v|r|ver|rel|release|version)[.\-_]?)?$",
    re.IGNORECASE,
)
"""Everything right before a number that is said together with it; matches any text's end."""

CLOSE = re.compile(r"[)\]\"'”’]+")
TAIL = re.compile(
    r"(?:\+|['’]s\b)?(?:\s+(?P<word>releases?|versions?|series|docs?|documentation|branch|train|lines?)\b)?"
    r"(?:\s+(?:and|or)\s+(?:later|newer|above|up|onwards?|higher|greater|earlier|older|below)\b)?",
    re.IGNORECASE,
)
JOINED = re.compile(
    rf"\s*(?P<comma>,)?\s*(?P<join>/|&|\+|->|=>|→|–|-|and|or|vs\.?|versus|to|through|till|until|with"
    rf"|against|over|from|than|via)?\s*(?:(?:in|on|from|for|the|with|to|both|{RELEASE_WORD}|{OWN}+)\s*)*",
    re.IGNORECASE,
)
"""What may stand between two releases that are named side by side."""

UNIT = re.compile(
    r"(?:[kmgtp]i?b(?:/s|ps)?|[kmgt]?bits?/s|[kmg]bps|bytes?|bits?|chars|ms|µs|us|ns|secs?|seconds?"
    r"|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|years?|px|pt|mm|cm|km|meters?|metres?|inch(?:es)?"
    r"|[kmg]?hz|volts?|vdc|watts?|kw|amps?|dbm?|kg|lbs?|times|percent|million|billion|thousand|°\s?[cf]?)"
    r"(?![\w-])",
    re.IGNORECASE,
)
GLUED_UNIT = re.compile(r"(?:[smhdgkvwax]|[kmgtp])(?![\w.])", re.IGNORECASE)
BOUNDARY = re.compile(
    r"\s*(?:$|[?.!,;:)\]\"'’”…/&+]|[-–—>]|\n|(?:and|or|vs|versus|but|how|what|which|who|why|when|where"
    r"|is|are|was|were|does|do|did|can|could|should|would|will|has|have|to|with|on|for|in|from|at|as|by"
    r"|the|if|then|because|than|only|please|compared|after|before|since|instead|onwards?|upwards?|now"
    r"|already|still|too|also|yet|please|i|we|you|my|our|it|there|using|supports?|releases?|versions?"
    r"|series|docs|documentation|branch|train|lts)\b)",
    re.IGNORECASE,
)

_NEIGHBOUR = re.compile(
    rf"(?<!\w)(?P<word>[^\W\d][\w+]*+(?:\.js)?|3gpp|§|\#|{OTHER}+)(?:['’]s)?[\s/_-]*"
    rf"(?:{RELEASE_WORD}[\s.]+)?(?:(?:at\s+least|at\s+most|up\s+to"
    r"|is|minimum|(?:older|newer|lower|higher|later|earlier|greater|less)\s+than)\s+)?[<>=~!≥≤]*\s*['\"]?$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?:\b(?:set(?:ting)?(?:\s+\S+)?\s+to|values?\s+of|equals?(?:\s+to)?"
    r"|(?:factor|rate|timeout|delay|interval|size|ratio|weight|scale|speed)\s+of)\s+"
    r"|(?<=[\w)\]\s])=\s*['\"]?|\w\(['\"]?|[$€£]\s?)$",
    re.IGNORECASE,
)
_OF_SOMETHING = re.compile(r"\s+of\s+(?:the\s+|an?\s+)?(?P<word>[^\W\d][\w+]*|\ue001+)", re.I)


def claimed(before: str, lead: re.Match[str], after: str) -> bool:
    """Say whether a number belongs to what stands right before or after it, not to a release.

    Python 3.8, HTTP/1.1, section 2.0, timeout=1.5, 1.4 GB, 3 %, version 3 of TLS.
    """
    if after.startswith("%") or UNIT.match(after.lstrip(" \u00a0-")) or GLUED_UNIT.match(after):
        return True
    if not (lead["product"] or lead["word"]) and _VALUE.search(before):
        return True
    found = _NEIGHBOUR.search(before)
    if found and (
        _is_technology(found["word"]) or found["word"].casefold() in _PLACES | {"§", "#"}
    ):
        return True
    owner = _OF_SOMETHING.match(after)
    return bool(owner and _is_technology(owner["word"]))


def names_technology(text: str) -> bool:
    """Say whether a text names some other software or protocol."""
    return OTHER in text or any(_is_technology(w) for w in re.findall(r"[^\W\d][\w+.]*", text))


def _is_technology(word: str) -> bool:
    return word[0] == OTHER or word.casefold() in _TECHNOLOGIES
