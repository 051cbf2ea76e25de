import pytest

from ingestion.boilerplate import PlacedLine, furniture, is_legal

HEADER, FOOTER = 0.05, 0.95


def _left(pages: list[list[tuple[str, float]]]) -> list[list[str]]:
    """Return the texts that are kept, page by page."""
    gone = furniture([[PlacedLine(*line) for line in lines] for lines in pages])
    return [
        [text for i, (text, _) in enumerate(lines) if i not in drop]
        for lines, drop in zip(pages, gone, strict=True)
    ]


def _page(number: int, header: str, footer: str) -> list[tuple[str, float]]:
    body = [(f"Paragraph {number}.{i} of the text", 0.2 + i / 10) for i in range(4)]
    return [(header, HEADER), *body, (footer, FOOTER)]


def _body(number: int) -> list[str]:
    return [f"Paragraph {number}.{i} of the text" for i in range(4)]


@pytest.mark.parametrize("count", [3, 12])
def test_headers_and_numbered_footers_go(count: int) -> None:
    pages = [_page(n, "Installation guide", f"Page {n} of {count}") for n in range(1, count + 1)]
    assert _left(pages) == [_body(n) for n in range(1, count + 1)]


def test_page_numbers_need_not_begin_at_one() -> None:
    assert _left([_page(n, "", f"3-{n + 40}") for n in range(1, 6)])[2] == _body(3)


def test_roman_numbers_are_numbers() -> None:
    numerals = ["i", "ii", "iii", "iv", "v", "vi"]
    pages = [_page(n, f"Preface {n}", numeral) for n, numeral in enumerate(numerals, 1)]
    assert all(numeral not in page for numeral, page in zip(numerals, _left(pages), strict=True))


def test_a_chapter_title_goes_with_the_page_number_beside_it() -> None:
    chapters = ["Safety", "Power", "Cabling", "Alarms", "Limits", "Terms"]
    pages = [[*_page(n, chapter, ""), (f"{n}", HEADER)] for n, chapter in enumerate(chapters, 1)]
    assert [page[0] for page in _left(pages)] == [_body(n)[0] for n in range(1, 7)]


def test_left_and_right_pages_may_differ() -> None:
    pages = [_page(n, "Guide" if n % 2 else "Maker", "") for n in range(1, 9)]
    assert all("Guide" not in page and "Maker" not in page for page in _left(pages))


def test_rows_of_a_table_at_a_pages_end_are_not_page_numbers() -> None:
    pages = [_page(n, "", f"ALM-{1000 + 7 * n} {n * 13} s") for n in range(1, 8)]
    assert [page[-1] for page in _left(pages)] == [
        f"ALM-{1000 + 7 * n} {n * 13} s" for n in range(1, 8)
    ]


def test_a_line_that_adjoins_the_text_is_text() -> None:
    pages = [[("Parameters", 0.10), (f"size: {n * n} bytes", 0.115)] for n in range(1, 9)]
    assert all("Parameters" in page for page in _left(pages))


def test_at_the_very_edge_it_is_furniture_all_the_same() -> None:
    pages = [[("Orbis NX guide", 0.02), (f"size: {n * n} bytes", 0.04)] for n in range(1, 9)]
    assert _left(pages) == [[f"size: {n * n} bytes"] for n in range(1, 9)]


def test_what_returns_in_the_middle_stays() -> None:
    pages = [[("See also", 0.5), (f"text {n}", 0.6)] for n in range(1, 9)]
    assert all("See also" in page for page in _left(pages))


def test_a_single_page_keeps_its_text_and_loses_its_number() -> None:
    assert _left([_page(1, "Cabling", "1 / 1")]) == [["Cabling", *_body(1)]]


def test_numbers_of_a_single_page_are_kept_where_they_are_no_page_number() -> None:
    assert _left([_page(1, "4096", "")])[0][0] == "4096"


def test_copyright_lines_go_wherever_they_stand_at_an_edge() -> None:
    pages = [_page(1, "Guide", "© 2026 Maker. All rights reserved."), _page(2, "Other", "end")]
    assert "© 2026 Maker. All rights reserved." not in _left(pages)[0]


@pytest.mark.parametrize("text", ["Copyright 2024 Maker", "(c) 2024 Maker", "Maker confidential"])
def test_legal_lines(text: str) -> None:
    assert is_legal(text)


@pytest.mark.parametrize("text", ["The copyright of the examples", "confidentiality levels"])
def test_sentences_about_law_are_text(text: str) -> None:
    assert not is_legal(text)


def test_no_pages() -> None:
    assert furniture([]) == []
