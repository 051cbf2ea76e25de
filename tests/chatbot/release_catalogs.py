"""Catalogs of made-up and real naming habits, for the release rules."""

from __future__ import annotations

from corpora.release import Product, Release, is_prerelease


def product(
    name: str,
    releases: str,
    *aliases: str,
    latest: str | None = None,
    also: dict[str, tuple[str, ...]] | None = None,
) -> Product:
    named = tuple(
        Release(name, r, (also or {}).get(r, ()), is_prerelease(r)) for r in releases.split()
    )
    return Product(name, aliases, named, latest)


SQLALCHEMY = product("sqlalchemy", "1.2.19 1.3.24 1.4.54 2.0.57 2.1.9")
MPI4PY = product("mpi4py", "1.3.1 2.0.0 3.0.3 3.1.6")

CATALOGS: dict[str, list[Product]] = {
    "sqlalchemy": [SQLALCHEMY],
    "mpi4py": [MPI4PY],
    "libraries": [SQLALCHEMY, MPI4PY],
    "network element": [product("MetroLink 4000", "17.10 17.20 18.00", "MetroLink", "ML4000")],
    "ubuntu": [
        product(
            "Ubuntu",
            "20.04 22.04 24.04 25.10 26.04",
            also={
                "20.04": ("Focal Fossa", "focal"),
                "22.04": ("Jammy Jellyfish", "jammy"),
                "24.04": ("Noble Numbat", "noble"),
                "25.10": ("Questing Quokka", "questing"),
                "26.04": ("Resolute Raccoon", "resolute"),
            },
        )
    ],
    "sql server": [
        product(
            "SQL Server",
            "13.0 14.0 15.0 16.0",
            "MSSQL",
            also={"13.0": ("2016",), "14.0": ("2017",), "15.0": ("2019",), "16.0": ("2022",)},
        )
    ],
    "windows": [product("Windows", "10-22h2 11-23h2 11-24h2 11-24h2-iot-lts 11-25h2")],
    "junos": [product("Junos", "20.2R1 20.2R2 20.2R2-S3.5 21.4R3 22.1R1")],
    "postgresql": [product("PostgreSQL", "13 14 15 16 17 18", "postgres", "PG")],
    "pre-releases": [product("Widget Hub", "1.4.2 1.4.10 1.5.0 2.0.0rc9 2.0.0rc10")],
    "kubernetes": [product("Kubernetes", "1.2 1.19 1.20 1.30", "k8s")],
    "debian": [
        product(
            "Debian",
            "11 12 13 forky",
            latest="13",
            also={
                "11": ("Bullseye",),
                "12": ("Bookworm", "oldstable"),
                "13": ("Trixie", "stable"),
                "forky": ("testing",),
            },
        )
    ],
    "ros": [product("ROS 2", "foxy humble jazzy", "ROS")],
    "nx-os": [product("NX-OS", "9.3(5) 10.2(9)M")],
    "ios xe": [product("IOS XE", "16.12.09 17.03.05")],
    "eos": [product("EOS", "4.25.4M 4.26.1F")],
    "suffixes": [product("Manager", "3.5-sp1 4.9-lts 10.0_u7")],
    "visual studio": [
        product(
            "Visual Studio",
            "16.0 17.0 18.0",
            also={"16.0": ("2019",), "17.0": ("2022",), "18.0": ("2026",)},
        )
    ],
    "oracle": [product("Oracle", "19c 23", also={"23": ("26ai", "23ai")})],
    "calendar": [product("Home Hub", "2025.1 2025.10 2026.3")],
    "admin latest": [
        product("Shell", "1.0 2.0 2.1 3.0rc1", latest="2.0", also={"2.1": ("Sunfish",)})
    ],
    "shared alias": [product("Router", "1.0 2.0", also={"1.0": ("Alpine",), "2.0": ("Alpine",)})],
    "one release": [product("Solo", "1.0")],
    "no product": [],
    "no release": [product("Void", "")],
}
