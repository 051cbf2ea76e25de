"""Requests that say they come from elsewhere, from somebody else, or go to another place.

A row of `requests.jsonl` each: one `request` by its line and headers, one to open a `socket` by its
headers, or the `wire` as it stands on it. {port} is the server's port; the server believes a
person's name from the proxy's address alone, and nobody of these comes from there.
"""

import json
from pathlib import Path
from typing import Any

_SOCKET = (
    *("GET /_stcore/stream", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)


def _on_the_wire(row: dict[str, Any]) -> str:
    if "wire" in row:
        return str(row["wire"])
    is_socket, body = "socket" in row, row.get("body", "")
    line, *headers = (*_SOCKET, *row["socket"]) if is_socket else row["request"]
    if not any(header.lower().startswith("host:") for header in headers):
        headers.insert(0, "Host: 127.0.0.1:{port}")
    headers += [f"Content-Length: {len(body)}"] if body else []
    connection = f"Connection: {'Upgrade' if is_socket else 'close'}"
    return "\r\n".join((f"{line} HTTP/1.1", *headers, connection, "", body))


_ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("requests.jsonl").read_text("utf-8").splitlines()
]
REFUSED: dict[str, tuple[str, list[int]]] = {
    row["case"]: (_on_the_wire(row), row["refused"]) for row in _ROWS if "refused" in row
}
"""Requests, and the statuses that a refusal may have."""
GIVES_NOTHING = {row["case"]: _on_the_wire(row) for row in _ROWS if "refused" not in row}
"""Ways to what needs a sign-in, to a file of the machine, to a host that the request made up."""
