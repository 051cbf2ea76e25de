"""A process shuts itself off from files, sockets and other processes, by what Linux has for it."""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from errno import EFAULT, EPERM
from pathlib import Path
from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Landlock's calls, numbered alike on every machine."""
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights to files Landlock knows, from which version on."""
_SCOPED, _SCOPED_FROM = 3, 6
"""Signals and abstract sockets of other processes, and the version that shuts them off."""

_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_LOAD, _IS, _IS_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _FAIL = 0x7FFF0000, 0x50000 | EPERM
_OTHER_CALLS = 1 << 30
"""Where the numbers of another kind of calls, x32, begin."""
_DENIED = {
    "x86_64": (
        0xC000003E,
        {
            "processes": (56, 57, 58, 59, 272, 308, 322, 434, 435),
            "sockets, and rings that open them": (41, 53, 425),
            "the memory and files of others": (101, 310, 311, 438),
            "memory and messages that stay": (29, 30, 31, *range(64, 72), 240),
            "keys and the kernel": (248, 249, 250, 298, 321, 323),
            "length, mode, owner, times and marks of files, which Landlock leaves": (
                *(76, 90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235),
                *(254, 260, 261, 268, 280, 452, 463, 466, 469),
            ),
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "processes": (97, 220, 221, 268, 281, 434, 435),
            "sockets, and rings that open them": (198, 199, 425),
            "the memory and files of others": (117, 270, 271, 438),
            "memory and messages that stay": (180, *range(186, 198)),
            "keys and the kernel": (217, 218, 219, 241, 280, 282),
            "length, mode, owner, times and marks of files, which Landlock leaves": (
                *(5, 6, 7, 14, 15, 16, 27, 45, 52, 53, 54, 55, 88, 452, 463, 466, 469),
            ),
        },
    ),
}
"""By machine what its calls are known by, and the numbers of those that fail."""

_LIMITS = {"x86_64": 302, "aarch64": 261}
"""The call that sets the limits of a process: one's own, which is process 0, and no other's."""

_CAPABILITIES, _READS_ANYWHERE = 0x20080522, 1 << 1
"""What root keeps: other people's folders may lead to the libraries."""


def lacking() -> tuple[str, ...]:
    """Return what a process cannot be shut off from here, of files, signals and sockets."""
    version = _landlock()
    has = {"files": version > 0, "signals": version >= _SCOPED_FROM, "sockets": _has_filters()}
    return tuple(what for what, is_there in has.items() if not is_there)


def confine(readable: Iterable[Path]) -> None:
    """Let this process read what lies under some paths, and nothing else, to its end.

    It opens no other file and no socket, starts no process and looks into none, as far as the
    system has means for it (`lacking`). What is open stays open. Raises OSError.
    """
    if not _is_linux():
        return
    _call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if version := _landlock():
        _allow_reading(readable, version)
    _drop_capabilities()
    if _has_filters():
        machine = platform.machine()
        _deny_calls(*_DENIED[machine], _LIMITS[machine])


def _allow_reading(readable: Iterable[Path], version: int) -> None:
    rights = (1 << max(n for first, n in _RIGHTS.items() if first <= version)) - 1
    scoped = _SCOPED if version >= _SCOPED_FROM else 0
    rules = _call("syscall", _CREATE_RULESET, struct.pack("QQQ", rights, 0, scoped), 24, 0)
    for path in filter(Path.exists, readable):
        allowed = _READ_FILE | (_READ_FOLDER if path.is_dir() else 0)
        place = os.open(path, os.O_PATH)
        _call("syscall", _ADD_RULE, rules, 1, struct.pack("=Qi", allowed, place), 0)
        os.close(place)
    _call("syscall", _RESTRICT_SELF, rules, 0)
    os.close(rules)


def _drop_capabilities() -> None:
    header, held = struct.pack("Ii", _CAPABILITIES, 0), ctypes.create_string_buffer(24)
    _call("capget", header, held)
    kept = [sets & _READS_ANYWHERE for sets in struct.unpack("6I", held.raw)[:2]]
    _call("capset", header, struct.pack("6I", *kept, 0, 0, 0, 0))


def _deny_calls(machine: int, denied: dict[str, tuple[int, ...]], limits: int) -> None:
    calls = [call for numbers in denied.values() for call in numbers]
    end = len(calls) + 8
    program = [
        (_LOAD, 0, 0, 4),
        (_IS, 0, end - 2, machine),
        (_LOAD, 0, 0, 0),
        (_IS_AT_LEAST, end - 4, 0, _OTHER_CALLS),
        *((_IS, end - at, 0, call) for at, call in enumerate(calls, 5)),
        (_IS, 0, 2, limits),
        (_LOAD, 0, 0, 16),
        (_IS, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FAIL),
    ]
    written = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in program))
    pointer = struct.pack("HP", len(program), ctypes.addressof(written))
    _call("prctl", _SET_SECCOMP, _FILTER, pointer, 0, 0)


def _is_linux() -> bool:
    return sys.platform == "linux" and sys.maxsize > 1 << 32


def _landlock() -> int:
    """Return the version of Landlock; 0 where there is none."""
    try:
        return _call("syscall", _CREATE_RULESET, None, 0, 1) if _is_linux() else 0
    except OSError:
        return 0


def _has_filters() -> bool:
    """Whether calls can be denied: a filter at no address fails for its address alone."""
    if not _is_linux() or platform.machine() not in _DENIED:
        return False
    try:
        return _call("prctl", _SET_SECCOMP, _FILTER, None, 0, 0) == 0
    except OSError as error:
        return error.errno == EFAULT


def _call(function: str, *arguments: int | bytes | ctypes.Array[Any] | None) -> int:
    """Call a function of the system's library; raise OSError where it fails."""
    library = ctypes.CDLL(None, use_errno=True)
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result: int = library[function](*given)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
