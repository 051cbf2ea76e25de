"""The keys that release packs are signed with, and those that are trusted (Ed25519)."""

import base64
import os
import re
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from corpora.errors import BadPack, UntrustedPack

_CONTEXT = b"strata release pack 1\n"
"""Before what is signed, so that a signature of something else is none of a pack."""
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def own_key(data_dir: Path) -> Ed25519PrivateKey:
    """The key that this Strata signs with, made when first needed and read by its owner alone."""
    place = data_dir / "keys" / "pack.pem"
    try:
        return read_key(place)
    except FileNotFoundError:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
    except FileExistsError:
        return read_key(place)
    return key


def read_key(place: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file; raises FileNotFoundError, and BadPack for what is none."""
    try:
        key = load_pem_private_key(place.read_bytes(), None)
    except (ValueError, TypeError) as error:
        raise BadPack(
            "{place} holds no key: give a PEM file without a password.", place=place
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadPack(
            "{place} holds another kind of key: packs are signed with Ed25519.", place=place
        )
    return key


def sign(key: Ed25519PrivateKey, signed: bytes) -> dict[str, str]:
    """The signature of a pack's manifest, with the public key that it can be verified by."""
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return {
        "key": base64.b64encode(public).decode(),
        "signature": base64.b64encode(key.sign(_CONTEXT + signed)).decode(),
    }


def verified_signer(signed: bytes, signature: dict[str, str]) -> str:
    """The fingerprint (SHA-256, hexadecimal) of the key that signed; raises BadPack for none."""
    try:
        public = base64.b64decode(signature["key"], validate=True)
        mark = base64.b64decode(signature["signature"], validate=True)
        Ed25519PublicKey.from_public_bytes(public).verify(mark, _CONTEXT + signed)
    except (KeyError, TypeError, ValueError, InvalidSignature) as error:
        raise BadPack("The signature does not fit: the pack was changed after it was made.") from (
            error
        )
    return sha256(public).hexdigest()


def fingerprint(key: Ed25519PrivateKey) -> str:
    """The fingerprint by which a signer is known."""
    return sha256(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()


def require_trusted(data_dir: Path, signer: str, trust: str = "") -> bool:
    """Raise UntrustedPack unless a signer is trusted; `trust` is a fingerprint to trust as well.

    What this Strata signs itself is trusted. Returns whether it was before, without `trust`.
    """
    place = data_dir / "keys" / "trusted"
    wanted = trust.lower().replace(":", "").strip()
    if wanted and not _FINGERPRINT.fullmatch(wanted):
        raise UntrustedPack(
            "“{trust}” is no fingerprint: it has 64 hexadecimal digits.", trust=trust
        )
    own = data_dir / "keys" / "pack.pem"
    if (place / signer).exists() or (own.exists() and fingerprint(read_key(own)) == signer):
        return True
    if wanted != signer:
        raise UntrustedPack(
            "The pack is signed by another key: {signer}. Compare it with what its maker tells you "
            "by another way, then trust it: with --trust and that fingerprint, or by a tick on the "
            "page."
            if wanted
            else "The pack is signed by a key that is not known: {signer}. Compare it with what "
            "its maker tells you by another way, then trust it: with --trust and that fingerprint, "
            "or by a tick on the page.",
            signer=signer,
        )
    return False


def trust_from_now(data_dir: Path, signer: str) -> None:
    """Keep that a signer is trusted; for a pack that is verified."""
    place = data_dir / "keys" / "trusted"
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    (place / signer).touch()
