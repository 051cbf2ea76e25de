"""Questions as people ask them of a product's documentation, hundreds of thousands of them.

They are made from parts that are drawn from one seed, some of them more often than others, so
that many are asked again and again, many in other words, and many only once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

THINGS = (
    "link protection",
    "the optical amplifier",
    "the line card",
    "the control module",
    "the fan tray",
    "the power supply",
    "the event log",
    "the alarm filter",
    "the configuration backup",
    "software upgrades",
    "user accounts",
    "the login banner",
    "password rules",
    "the SNMP agent",
    "the syslog client",
    "time synchronisation",
    "the management interface",
    "the serial console",
    "the route table",
    "static routes",
    "the firewall",
    "access lists",
    "port mirroring",
    "traffic shaping",
    "the packet buffer",
    "the multicast group",
    "the tunnel interface",
    "the certificate store",
    "the licence server",
    "the performance monitor",
    "the threshold alarm",
    "the loopback test",
    "the client port",
    "the line port",
    "the cross-connection",
    "the protection group",
    "the channel plan",
    "the dispersion map",
    "the laser",
    "the dark fibre",
    "the temperature sensor",
    "the door contact",
    "the battery",
    "the spare part list",
    "the inventory report",
    "the topology view",
    "the audit trail",
    "the session timeout",
    "the job scheduler",
    "the import wizard",
    "the search index",
    "the message queue",
    "the connection pool",
    "the worker process",
    "the cache",
    "the retry policy",
    "the data export",
    "the web interface",
    "the command line",
    "the REST interface",
)
ASPECTS = (
    "throughput",
    "hold-off time",
    "wait-to-restore time",
    "polling interval",
    "retention period",
    "buffer size",
    "power consumption",
    "operating temperature",
    "severity",
    "restart behaviour",
    "access rights",
    "encryption",
    "naming scheme",
    "supported formats",
    "status display",
    "error counter",
    "log level",
    "priority",
    "redundancy",
    "dependencies",
    "required licence",
    "installation order",
    "cabling",
    "factory setting",
    "upper limit",
    "lower limit",
    "test procedure",
    "reset procedure",
    "release notes",
    "known problems",
)
_PLACES = (
    "",
    "",
    "",
    " on the backup node",
    " in a ring",
    " in a mesh",
    " after a power failure",
    " during an upgrade",
    " behind a proxy",
    " in maintenance mode",
    " on a cold start",
    " for remote sites",
    " on shelf {n}",
    " on port {s}/{n}",
    " for more than {n} users",
    " with {n} channels",
    " of card type X{n}",
)
_FORMS = (
    "What is the {aspect} of {thing}{place}?",
    "How do I change the {aspect} of {thing}{place}?",
    "Where is the {aspect} of {thing} shown{place}?",
    "Tell me the {aspect} of {thing}{place}.",
    "Which {aspect} does {thing} have{place}?",
    "Can the {aspect} of {thing} be turned off{place}?",
    "Why does {thing} ignore the {aspect}{place}?",
    "What happens to the {aspect} when {thing} fails{place}?",
    "Who may see the {aspect} of {thing}{place}?",
    "Is there a command for the {aspect} of {thing}{place}?",
)


@dataclass(frozen=True)
class MadeUpQuestions:
    """An endless stream of questions from a seed; `again` is the share that was asked before."""

    seed: int = 7
    again: float = 0.35

    def stream(self) -> Iterator[str]:
        """The questions, one turn after the other."""
        random = Random(self.seed)  # noqa: S311
        asked: list[str] = []
        while True:
            if asked and random.random() < self.again:
                # What was asked of late is asked again more often than what is long past.
                back = min(int(random.expovariate(1 / 3000)) + 1, len(asked))
                yield asked[-back]
            else:
                asked.append(_made(random))
                yield asked[-1]


def _made(random: Random) -> str:
    place = random.choice(_PLACES).format(n=random.randint(1, 48), s=random.randint(1, 4))
    form = random.choice(_FORMS)
    return form.format(aspect=random.choice(ASPECTS), thing=random.choice(THINGS), place=place)
