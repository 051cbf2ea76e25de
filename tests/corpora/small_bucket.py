"""A bucket on loopback that speaks as much of S3 as keeping files takes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from urllib.parse import urlsplit

from tests.loopback import Asked, Reply, listening

SECRET = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "eu-central-1",
    "AWS_ALLOW_HTTP": "true",
}


@contextmanager
def bucket() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Serve all buckets; yield the address, and what they hold by its path."""
    held: dict[str, bytes] = {}

    def replied(asked: Asked) -> tuple[int, bytes]:
        path = urlsplit(asked.path)
        if "AWS4-HMAC-SHA256" not in asked.headers.get("authorization", ""):
            return 403, b"<Error><Code>AccessDenied</Code></Error>"
        if asked.method == "PUT":
            held[asked.path] = asked.body
            return 200, b""
        if asked.method == "POST":
            keys = re.findall("<Key>(.*?)</Key>", asked.body.decode())
            for key in keys:
                held.pop(f"{path.path}/{key}", None)
            gone = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            return 200, f"<DeleteResult>{gone}</DeleteResult>".encode()
        if "list-type=2" in path.query:
            return 200, b"<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>"
        if path.path in held:
            return 200, held[path.path]
        return 404, b"<Error><Code>NoSuchKey</Code></Error>"

    def reply(asked: Asked) -> Reply:
        status, body = replied(asked)
        etag = f'"{md5(body, usedforsecurity=False).hexdigest()}"'
        return Reply(status, body, {"etag": etag, "last-modified": "Thu, 26 Nov 2026 12:00:00 GMT"})

    with listening(reply) as address:
        yield address, held
