"""A site is read from the hosts that its source names, and from nowhere inside the network."""

import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import SecretStr

from corpora.errors import SourceError
from corpora.sources.site import hosts
from corpora.sources.site.addresses import parsed
from corpora.sources.site.hosts import forbidden, is_plain_host
from corpora.sources.source import Secrets
from tests.corpora.sources.reading_sites import read
from tests.corpora.sources.served import Page, Site, html, serving

DOCS = "docs.example.test"
INSIDE = [
    *("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0"),
    *("255.255.255.255", "240.0.0.1", "224.0.0.1", "169.254.169.254", "198.18.0.1", "192.0.2.1"),
    *("::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1"),
    *("2002:7f00:1::", "2002:a9fe:a9fe::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
    *("64:ff9b:1::1", "2001:0:7f00:1::1", "2606:4700::5efe:a00:1", "100.100.100.200"),
    *("168.63.129.16", "192.0.0.192"),
]
NEVER = ["169.254.169.254", "100.100.100.200", "168.63.129.16", "fe80::1", "0.0.0.0", "::"]
NEVER += ["::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "224.0.0.1"]


@pytest.mark.parametrize("address", INSIDE)
def test_addresses_inside_are_refused(
    address: str, names: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    names(docs_example_test=address)
    connected: list[object] = []
    monkeypatch.setattr(socket, "create_connection", lambda where, **_: connected.append(where))
    with pytest.raises(SourceError, match=r"is (reserved for machines|not an address of)"):
        read(f"https://{DOCS}/{{release}}/", discover="links", private_hosts=())
    assert not connected


@pytest.mark.parametrize("address", NEVER)
def test_addresses_of_machines_are_refused_whatever_an_admin_allows(address: str) -> None:
    assert forbidden(ip_address(address), private=True)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_public_addresses_are_not_refused(address: str) -> None:
    assert forbidden(ip_address(address), private=False) is None


def test_one_address_inside_among_public_ones_is_enough(names: Callable[..., None]) -> None:
    names(docs_example_test="8.8.8.8 10.0.0.1")
    with pytest.raises(SourceError, match=r"10.0.0.1 is not an address of"):
        read(f"https://{DOCS}/{{release}}/", discover="links", private_hosts=())


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.1", "0x7f.0.0.1", "127.0.0.1."),
        *("[::ffff:7f00:1]", "[fe80::1%25eth0]", "①②⑦.⓪.⓪.①", "127.0.0.0x1"),
    ],
)
def test_an_address_in_another_spelling_is_no_host(host: str) -> None:
    with pytest.raises(SourceError, match=r"no host|no address|not an address"):
        read(f"http://{host}/{{release}}/", discover="links", private_hosts=())


@pytest.mark.parametrize("host", ["docs.example.com", "localhost", "10.0.0.1", "::1", "a-1.b2"])
def test_names_and_addresses_as_usual_are_hosts(host: str) -> None:
    assert is_plain_host(host)


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "gopher://a/", "ftp://a/", "javascript:1", "data:,x", "//"]
)
def test_other_schemes_are_no_addresses(address: str) -> None:
    assert parsed(address) is None


def test_a_user_name_in_an_address_is_refused() -> None:
    with pytest.raises(SourceError, match="without a user or a password"):
        read(f"https://{DOCS}@127.0.0.1/{{release}}/")


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.2/17.10/",
        "http://169.254.169.254/latest/meta-data/",
        "http://other.example.test/17.10/",
        "http://127.0.0.1:22/17.10/a",
        "//other.example.test/17.10/",
        "http://2130706433/17.10/",
        "http://user@other.example.test/17.10/",
        f"http://{DOCS}@other.example.test/17.10/",
        f"http://other.example.test\\@{DOCS}/17.10/",
        f"http://{DOCS}.other.example.test/17.10/",
        "file:///etc/passwd",
        "/18.00/",
    ],
)
def test_where_a_page_leads_is_checked_each_time(
    site: Site, names: Callable[..., None], to: str
) -> None:
    names(docs_example_test="127.0.0.1", other_example_test="127.0.0.1")
    site.pages |= {
        "/17.10/": html("Start", "a.html", "b.html"),
        "/17.10/a.html": Page(status=302, headers={"Location": "b2.html"}),
        "/17.10/b2.html": Page(status=302, headers={"Location": to}),
        "/17.10/b.html": html("B"),
        "/18.00/": html("18"),
    }
    got = read(site.url("/{release}/", DOCS), discover="links", private_hosts=(DOCS, "127.0.0.1"))
    assert got.paths == {"index.html", "b.html"}
    assert "1 page was left out" in got.remarks
    assert {host for host, *_ in site.requests} == {DOCS}
    assert "/18.00/" not in site.asked()


def test_a_page_that_leads_on_for_ever_is_left_out(site: Site) -> None:
    site.pages |= {
        "/17.10/": html("Start", "a.html"),
        "/17.10/a.html": Page(status=302, headers={"Location": "a.html"}),
    }
    assert read(site.url("/{release}/"), discover="links").paths == {"index.html"}


def test_further_hosts_that_are_named_are_read(site: Site, names: Callable[..., None]) -> None:
    names(docs_example_test="127.0.0.1", more_example_test="127.0.0.1")
    more = site.url("/17.10/more.html", "more.example.test")
    site.pages |= {
        f"{DOCS}/17.10/": html("Start", more),
        "more.example.test/17.10/more.html": html("More"),
    }
    both = ("docs.example.test", "more.example.test")
    url = site.url("/{release}/", DOCS)
    assert read(url, discover="links", private_hosts=both).paths == {"index.html"}
    further = (f"more.example.test:{site.port}",)
    got = read(url, discover="links", private_hosts=both, hosts=further)
    assert got.paths == {"index.html", "more.example.test/more.html"}


def test_a_name_that_changes_its_address_is_checked_at_every_connection(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check and the connection use one answer of the resolver (DNS rebinding)."""
    answers = iter(["127.0.0.1"])
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return [next(answers, "169.254.169.254")]

    monkeypatch.setattr(hosts, "_resolve", resolve)
    closing = {"Connection": "close"}
    site.pages |= {
        "/17.10/": Page(html("Start", "a.html"), headers=closing),
        "/17.10/a.html": html("A"),
        "/robots.txt": Page("", headers=closing),
    }
    with pytest.raises(SourceError, match=r"254 is reserved for machines themselves\.$"):
        read(site.url("/{release}/", DOCS), discover="links", private_hosts=(DOCS,))
    assert site.asked() == []
    assert asked == [DOCS, DOCS]


def test_the_system_resolver_is_asked_once_a_connection(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages |= {"/17.10/": html("Start"), "/robots.txt": ""}
    asked: list[object] = []
    real = socket.getaddrinfo

    def getaddrinfo(host: object, *args: object, **more: object) -> object:
        asked.append(host)
        return real("127.0.0.1" if host == DOCS else host, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    read(site.url("/{release}/", DOCS), discover="links", private_hosts=(DOCS,))
    assert asked.count(DOCS) == 1
    assert set(asked) == {DOCS, "127.0.0.1"}


def test_proxies_of_the_environment_are_not_asked(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.pages["/17.10/"] = html("Start")
    assert read(site.url("/{release}/"), discover="links").paths == {"index.html"}


def test_a_site_that_does_not_answer_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(SourceError, match=rf"127.0.0.1:{port}/robots.txt could not be read"):
        read(f"http://127.0.0.1:{port}/{{release}}/", discover="links")


def test_an_answer_that_trickles_ends(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "LONGEST_ANSWER", 0.3)
    site.pages["/17.10/"] = Page(html("Start"), headers={"Content-Length": "100000"})
    with pytest.raises(SourceError, match=r"/17.10/ could not be read: .*(longer|timed out)"):
        read(site.url("/{release}/"), discover="links")


def test_a_token_goes_to_the_host_of_the_url_alone(site: Site, names: Callable[..., None]) -> None:
    names(docs_example_test="127.0.0.1", more_example_test="127.0.0.1")
    site.pages |= {
        f"{DOCS}/17.10/": html("Start", site.url("/17.10/more.html", "more.example.test")),
        "more.example.test/17.10/more.html": html("More"),
    }
    secrets = Secrets({"docs": SecretStr("s3cret"), "both": SecretStr("ann:s3cret")})
    options = {
        "discover": "links",
        "private_hosts": (DOCS, "more.example.test"),
        "hosts": (f"more.example.test:{site.port}",),
        "secrets": secrets,
    }
    read(site.url("/{release}/", DOCS), token="docs", **options)
    sent = {headers["host"].partition(":")[0]: headers for headers in site.headers}
    assert sent[DOCS]["authorization"] == "Bearer s3cret"
    assert "authorization" not in sent["more.example.test"]
    site.forget()
    read(site.url("/{release}/", DOCS), token="both", **options)
    assert any(h.get("authorization") == "Basic YW5uOnMzY3JldA==" for h in site.headers)
    with pytest.raises(SourceError, match="There is no token 'absent'"):
        read(site.url("/{release}/", DOCS), token="absent", **options)


def test_a_token_is_not_sent_unprotected() -> None:
    secrets = Secrets({"docs": SecretStr("s3cret")})
    with pytest.raises(SourceError, match="use https, or leave out the token"):
        read("http://docs.example.com/{release}/", token="docs", secrets=secrets)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of docs.example.test with its key, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, DOCS)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(DOCS)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    no_password = serialization.NoEncryption()
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    file.write_bytes(key.private_bytes(pem, form, no_password) + made.public_bytes(pem))
    return file


def test_the_name_of_the_host_is_verified_not_its_address(
    certificate: Path, names: Callable[..., None]
) -> None:
    names(docs_example_test="127.0.0.1", wrong_example_test="127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    options = {"discover": "links", "private_hosts": (DOCS, "wrong.example.test")}
    own = {"ca": "own", "secrets": Secrets(files={"own": certificate})}
    with serving({"/17.10/": html("Start")}, context) as site:
        got = read(site.url("/{release}/", DOCS), **options, **own)
        assert got.paths == {"index.html"}
        with pytest.raises(SourceError, match=r"(?i)certificate verify failed.*mismatch"):
            read(site.url("/{release}/", "wrong.example.test"), **options, **own)
        with pytest.raises(SourceError, match=r"(?i)certificate verify failed"):
            read(site.url("/{release}/", DOCS), **options)


def test_a_page_does_not_lead_from_https_to_http(
    certificate: Path, names: Callable[..., None]
) -> None:
    names(docs_example_test="127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    pages = {
        "/17.10/": html("Start", "a.html"),
        "/17.10/a.html": Page(status=302, headers={"Location": f"http://{DOCS}/17.10/b.html"}),
    }
    own = {"ca": "own", "secrets": Secrets(files={"own": certificate})}
    with serving(pages, context) as site:
        got = read(site.url("/{release}/", DOCS), discover="links", private_hosts=(DOCS,), **own)
    assert got.paths == {"index.html"}
    assert "leads from https to" in got.remarks
