"""Which archive the documentation of each release is taken from, and what of it is kept."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eval.gold import GoldError, Text
from ingestion.objections import first_objection

FOLDER = Path(__file__).parent
"""The files of the benchmark."""


class Registry(StrEnum):
    """The kind of index that has an archive."""

    PYTHON = "python"
    NPM = "npm"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Archive(_Part):
    """An archive of a release, and how many files of it are kept."""

    file: Text
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    documents: int = Field(ge=1)


class Product(_Part):
    """A product: the package that has its documentation, and an archive for each release.

    What lies below one of the `roots` is kept, without the root, if its path matches a pattern of
    `keep`, none of `without`, and it has one of the `suffixes` ("" is none). "*" stands for any
    characters. The archive's first folder, which bears its name, and hidden files do not count.
    """

    package: Text
    registry: Registry = Registry.PYTHON
    roots: tuple[str, ...] = Field(min_length=1)
    keep: tuple[str, ...] = ("*",)
    without: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = Field(min_length=1)
    releases: Mapping[str, Archive]

    def kept_as(self, member: str) -> str | None:
        """The path at which a member of an archive is kept; None for one that is not."""
        path = member.partition("/")[2]
        for root in self.roots:
            if path.startswith(root) and self.keeps(path.removeprefix(root)):
                return path.removeprefix(root)
        return None

    def keeps(self, path: str) -> bool:
        """Whether a file at this path below a root is kept."""
        return (
            any(fnmatchcase(path, pattern) for pattern in self.keep)
            and not any(fnmatchcase(path, pattern) for pattern in self.without)
            and PurePosixPath(path).suffix in self.suffixes
            and "/." not in f"/{path}"
        )


class Documents(_Part):
    """The documentation of the benchmark, by product; `version` is that of the data set."""

    version: Text
    products: Mapping[str, Product]

    def of(self, names: Iterable[str] = ()) -> dict[str, Product]:
        """The products of these names, all without any. Raises GoldError for one there is not."""
        wanted = tuple(names) or tuple(self.products)
        for name in wanted:
            if name not in self.products:
                known = ", ".join(self.products)
                raise GoldError(f"the benchmark has no product {name!r}; it has {known}")
        return {name: self.products[name] for name in wanted}


def read_documents(path: Path = FOLDER / "documents.json") -> Documents:
    """Read the documentation that the questions are about. Raises GoldError."""
    try:
        return Documents.model_validate_json(path.read_bytes())
    except OSError as error:
        raise GoldError(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        raise GoldError(f"{path}: {first_objection(error)}") from error


def places(folder: Path, products: Mapping[str, Product]) -> Iterator[tuple[str, str, Path]]:
    """Product, release, and the folder of its documentation below that of a fetch."""
    for name, product in products.items():
        for release in product.releases:
            yield name, release, folder / "documents" / name / release
