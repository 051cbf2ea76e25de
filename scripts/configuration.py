"""Write the tables of settings into docs/configuration.md, from the code; `--check` only compares.

Exit code 1 where the file has other tables.
"""

import sys
from pathlib import Path

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from chatbot.settings import Settings

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"


def tables() -> dict[str, str]:
    """The Markdown of both tables by the comment that they stand below."""
    rows: dict[str, list[str]] = {"settings": [], "advanced settings": []}
    for name, field in Settings.model_fields.items():
        rows["advanced settings" if field.json_schema_extra else "settings"].append(
            f"| `{name}` | {_default(field)} | {field.description} |"
        )
    head = "| setting | default | what it is |\n|---|---|---|\n"
    return {name: head + "\n".join(lines) for name, lines in rows.items()}


def _default(field: FieldInfo) -> str:
    default = field.default
    if default in (None, "", (), PydanticUndefined):
        return "–"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


def written(page: str) -> str:
    """The page with today's tables."""
    for name, table in tables().items():
        before, begin, rest = page.partition(f"<!-- {name}, made by scripts/configuration.py -->\n")
        _, end, after = rest.partition("<!-- end -->")
        page = f"{before}{begin}{table}\n{end}{after}"
    return page


def main() -> None:
    """Write or compare."""
    now = PAGE.read_text("utf-8")
    if "--check" not in sys.argv:
        PAGE.write_text(written(now), "utf-8")
    elif written(now) != now:
        sys.exit("docs/configuration.md is not what the code says: run scripts/configuration.py")


if __name__ == "__main__":
    main()
