"""Requests that say they come from elsewhere, from somebody else, or go to another place.

Each is a request as it stands on the wire. {port} is the server's port; the server believes a
person's name from the proxy's address alone, and nobody of these comes from there.
"""

from __future__ import annotations

HOME = "http://127.0.0.1:{port}"


def _request(line: str, *headers: str, body: str = "") -> str:
    given = {name.split(":")[0].lower() for name in headers}
    host = () if "host" in given else ("Host: 127.0.0.1:{port}",)
    length = (f"Content-Length: {len(body)}",) if body else ()
    return "\r\n".join(
        (f"{line} HTTP/1.1", *host, *headers, *length, "Connection: close", "", body)
    )


def _socket(*headers: str) -> str:
    return _request(
        "GET /_stcore/stream",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        *headers,
    ).replace("Connection: close", "Connection: Upgrade")


_ORIGINS = {
    "foreign": "http://evil.test",
    "null": "null",
    "other-port": "http://127.0.0.1:1",
    "other-scheme": "https://127.0.0.1:{port}",
    "longer-host": "http://127.0.0.1:{port}.evil.test",
    "user-part": "http://127.0.0.1:{port}@evil.test",
    "localhost": "http://localhost:{port}",
    "trailing-slash": HOME + "/",
    "with-path": HOME + "/evil",
    "upper-case": "HTTP://127.0.0.1:{port}",
    "two-in-one": HOME + ", http://evil.test",
    "two-with-space": HOME + " http://evil.test",
    "empty": "",
    "file": "file://",
    "extension": "chrome-extension://abcdef",
    "decimal-address": "http://2130706433:{port}",
    "ipv6-mapped": "http://[::ffff:127.0.0.1]:{port}",
    "tab-before": "\thttp://evil.test",
}
_ASK, _JSON = "POST /api/v1/ask", "Content-Type: application/json"
_ELSEWHERE = {
    "none-websocket": _socket(),
    "none-upload": _request("PUT /_stcore/upload_file/a/b"),
    "foreign-mcp": _request("POST /mcp", "Origin: http://evil.test"),
    "foreign-openai": _request("POST /v1/chat/completions", "Origin: http://evil.test"),
    "preflight": _request(
        "OPTIONS /api/v1/ask", "Origin: http://evil.test", "Access-Control-Request-Method: POST"
    ),
    **{
        f"cross-site-{name}": _request(line, "Sec-Fetch-Site: cross-site", *headers)
        for name, line, headers in (
            ("picture", "GET /api/v1/pages/1?quote=x", ("Sec-Fetch-Dest: image",)),
            ("script", "GET /api/v1/products", ("Sec-Fetch-Dest: script",)),
            (
                "frame",
                "GET /api/v1/changes",
                ("Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"),
            ),
            ("models", "GET /v1/models", ("Sec-Fetch-Mode: no-cors",)),
            ("mcp", "GET /mcp", ("Sec-Fetch-Mode: no-cors", "Accept: text/event-stream")),
            ("form", _ASK, ("Content-Type: text/plain",)),
        )
    },
}

_NAMES = {
    "name-itself": ("X-Forwarded-Email: ada@example.org",),
    "gate-s-own-header": ("X-Strata-Person: ada@example.org",),
    "gate-s-own-header-in-capitals": ("X-STRATA-PERSON: ada@example.org",),
    "underscores": ("X_Forwarded_Email: ada@example.org", "X_Strata_Person: ada@example.org"),
    "twice": ("X-Forwarded-Email: bo@example.org", "X-Forwarded-Email: ada@example.org"),
    "forwarded-for": ("X-Forwarded-Email: ada@example.org", "X-Forwarded-For: 127.0.0.9"),
    "forwarded-for-chain": (
        "X-Forwarded-Email: ada@example.org",
        "X-Forwarded-For: 127.0.0.9, 127.0.0.9, 127.0.0.1",
    ),
    "forwarded": ("X-Forwarded-Email: ada@example.org", "Forwarded: for=127.0.0.9;by=127.0.0.9"),
    "real-ip": ("X-Forwarded-Email: ada@example.org", "X-Real-IP: 127.0.0.9"),
    "client-ip": ("X-Forwarded-Email: ada@example.org", "Client-IP: 127.0.0.9"),
    "cluster-client": ("X-Forwarded-Email: ada@example.org", "X-Cluster-Client-Ip: 127.0.0.9"),
    "true-client": ("X-Forwarded-Email: ada@example.org", "True-Client-IP: 127.0.0.9"),
    "user": ("X-Forwarded-User: ada@example.org", "Remote-User: ada@example.org"),
    "cookie": ("Cookie: _streamlit_user=ada@example.org; X-Forwarded-Email=ada@example.org",),
    "signed-cookie": ('Cookie: _streamlit_user="2|1:0|10:1|15:_streamlit_user|4:e30=|00"',),
    "basic": ("Authorization: Basic YWRhOmFkYQ==",),
    "in-trailer": ("TE: trailers", "Trailer: X-Forwarded-Email"),
    "connection-drops": ("Connection: close, X-Forwarded-Email",
                         "X-Forwarded-Email: ada@example.org"),
}  # fmt: skip
_PROGRAMS = {
    "proxy-s-name": ("X-Forwarded-Email: ada@example.org",),
    "cookie": ("Cookie: _streamlit_user=ada",),
    "key-in-cookie": ("Cookie: authorization=Bearer {key}",),
    "other-scheme": ("Authorization: Basic {key}",),
    "no-scheme": ("Authorization: {key}",),
    "other-header": ("X-Api-Key: {key}", "Api-Key: {key}"),
    "nothing-behind": ("Authorization: Bearer ",),
    "shortened": ("Authorization: Bearer {key_cut}",),
    "made-up": ("Authorization: Bearer strata_" + "A" * 43,),
    "sql": ("Authorization: Bearer ' OR '1'='1",),
    "wildcard": ("Authorization: Bearer strata_%",),
    "two-keys": ("Authorization: Bearer x,{key}",),
    "long": ("Authorization: Bearer " + "x" * 60_000,),
    "bytes": ("Authorization: Bearer \xff\xfe",),
}
_PATHS = {
    "double-slash": "//_stcore/metrics",
    "double-slash-inside": "/_stcore//metrics",
    "dot": "/_stcore/./metrics",
    "dots": "/static/../_stcore/metrics",
    "encoded-dots": "/static/%2e%2e/_stcore/metrics",
    "encoded-slash": "/_stcore%2fmetrics",
    "encoded-letter": "/_stcore/metric%73",
    "encoded-twice": "/_stcore%252fmetrics",
    "capitals": "/_STCORE/METRICS",
    "semicolon": "/_stcore/metrics;x=.js",
    "semicolon-before": "/static;/../_stcore/metrics",
    "suffix": "/_stcore/metrics.js",
    "slash-behind": "/_stcore/metrics/",
    "nul": "/_stcore/metrics%00",
    "backslash": "/_stcore\\metrics",
    "query": "/_stcore/metrics?/static/x.js",
    "whole-address": "http://evil.test/_stcore/metrics",
    "behind-programs": "/api/v1/../../_stcore/metrics",
    "agent": "/_stcore/agent/state",
    "upload": "/_stcore/upload_file/session/file",
    "media": "/media/0123456789.pdf",
    "media-encoded": "/%6dedia/0123.pdf",
    "files": "/media/..%2f..%2f..%2fetc%2fpasswd",
    "static-files": "/static/..%2f..%2f..%2f..%2fetc/passwd",
    "component-files": "/component/x/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "component-absolute": "/component//etc/passwd",
    "bidi-files": "/_stcore/bidi-components/x/..%2f..%2fetc/passwd",
    "app-static": "/app/static/../../../etc/passwd",
    "secrets": "/.streamlit/secrets.toml",
    "database": "/data/strata.db",
    "git": "/.git/config",
    "openapi-of-openai": "/v1/openapi.json",
    "docs": "/api/v1/docs",
    "programs-double-slash": "/api/v1//jobs",
    "programs-capitals": "/API/v1/jobs",
    "programs-semicolon": "/api/v1/jobs;x",
    "programs-dots": "/api/v1/health/../jobs",
    "programs-encoded-dots": "/api/v1/health/%2e%2e/jobs",
    "redirect": "//evil.test/%2e%2e",
    "redirect-backslash": "/\\evil.test",
}
_REDIRECTS = {
    "redirect-of-rest": ("/api/v1/products/", "evil.test"),
    "redirect-of-openai": ("/v1/models", "evil.test"),
    "redirect-of-mcp": ("/mcp/", "evil.test"),
    "sign-in": ("/auth/login", "evil.test"),
    "sign-out": ("/auth/logout", "evil.test"),
    "callback": ("/oauth2callback?error=%3Cscript%3E&state=//evil.test", "evil.test"),
    "page": ("/documents", "evil.test"),
    "forwarded-host": ("/documents", "127.0.0.1:{port}\r\nX-Forwarded-Host: evil.test"),
    "prefix": ("/mcp/", "127.0.0.1:{port}\r\nX-Forwarded-Prefix: //evil.test"),
}
_OWN_HOST = "Host: 127.0.0.1:{port}"
_HOSTS = {
    "two": f"{_OWN_HOST}\r\nHost: evil.test",
    "two-the-other-way-round": f"Host: evil.test\r\n{_OWN_HOST}",
    "same-twice": f"{_OWN_HOST}\r\n{_OWN_HOST}",
    "none": "X-Host: 127.0.0.1",
    "empty": "Host: ",
    "list": f"{_OWN_HOST}, evil.test",
    "user": "Host: evil.test@127.0.0.1:{port}",
    "path": f"{_OWN_HOST}/evil",
    "query": f"{_OWN_HOST}?evil.test",
    "fragment": f"{_OWN_HOST}#evil.test",
    "backslash": f"{_OWN_HOST}\\@evil.test",
    "port-of-letters": "Host: 127.0.0.1:evil",
    "port-of-many": "Host: 127.0.0.1:99999999",
    "half-brackets": "Host: [::1",
    "blank": "Host: 127.0.0.1 evil.test",
    "bytes": "Host: 127.0.0.1\xff",
}
_METHODS: dict[str, tuple[str, tuple[str, ...], tuple[int, ...]]] = {
    "override": ("GET /api/v1/jobs/1", ("X-HTTP-Method-Override: DELETE",), (401,)),
    "override-2": ("GET /api/v1/jobs/1", ("X-Method-Override: DELETE",), (401,)),
    "override-query": ("GET /api/v1/jobs/1?_method=DELETE", (), (401,)),
    "head": ("HEAD /_stcore/metrics", (), (401,)),
    "trace": ("TRACE /api/v1/jobs", ("Cookie: a=b",), (403, 405)),
    "connect": ("CONNECT evil.test:443", (), (400, 403, 404, 405)),
    "unknown": ("BREW /api/v1/jobs", (), (400, 405)),
    "lower-case": ("get /_stcore/metrics", (), (400, 401, 405)),
    "delete-page": ("DELETE /_stcore/upload_file/a/b", (), (403,)),
    "post-page": ("POST /documents", (), (403,)),
}

_SMUGGLED = "GET /_stcore/metrics HTTP/1.1\r\nX-Forwarded-Email: ada@example.org\r\n\r\n"
_WIRE = {
    "two-lengths": "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
    f"Content-Length: {len(_SMUGGLED)}\r\n\r\n{_SMUGGLED}",
    "length-and-chunked": "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
    f"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{_SMUGGLED}",
    "chunked-twice": "POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity"
    f"\r\n\r\n0\r\n\r\n{_SMUGGLED}",
    "chunked-hidden": "POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n"
    f"{_SMUGGLED}",
    "negative-length": "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "folded-header": "GET /_stcore/metrics HTTP/1.1\r\nHost: x\r\nX-A: b\r\n"
    " X-Forwarded-Email: ada@example.org\r\n\r\n",
    "space-before-colon": "GET /_stcore/metrics HTTP/1.1\r\nHost: x\r\n"
    "X-Forwarded-Email : ada@example.org\r\n\r\n",
    "bare-newline": "GET /_stcore/metrics HTTP/1.1\nHost: x\n"
    "X-Forwarded-Email: ada@example.org\n\n",
    "nul-in-header": "GET /_stcore/metrics HTTP/1.1\r\nHost: x\r\nX-A: \0b\r\n\r\n",
    "newline-in-path": "GET /x%0d%0aX-Forwarded-Email:%20ada@example.org HTTP/1.1\r\n"
    "Host: x\r\n\r\n",
    "newline-in-query": "GET /documents?a=%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: x\r\n\r\n",
    "old-version": "GET /_stcore/metrics HTTP/0.9\r\n\r\n",
    "http2-preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "tls-hello": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no-host": "GET /_stcore/metrics HTTP/1.1\r\n\r\n",
    "two-hosts": "GET /_stcore/metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    "Host: evil.test\r\n\r\n",
    "upgrade-h2c": "GET /_stcore/metrics HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n"
    "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
}

REFUSED: dict[str, tuple[str, tuple[int, ...]]] = {
    **{
        f"origin-{name}-{what}": (request, (403,))
        for name, origin in _ORIGINS.items()
        for what, request in (
            ("websocket", _socket(f"Origin: {origin}")),
            ("rest", _request(_ASK, f"Origin: {origin}", _JSON, body="{{}}")),
        )
    },
    **{f"elsewhere-{name}": (request, (403,)) for name, request in _ELSEWHERE.items()},
    **{
        f"name-{name}": (_request("GET /_stcore/metrics", *headers), (401,))
        for name, headers in _NAMES.items()
    },
    **{
        f"key-{name}": (_request("GET /api/v1/conversations", *headers), (401,))
        for name, headers in _PROGRAMS.items()
    },
    **{
        f"key-in-{name}": (_request(f"GET /api/v1/conversations?{name}={{key}}"), (401,))
        for name in ("key", "access_token", "authorization", "api_key")
    },
    **{
        f"host-{name}": (f"GET /api/v1/products HTTP/1.1\r\n{hosts}\r\n\r\n", (400,))
        for name, hosts in _HOSTS.items()
    },
    **{
        f"method-{name}": (_request(line, *headers), statuses)
        for name, (line, headers, statuses) in _METHODS.items()
    },
}
"""Requests, and the statuses that a refusal may have."""
GIVES_NOTHING: dict[str, str] = {
    **{f"path-{name}": _request(f"GET {path}") for name, path in _PATHS.items()},
    **{
        f"redirect-{name}": _request(f"GET {path}", f"Host: {host}")
        for name, (path, host) in _REDIRECTS.items()
    },
    **{f"wire-{name}": request for name, request in _WIRE.items()},
}
"""Ways to what needs a sign-in, to a file of the machine, to a host that the request made up."""
