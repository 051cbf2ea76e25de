"""Questions about two releases of the lamp, and a model that believes the first text it reads."""

import json
from pathlib import Path
from typing import Any

from chatbot.settings import Settings
from tests.eval.made_gold import gold_row

LUMEN = {"1.0": "600", "2.0": "800"}
PAGE = "# Brightness\n\nThe lamp gives {lumen} lumen.{more}\n"
MORE = (
    " Dimming takes 400 ms. A remote can dim it, too, once it is paired and its battery is charged."
)
"""What stands beside it in 1.0, so that the text of 2.0 is nearer to any question about lumen."""
FILES = {
    "1.0": {"brightness.md": PAGE.format(lumen=LUMEN["1.0"], more=MORE)},
    "2.0": {"brightness.md": PAGE.format(lumen=LUMEN["2.0"], more="")},
}


def questions() -> list[dict[str, Any]]:
    """What each release says in the same words, and something that none says."""
    asked = [
        gold_row(
            id=f"lumen-{release}",
            product="lamp",
            question=f"How many lumen does the lamp give in {release}?",
            gold_answer=f"{lumen} lumen",
            must_include=[rf"\b{lumen}\b"],
            must_not_include=[],
            release=release,
            sources=[{"release": release, "file": "brightness.md", "page": 1}],
        )
        for release, lumen in LUMEN.items()
    ]
    nowhere = gold_row(
        id="weight",
        product="lamp",
        question="How heavy is the battery of the lamp in 2.0?",
        kind="unanswerable",
        gold_answer="The documentation does not say it.",
        must_include=["know"],
        must_not_include=[],
        sources=[],
    )
    return [*asked, nowhere]


def gold_file(folder: Path) -> Path:
    path = folder / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in questions()), "utf-8")
    return path


def scripted(settings: Settings, folder: Path, **script: Any) -> Settings:
    """Settings with a model that answers from the first text in its prompt, whatever its release.

    What a passage says it says where the question is about it, else the model does not know.
    """
    rules = [
        {"contains": "How heavy", "reply": "I don't know."},
        *(
            {
                "matches": rf'<passage number="1"[^>]*>\n(?:(?!</passage>)[\s\S])*{lumen} lumen',
                "reply": f"The lamp gives {lumen} lumen [1].",
            }
            for lumen in LUMEN.values()
        ),
        *(
            {"matches": rf"lamp {release}:[\s\S]*lumen", "reply": f"The lamp gives {lumen} lumen."}
            for release, lumen in LUMEN.items()
        ),
    ]
    path = folder / "script.json"
    path.write_text(json.dumps({"rules": rules, "otherwise": "I don't know.", **script}), "utf-8")
    own = {"backend": "scripted", "scripted_replies": path, "profile": "embedded"}
    return settings.model_copy(update=own)
