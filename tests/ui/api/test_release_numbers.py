"""A release that came as a number is one that nothing else can have been written for."""

import pytest

from chatbot.errors import BadQuestion
from corpora.catalog.release import Product, Release
from ui.api.release_numbers import release_written


@pytest.mark.parametrize(
    ("number", "names", "meant"),
    [
        (2.1, "2.1 2.2 3.0", "2.1"),
        (3, "2.1 2.2 3.0", "3.0"),
        (3.0, "2 3", "3"),
        (1.4, "v1.4 v1.5", "v1.4"),
        (17.5, "R17.5 R17.5.1", "R17.5"),
        (9.9, "1.0 2.0", "9.9"),
        (20240115, "20240115 20240301", "20240115"),
        (3.2, "", "3.2"),
        (3.2, "3.2 3.20", None),
        (3.2, "v3.2 v3.20", None),
        (3.2, "3.20", None),
        (3.2, "3.2.1 3.20.1", None),
        (2024.1, "2024.1 2024.10", None),
        (2024.1, "2024.4 2024.10", None),
        (3, "3.0 3.1", None),
        (3, "3.1", None),
        (17, "17.10 17.20", None),
    ],
)
def test_a_number_is_a_release_that_nothing_else_is_written_as(
    number: float, names: str, meant: str | None
) -> None:
    product = Product("x", releases=tuple(Release("x", name) for name in names.split()))
    if meant is not None:
        assert release_written(float(number), [product]) == meant
        return
    with pytest.raises(BadQuestion, match="in quotes") as asked:
        release_written(float(number), [product])
    assert names.split()[-1] in str(asked.value)


def test_releases_of_several_products_count_where_none_is_named() -> None:
    products = [Product(n, releases=(Release(n, r),)) for n, r in (("a", "3.2"), ("b", "3.20"))]
    assert release_written(3.2, products[:1]) == "3.2"
    with pytest.raises(BadQuestion, match=r"3\.2 or 3\.20"):
        release_written(3.2, products)
