from __future__ import annotations

import pytest

from ingestion.loaders import load
from tests.ingestion.layouts import html_layouts, markdown_layouts, pdf_layouts, rest_layouts
from tests.ingestion.layouts.layout import Layout, read_lines

LAYOUTS = {
    f"{name} ({layout.file.rpartition('.')[2]})": layout
    for module in (html_layouts, markdown_layouts, pdf_layouts, rest_layouts)
    for name, layout in module.LAYOUTS.items()
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout_is_read_as_a_reader_would_take_it(layout: Layout) -> None:
    assert read_lines(load(layout.data, layout.file)) == layout.lines
