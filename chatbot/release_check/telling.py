"""What a check found is told by mail and webhook; a failure is told too, and blocks nothing."""

import asyncio
import hashlib
import hmac
import json
import smtplib
import ssl
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

import httpx
from pydantic_core import to_jsonable_python
from sqlalchemy import select

from chatbot.release_check.reports import CheckReport
from chatbot.release_check.settings import LOOPBACK, CheckSettings
from chatbot.release_check.verdicts import Verdict
from chatbot.text.languages import ngettext_noop
from corpora.database.check_tables import ReleaseCheckRow
from corpora.database.engine import Database
from corpora.errors import NothingWaits
from corpora.sources.run_report import ReleaseRun
from ingestion.messages import counted, message, sentences

SIGNATURE, TIMESTAMP = "X-Strata-Signature", "X-Strata-Timestamp"
_SECONDS = 20.0
_SHOWN = 30
"""Answers that a mail lists; the page has all."""
_TO_LOOK_AT = {
    Verdict.CHANGED: "changed",
    Verdict.GONE: "no longer documented",
    Verdict.FAILED: "could not be asked",
}
_COUNTED = {
    Verdict.CHANGED: ngettext_noop("{number} changed", "{number} changed"),
    Verdict.GONE: ngettext_noop("{number} no longer documented", "{number} no longer documented"),
    Verdict.FAILED: ngettext_noop("{number} could not be asked", "{number} could not be asked"),
    Verdict.SAME: ngettext_noop("{number} the same", "{number} the same"),
    Verdict.HOLDS: ngettext_noop("{number} still holds", "{number} still hold"),
}


def counts(report: CheckReport) -> str:
    """The counts of a report in one line."""
    found = [counted(*_COUNTED[v], report.counts[v]) for v in Verdict if report.counts.get(v)]
    if not found:
        return message("There is no accepted answer to hold against it.")
    told = sentences(found, ", ")
    if report.is_own:
        return message("Of the accepted answers of its version before: {counts}.", counts=told)
    against = {"release": report.against, "counts": told}
    return message("Of the accepted answers of {release}: {counts}.", **against)


def tell(database: Database, settings: CheckSettings, report: CheckReport, page: str = "") -> str:
    """Tell a report to whom the settings name, once; keep and return how that went.

    `page` is the address of the page. Nobody is told twice: what was told before is returned.
    """
    if report.told or report.finished is None:
        return report.told
    went = sentences(_told(settings, report, page))
    with database.writing() as session:
        of_generation = ReleaseCheckRow.generation_id == report.generation
        row = session.scalar(select(ReleaseCheckRow).where(of_generation))
        if row is None:
            raise NothingWaits("The version that was checked has been discarded meanwhile.")
        row.told = went
    return went


def mail_withdrawn(
    settings: CheckSettings, product: str, withdrawn: Sequence[ReleaseRun], page: str = ""
) -> str:
    """Mail which releases a source has no more, and what became of them; say how that went."""
    told = [f"{product} {run.release} is {run.message}" for run in withdrawn]
    if not (told and settings.mail_to and settings.mail_server):
        return ""
    names = ", ".join(run.release for run in withdrawn)
    subject = f"Strata: no longer at its source: {product} {names}"
    return _mailed(settings, subject, "\n\n".join([*told, page]).strip() + "\n")


def _mailed(settings: CheckSettings, subject: str, body: str) -> str:
    try:
        _send_mail(settings, subject, body)
    except (OSError, smtplib.SMTPException, ValueError) as error:
        return message("The mail could not be sent: {reason}", reason=_reason(error))
    return message("Mailed to {names}.", names=", ".join(settings.mail_to))


def _told(settings: CheckSettings, report: CheckReport, page: str) -> Iterator[str]:
    if settings.mail_to and settings.mail_server:
        yield _mailed(settings, _subject(report), _body(report, page))
    if settings.webhook and settings.webhook_secret:
        host = urlsplit(settings.webhook).hostname
        try:
            _post(settings.webhook, settings.webhook_secret.get_secret_value(), report, page)
            yield message("Sent to the webhook at {host}.", host=host)
        except (OSError, httpx.HTTPError, ValueError) as error:
            yield message(
                "The webhook at {host} could not be reached: {reason}",
                host=host,
                reason=_reason(error),
            )


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return f"{text[:200].rstrip('.')}."


def _subject(report: CheckReport) -> str:
    changed, gone = report.count(Verdict.CHANGED), report.count(Verdict.GONE)
    state = "waits to be published" if report.waits else "is published"
    found = f"{changed:,} changed, {gone:,} no longer documented"
    return f"Strata: {report.product} {report.release} {state}: {found}"


def _body(report: CheckReport, page: str) -> str:
    lines = [counts(report), ""]
    if report.waits:
        lines += ["It is not served until an admin publishes it.", ""]
    shown = [finding for finding in report.findings if finding.verdict in _TO_LOOK_AT]
    for finding in shown[:_SHOWN]:
        lines.append(f"- {finding.question}: {_TO_LOOK_AT[finding.verdict]}")
        if finding.old_values or finding.new_values:
            before, now = ", ".join(finding.old_values), ", ".join(finding.new_values)
            lines.append(f"  {before or '–'} → {now or '–'}")
    if len(shown) > _SHOWN:
        lines.append(f"… and {len(shown) - _SHOWN:,} more")
    return "\n".join([*lines, "", page]).strip() + "\n"


def _send_mail(settings: CheckSettings, subject: str, body: str) -> None:
    mail = EmailMessage()
    # A name could break the header.
    mail["Subject"] = "".join(c if c.isprintable() else " " for c in subject)
    mail["From"] = settings.mail_from or settings.mail_to[0]
    mail["To"] = ", ".join(settings.mail_to)
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain="strata.invalid")
    mail.set_content(body)
    url = urlsplit(settings.mail_server or "")
    host, secure = url.hostname or "", ssl.create_default_context()
    if url.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            host, url.port or 465, timeout=_SECONDS, context=secure
        )
    else:
        server = smtplib.SMTP(host, url.port or 587, timeout=_SECONDS)
    with server:
        if url.scheme == "smtp":
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls(context=secure)
                server.ehlo()
            elif host not in LOOPBACK:
                raise ValueError(f"{host} offers no TLS, so nothing was sent")
        if url.username and settings.mail_password:
            server.login(unquote(url.username), settings.mail_password.get_secret_value())
        server.send_message(mail)


def _post(address: str, secret: str, report: CheckReport, page: str) -> None:
    """Post a report, signed with its time; a redirect is an error, since it may lead anywhere."""
    findings = [asdict(f) for f in report.findings if f.verdict in _TO_LOOK_AT]
    told = asdict(report) | {"findings": findings, "summary": counts(report), "page": page}
    body = json.dumps(to_jsonable_python(told), ensure_ascii=False).encode()
    # So a receiver can refuse what was recorded and is sent again.
    at = str(int(time.time()))
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        TIMESTAMP: at,
        SIGNATURE: f"sha256={signed}",
    }
    try:
        status = asyncio.run(_answered(address, body, headers))
    except (TimeoutError, httpx.TimeoutException) as error:
        raise TimeoutError(f"it did not answer within {_SECONDS:g} seconds") from error
    if not httpx.codes.is_success(status):
        raise ValueError(f"it answers {status}")


async def _answered(address: str, body: bytes, headers: dict[str, str]) -> int:
    """The status that comes in time: one deadline for all, however slowly each byte comes."""
    async with (
        asyncio.timeout(_SECONDS),
        httpx.AsyncClient(verify=ssl.create_default_context(), timeout=_SECONDS) as client,
        # What it answers is of no interest, however long it is.
        client.stream("POST", address, content=body, headers=headers) as answer,
    ):
        return answer.status_code
