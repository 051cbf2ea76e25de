"""The upgrade guide: what a configuration uses, over all releases, with the pages of both."""

import asyncio
import itertools
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from chatbot.accounts.people import LOCAL, Person
from chatbot.errors import BadQuestion, NotAllowed
from chatbot.models.scripted import RecordedCall, Rule, ScriptedChatModel
from chatbot.models.streaming import Chunks, chunk_of
from chatbot.review.exports import csv_lines
from chatbot.runtime.concurrency import Stopped
from chatbot.settings import Settings
from chatbot.text.languages import spoken
from chatbot.upgrading.grouping import grouped
from chatbot.upgrading.guide import Guide, UpgradeGuides
from chatbot.upgrading.material import portions
from chatbot.upgrading.notes import Kind, Note
from chatbot.upgrading.reading import STEP, Changes, GuideReader
from chatbot.upgrading.release_gaps import GapKind, ReleaseGaps, release_gap_rows
from chatbot.upgrading.steps import Need, UpgradeStep, What
from chatbot.upgrading.usage import LARGEST, Usage, folded, read_usage
from chatbot.upgrading.wording import as_markdown, step_line, summary
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.errors import UnknownRelease
from corpora.indexing.corpus import OpenCorpora
from corpora.indexing.pages import StoredDocument, StoredPage
from corpora.parameters.releases import ReleaseParameters, opened_by
from ingestion.page import Block, BlockKind, DocumentKind
from tests.corpora.beacon import ingest_beacon, write
from tests.data_folders import data_dir_of

pytestmark = pytest.mark.database

RELEASES = ("1.0", "2.0", "3.0")
NEEDS = [Need.MUST, Need.DEFAULT, Need.DEPRECATED, Need.NEW]
SETTINGS = """# Settings

| Parameter | Default | Unit | Range | Meaning |
| --- | --- | --- | --- | --- |
{rows}
"""
ROWS = {
    "1.0": (
        "| `hold-off` | 50 | ms | 0 to 100 | Wait before a switch. |",
        "| `restore-time` | 5 | min | 1 to 12 | Wait before going back. |",
        "| `lamp-mode` | steady | – | steady, blink | How the lamp burns. |",
        "| `log_level` | info | – | info, debug | How much is written. |",
        "| `night_mode` | off | – | on, off | Less light at night. |",
        "| `fog_horn` | on | – | on, off | Whether the horn sounds. |",
        "| `mast_height` | 12 | m | 1 to 60 | Height of the mast. |",
        "| `sea_state` | calm | – | calm, rough | The state of the sea. |",
        "| `bell_tone` | high | – | high, low | The tone of the bell. |",
    ),
    "2.0": (
        "| `hold-off` | 80 | ms | 0 to 100 | Wait before a switch. |",
        "| `wait-to-restore` | 5 | min | 1 to 12 | Wait before going back. |",
        "| `lamp-mode` | steady | – | steady, blink | How the lamp burns. |",
        "| `log_level` | info | – | info, debug | How much is written. |",
        "| `night_mode` | off | – | on, off | Less light at night. |",
        "| `fog_horn` | on | – | on, off | Whether the horn sounds. |",
        "| `mast_height` | 12 | m | 1 to 60 | Height of the mast. |",
        "| `sea_state` | calm | – | calm, rough | The state of the sea. |",
        "| `solar_panel` | off | – | on, off | Power from the sun. |",
        "| `bell_tone` | high | – | high, low | The tone of the bell. |",
    ),
    "3.0": (
        "| `hold-off` | 50 | ms | 0 to 100 | Wait before a switch. |",
        "| `wait-to-restore` | 9 | min | 1 to 12 | Wait before going back. |",
        "| `lamp-mode` | steady | – | steady | How the lamp burns. |",
        "| `log_level` | info | – | info, debug | How much is written. |",
        "| `mast_height` | 12 | m | 1 to 60 | Height of the mast. |",
        "| `sea_state` | calm | – | calm, rough | The state of the sea. |",
        "| `solar_panel` | off | – | on, off | Power from the sun. |",
        "| `bell_pitch` | high | – | high, low | How the bell sounds. |",
    ),
}
NOTES = {
    "1.0": "# Release notes 1.0\n\n## Features\n\n- Added `lamp-mode`.\n",
    "2.0": "# Release notes\n\n## 2.0\n\n### Changed\n\n- The way back is timed by "
    "`wait-to-restore` instead of `restore-time`.\n\n### Deprecated\n\n"
    "- `fog_horn` is deprecated.\n\n### Fixed\n\n- Fixed a flicker of `sea_state`.\n"
    "- Corrected `sea_state`, which `bell_pitch` has.\n\n"
    "## 1.0\n\n- Removed `log_level`.\n",
    "3.0": "# Release notes\n\n## 3.0\n\n### Removed\n\n- The parameter `night_mode` was removed.\n"
    "- Removed `fog_horn`, use `log_level` instead.\n- `bell_tone` is renamed to `bell_pitch`.\n",
}
GUIDE = "# Guide\n\n## Night\n\n{night}\n\n## Mast\n\nSet the mast first, then the lamp.\n"
AFFECTED = {"hold-off", "restore-time", "lamp-mode", "night_mode", "fog_horn", "bell_tone"}
UNAFFECTED = {"log_level", "mast_height", "sea_state"}


class Told:
    """The guides over three releases of an invented product, and its gaps."""

    def __init__(self, database: Database) -> None:
        self.corpora = OpenCorpora(database, data_dir_of(database))
        self.product = Catalog(database).product("Beacon")
        self.parameters = opened_by(self.corpora.corpus)
        self.guides = UpgradeGuides(self.corpora.corpus, self.parameters)
        self.gaps = ReleaseGaps(self.corpora.corpus, self.parameters, self.guides)

    def guide(self, older: str, newer: str, used: str = "") -> Guide:
        return self.guides.guide(self.product, older, newer, read_usage(used))


@pytest.fixture
def told(database: Database, tmp_path: Path) -> Told:
    for release in RELEASES:
        night = "At night `night_mode` dims the lamp."
        texts = {
            "settings": SETTINGS.format(rows="\n".join(ROWS[release])),
            "release-notes": NOTES[release],
            "guide": GUIDE.format(night=night if release != "3.0" else "Nights are dark."),
        }
        ingest_beacon(database, write(tmp_path / release, **texts), release=release)
    return Told(database)


def named(guide: Guide) -> set[str]:
    return {item.name for item in guide.items if item.name}


def as_key(step: UpgradeStep) -> tuple[str, ...]:
    return step.need, step.what, step.name, step.says, step.older, step.newer


FORMATS = {
    "ini": lambda names: "[lamp]\n" + "\n".join(f"{name} = 1" for name in names),
    "toml": lambda names: "[lamp]\n" + "\n".join(f'"{name}" = 1' for name in names),
    "yaml": lambda names: "lamp:\n" + "\n".join(f"  {name}: 1" for name in names),
    "json": lambda names: json.dumps({"lamp": [{name: 1} for name in names]}),
    "env": lambda names: "\n".join(f"export {name.upper().replace('-', '_')}=1" for name in names),
    "options": lambda names: "beacon run " + " ".join(f"--{name}=1" for name in names),
    "code": lambda names: "run(" + ", ".join(n.replace("-", "_") + "=1" for n in names) + ")",
    "words": ", ".join,
    "sentence": " ".join,
}


@pytest.mark.parametrize("form", FORMATS)
def test_all_seeded_keys_are_named_and_no_other(told: Told, form: str) -> None:
    guide = told.guide("1.0", "3.0", FORMATS[form](sorted(AFFECTED | UNAFFECTED)))
    # What takes the place of a used name is used from then on.
    assert named(guide) - {"wait-to-restore"} == AFFECTED
    assert guide.looked_up >= len(AFFECTED | UNAFFECTED)
    nothing = told.guide("1.0", "3.0", FORMATS[form](sorted(UNAFFECTED)))
    assert nothing.items == ()


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ("- New setting `tide_gate` with the default 5.", Kind.NEW),
        ("- Added `tide_gate`, by default 5.", Kind.NEW),
        ("- New default of `tide_gate`: 5.", Kind.DEFAULT),
        ("- Added a default for `tide_gate`.", Kind.DEFAULT),
        ("- The default of the new `tide_gate` is 5.", Kind.DEFAULT),
    ],
)
def test_a_new_thing_with_a_default_is_new(item: str, kind: Kind) -> None:
    page = StoredPage(1, (), 1, StoredDocument(1, "", "", DocumentKind.RELEASE_NOTES, ""))
    assert Note(page, Block(BlockKind.LIST_ITEM, item), "2.0", None).kind is kind


def test_words_that_lead_to_nothing_are_counted_as_looked_up(told: Told) -> None:
    said = summary(told.guide("1.0", "3.0", "beacon tide send"))
    assert said.endswith("1 name was looked up; documented parameters among them: 0.")


def test_removed_and_renamed_come_first_and_each_list_says_what(told: Told) -> None:
    guide = told.guide("1.0", "3.0")
    needs = [NEEDS.index(item.need) for item in guide.items]
    assert needs == sorted(needs)
    must = [item.what for item in guide.of(Need.MUST)]
    assert must[0] is What.REMOVED
    assert must == sorted(must, key=[What.REMOVED, What.RENAMED, What.CHANGED].index)
    by_name = {item.name: item for item in guide.items}
    assert by_name["night_mode"].what is What.REMOVED
    assert by_name["restore-time"].what is What.RENAMED
    assert by_name["bell_tone"].what is What.RENAMED
    assert [step.successors for step in by_name["bell_tone"].steps] == [("bell_pitch",)]
    assert by_name["lamp-mode"].what is What.CHANGED
    hold_off = [step_line(step) for step in by_name["hold-off"].steps]
    assert hold_off == ["2.0: default: 50 ms → 80 ms", "3.0: default: 80 ms → 50 ms"]
    assert [s.need for s in by_name["fog_horn"].steps][:1] == [Need.DEPRECATED]
    assert by_name["fog_horn"].need is Need.MUST
    assert by_name["solar_panel"].need is Need.NEW
    assert summary(guide).startswith("From 1.0 to 3.0, over 2.0: ")


def test_a_to_c_has_what_a_to_b_and_b_to_c_have(told: Told) -> None:
    every = [None, *sorted(AFFECTED | UNAFFECTED), "lamp, mast"]
    for used in every:
        whole = {as_key(step) for step in told.guide("1.0", "3.0", used or "").steps}
        parts = [told.guide(a, b, used or "").steps for a, b in itertools.pairwise(RELEASES)]
        assert {as_key(step) for steps in parts for step in steps} <= whole


def test_nothing_stands_there_without_pages_and_the_pages_say_it(told: Told) -> None:
    guide = told.guide("1.0", "3.0")
    assert guide.steps
    for step in guide.steps:
        releases = {cited.release for cited in step.citations}
        assert releases <= {step.older, step.newer}
        assert step.citations
        for cited in step.citations:
            corpus = told.corpora.corpus("Beacon", cited.release)
            assert cited.quote in corpus.page(cited.page_id).text
    documented = [step for step in guide.steps if step.name]
    assert all({s.older, s.newer} == {c.release for c in s.citations} for s in documented)


def test_notes_of_an_earlier_release_and_fixes_change_nothing(told: Told) -> None:
    assert told.guide("1.0", "2.0", "log_level = info\nsea_state = calm\n").items == ()


def test_words_find_what_is_about_them(told: Told) -> None:
    assert named(told.guide("1.0", "3.0", "lamp burns")) == set()
    assert named(told.guide("1.0", "3.0", "night mode")) == {"night_mode"}


def test_releases_are_checked(told: Told) -> None:
    with pytest.raises(UnknownRelease, match=r"no release '9\.9'. There are: 1\.0, 2\.0, 3\.0"):
        told.guide("1.0", "9.9")
    with pytest.raises(BadQuestion, match="name the older release first"):
        told.guide("3.0", "1.0")
    assert told.guide("1.0", "latest").releases == RELEASES
    with pytest.raises(Stopped):
        told.guides.guide(told.product, "1.0", "3.0", stopped=lambda: True)


def test_what_only_notes_tell_is_listed_and_everyday_keys_are_known_by_their_sections(
    database: Database, tmp_path: Path
) -> None:
    manual = "# Manual\n\n## auth\n\n### type\n\nWho may enter.\n\nDefault: `{auth}`\n\n"
    manual += "## store\n\n### type\n\nWhere data lies.\n\nDefault: `{store}`\n"
    news = "# Release notes\n\n## 2.0\n\n- Cosmetics: [auth] type in the log\n"
    news += "- Removed gaslight lamps\n- The type of a lamp was repaired.\n"
    for release, auth, store, notes in (
        ("1.0", "none", "files", "# Release notes\n\n## 1.0\n\n- First.\n"),
        ("2.0", "none` (< 2.0) `denyall` (>= 2.0) `", "database", news),
    ):
        texts = {"manual": manual.format(auth=auth, store=store), "release-notes": notes}
        ingest_beacon(database, write(tmp_path / release, **texts), release=release)
    guide = Told(database).guide("1.0", "2.0", "[auth]\ntype = gaslight\n[store]\nother = 1\n")
    steps = [(s.owner, s.what, s.says[:20]) for s in guide.steps]
    assert ("auth", What.TOLD, "- Cosmetics: [auth] ") in steps
    assert ("auth", What.VALUE, "default: none → none") in steps
    assert any(what is What.REMOVED for _, what, _ in steps)
    # The other section has a key of this name, which the input does not use.
    assert not any(owner == "store" or "repaired" in says for owner, _, says in steps)


HOSTILE = {
    "aliases": "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\nnight_mode: 1\n",
    "deep": "[" * 50_000 + "night_mode=",
    "deep yaml": "- " * 5_000 + "night_mode: 1",
    "markup": "<script>alert(1)</script>=1\n[x](javascript:alert(1))=2\n",
    "tag": "!!python/object/apply:os.system ['true']\n",
    "nul": "night_mode\x00 = 1\u202e\n",
    "many keys": "\n".join(f"key_{n} = 1" for n in range(9_000)),
    "one long key": "k" * 150_000 + " = 1\nnight_mode = 2",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_configuration_is_bounded_and_shows_nothing_of_itself(
    told: Told, case: str
) -> None:
    guide = told.guide("1.0", "3.0", HOSTILE[case])
    assert guide.looked_up <= 3_000
    assert named(guide) <= {"night_mode"}
    written = as_markdown(guide)
    assert "<script" not in written
    assert "key_1" not in written


def test_what_is_too_large_is_refused() -> None:
    for text in ("x" * (LARGEST + 1), "a=1\n" * 10_001):
        with pytest.raises(BadQuestion, match="the limit is"):
            read_usage(text)
    with pytest.raises(BadQuestion, match="name features"):
        read_usage(",;,")
    assert read_usage("  \n").is_everything


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"retry": {"limit": 2}}', {"retry", "limit", "retry.limit"}),
        ("[server]\nmax-jobs = 4\n", {"max_jobs", "server.max_jobs"}),
        ("tool --max-jobs 4 -q", {"max_jobs", "q"}),
        ("serve(app, maxJobs=4)", {"maxJobs", "serve"}),
        ("# max_jobs = 1\nother: 2\n", {"other"}),
        ("max_jobs = 1\nmode = 'fast'\n", {"max_jobs", "mode"}),
    ],
)
def test_names_are_read_by_the_parser_of_their_format(text: str, names: set[str]) -> None:
    assert set(read_usage(text).names) == names


def test_spellings_of_a_name_are_one() -> None:
    assert folded("--max-jobs") == folded("MAX_JOBS") == folded("`max_jobs`") == "max_jobs"
    assert folded("-q") != folded("-Q")
    assert folded("IPv6") != folded("ipv6")
    assert Usage({"a": frozenset()}).with_names(["--b-c"]).has("b_c")


def test_markdown_has_every_item_and_escapes_the_documents(told: Told) -> None:
    written = as_markdown(told.guide("1.0", "3.0"))
    assert "## Must change" in written
    assert "**night_mode**" in written
    assert "- 1.0 · Settings · Settings" in written or "1.0 · Settings" in written
    with spoken("de"):
        assert "Standardwert: 80 ms → 50 ms" in as_markdown(told.guide("1.0", "3.0"))


def test_a_model_groups_and_words_and_what_no_page_says_is_left_out(told: Told) -> None:
    guide = told.guide("1.0", "3.0")
    first, second, third = (item.name for item in guide.items[:3])
    reply = (
        f"## Names\n1 | Do without `{first}`.\n2 | Set `{second}` to 9999 s.\n"
        "## Ports 4711\n3 | Look at it.\n77 | There is no such change.\n"
    )
    model = ScriptedChatModel(replies=[reply])
    worded = asyncio.run(grouped(guide, model))
    by_name = {item.name: item for item in worded.items}
    assert (by_name[first].group, by_name[first].words) == ("Names", f"Do without {first}.")
    assert (by_name[second].group, by_name[second].words) == ("Names", "")
    assert by_name[third].group == ""
    assert {as_key(s) for s in worded.steps} == {as_key(s) for s in guide.steps}
    assert [i.need for i in worded.items] == [i.need for i in guide.items]


def change(use: str, what: str, was: str = "", now: str = "", successor: str = "") -> str:
    told = {"use": use, "why": "", "what": what, "successor": successor, "was": was, "now": now}
    return json.dumps({"changes": [told]})


ROW = "hold-off — {} — ms — 0 to 100 — Wait before a switch."
FLICKER, TIMED = "Fixed a flicker of sea_state.", "wait-to-restore instead of restore-time"
KEPT, PITCH = "Corrected sea_state, which bell_pitch has.", "bell_tone is renamed to bell_pitch."
INVENTED = change("hold-off", "removed", was="There is no hold-off.")
HELD = ("hold-off", "2.0: default: 50 ms → 80 ms"), ("hold-off", "3.0: default: 80 ms → 50 ms")
NOTHING = json.dumps({"changes": []})
READINGS = {
    "a step that the model confirms stays, another one goes": (
        {ROW.format(50): change("hold-off", "value", ROW.format(50), ROW.format(80))},
        HELD[:1],
        0,
    ),
    "what no rule finds": (
        {FLICKER: change("sea_state", "changed", now=FLICKER)},
        [("sea_state", f"2.0: {FLICKER[:-1]}")],
        0,
    ),
    "words that stand nowhere": (
        {ROW.format(50): INVENTED, "cannot be used": INVENTED},
        HELD,
        2,
    ),
    "a thing that is not used, and a better reply": (
        {FLICKER: change("fog_horn", "changed", now=FLICKER)},
        (),
        0,
    ),
    "a name that the rules do not follow": (
        {
            TIMED: change("sea_state", "renamed", now=TIMED, successor="way/wait-to-restore"),
            "wait-to-restore — 9": change("wait-to-restore", "value", now="wait-to-restore — 9"),
        },
        [("sea_state", f"2.0: {TIMED}"), ("wait-to-restore", "3.0: default: 5 min → 9 min")],
        0,
    ),
    "a name that the rules follow only later": (
        {
            KEPT: change("sea_state", "renamed", now=KEPT, successor="bell_pitch"),
            PITCH: change("bell_pitch", "changed", now=PITCH),
        },
        [("sea_state", f"2.0: {KEPT[:-1]}"), ("bell_pitch", f"3.0: {PITCH[:-1]}")],
        0,
    ),
    "a model that does not answer": (None, HELD, 4),
}


def read_by(told: Told, case: str, used: str, *releases: str) -> Guide:
    """A guide as the scripted model of a case has it."""
    replies = READINGS[case][0]
    rules = [Rule(contains=words, reply=reply) for words, reply in (replies or {}).items()]
    reader = GuideReader(
        told.guides,
        ScriptedChatModel(rules=rules, otherwise=None if replies is None else NOTHING),
        Settings(data_dir=Path("unused")),
        run=lambda work, stopped: asyncio.run(work),
        told=lambda done, of: None,
        stopped=lambda: False,
        replies={},
    )
    return reader.read(told.product, told.guide(*releases, used), read_usage(used))


@pytest.mark.parametrize("case", READINGS)
def test_a_model_tells_from_a_to_c_what_it_tells_from_a_to_b_and_from_b_to_c(
    told: Told, case: str
) -> None:
    used = "[lamp]\nhold-off = 7\nsea_state = calm\nbell_tone = low\n"
    whole = [as_key(step) for step in read_by(told, case, used, "1.0", "3.0").steps]
    first = read_by(told, case, used, "1.0", "2.0")
    renamed = [name for step in first.steps for name in step.successors]
    then = read_by(told, case, "\n".join((used, *(f"{n} = 1" for n in renamed))), "2.0", "3.0")
    assert {as_key(step) for of in (first, then) for step in of.steps} == set(whole)
    assert len(whole) == len(set(whole))


@pytest.mark.parametrize("case", READINGS)
def test_a_model_reads_what_concerns_the_input_and_is_held_to_its_pages(
    told: Told, case: str
) -> None:
    replies, steps, unread = READINGS[case]
    rules = [Rule(contains=words, reply=reply) for words, reply in (replies or {}).items()]
    model = ScriptedChatModel(rules=rules, otherwise=None if replies is None else NOTHING)
    progress: list[tuple[int, int]] = []
    kept: dict[str, Changes] = {}
    reader = GuideReader(
        *(told.guides, model, Settings(data_dir=Path("unused"))),
        run=lambda work, stopped: asyncio.run(work),
        told=lambda done, of: progress.append((done, of)),
        stopped=lambda: False,
        replies=kept,
    )
    used = "[lamp]\nhold-off = 7\nsea_state = calm\nrough = 1\nsecret = hunter2\n"
    used += "[db-prod-7]\nmast_height = 3\n"
    guide = told.guide("1.0", "3.0", used)
    read = reader.read(told.product, guide, read_usage(used))
    assert [(item.name, step_line(s)) for item in read.items for s in item.steps] == list(steps)
    assert read.unread == unread
    assert ("did not read" in summary(read)) is (unread > 0)
    assert progress[-1][0] == progress[-1][1] > 0
    for step in read.steps:
        assert {step.older, step.newer} == {c.release for c in step.citations}
    asked = "".join(text for made in model.calls for _, text in made.messages)
    assert "hold_off (lamp)" in asked
    assert "mast_height" in asked
    for own in ("hunter2", "secret", "db_prod_7"):
        assert own not in asked
    # A guide that is asked for again asks for what is unread alone.
    made = len(model.calls)
    again = reader.read(told.product, guide, read_usage(used))
    assert again == read
    assert (len(model.calls) > made) is (unread > 0)
    assert bool(kept) is (replies is not None)


class Renaming(ScriptedChatModel):
    """Tells at every step that each used thing has the name of that step."""

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        first, _, rest = messages[-1].text.partition(" Used:\n")
        step = first.removesuffix(".0.").rpartition(" ")[2]
        used = rest.partition("\n<")[0].splitlines()
        now = f"All is called name_{step} now."
        told = (json.loads(change(u, "renamed", now=now, successor=f"name_{step}")) for u in used)
        self._calls.append(RecordedCall(((STEP, messages[-1].text),), options))
        yield chunk_of(json.dumps({"changes": [c for of in told for c in of["changes"]]}))


def test_names_that_a_model_gives_in_every_step_are_followed_once(
    database: Database, tmp_path: Path
) -> None:
    """Else a guide doubles with every step."""
    steps = 6
    rows = "\n".join(f"| `name_{n}` | 5 | min | 1 to 12 | Wait. |" for n in range(steps + 1))
    for n in range(steps + 1):
        notes = f"# Release notes\n\n## {n}.0\n\n### Changed\n\n- All is called `name_{n}` now.\n"
        texts = {"settings": SETTINGS.format(rows=rows), "release-notes": notes}
        ingest_beacon(database, write(tmp_path / str(n), **texts), release=f"{n}.0")
    told, model, used = Told(database), Renaming(), "[lamp]\nname_0 = 1\n"
    guides: list[str] = []
    guide = told.guides.guide
    told.guides.guide = lambda *of: (guides.append(of[1]), guide(*of))[1]
    reader = GuideReader(
        *(told.guides, model, Settings(data_dir=Path("unused"))),
        run=lambda work, stopped: asyncio.run(work),
        told=lambda done, of: None,
        stopped=lambda: False,
        replies={},
    )
    read = reader.read(told.product, told.guide("0.0", f"{steps}.0", used), read_usage(used))
    # From each release on what is new there; the last one has nothing behind it.
    assert guides == ["0.0", *(f"{n}.0" for n in range(1, steps))]
    assert read.unread == 0
    assert {(s.name, s.newer) for s in read.steps} == {
        (f"name_{n}", f"{m}.0") for n in range(steps) for m in range(n + 1, steps + 1)
    }


def test_gaps_between_releases(told: Told, database: Database, tmp_path: Path) -> None:
    lost = SETTINGS.format(rows="\n".join(r for r in ROWS["3.0"] if "log_level" not in r))
    twice = lost.replace("# Settings", "# All settings").replace("| 9 | min |", "| 8 | min |")
    texts = {
        "settings": lost,
        "overview": twice,
        "release-notes": "# Release notes\n\n## 4.0\n\n### Added\n\n- Added `radio_link`.\n"
        "- Added `sun_roof`.\n- Added `_flaps` and `BeaconLoop`.\n- Added `beacon.log_level`.\n",
        "guide": "# Guide\n\n## Sun\n\nSet `log_level` before you open the `sun_roof`.\n",
    }
    ingest_beacon(database, write(tmp_path / "4.0", **texts), release="4.0")
    found = Told(database)
    gaps = found.gaps.of(LOCAL, found.product)
    newest = {(gap.kind, gap.name) for gap in gaps if gap.release == "4.0"}
    assert newest == {
        (GapKind.LOST, "log_level"),
        (GapKind.ANNOUNCED, "radio_link"),
        (GapKind.CONTRADICTION, "wait-to-restore"),
    }
    # What several releases have stands with the newest of them.
    assert len({(gap.kind, gap.name) for gap in gaps}) == len(gaps)
    assert all(gap.citations for gap in gaps)
    for cited in (c for gap in gaps for c in gap.citations):
        assert cited.quote in found.corpora.corpus("Beacon", cited.release).page(cited.page_id).text
    told_steps: list[tuple[int, int]] = []
    found.gaps.of(LOCAL, found.product, told=lambda done, of: told_steps.append((done, of)))
    assert told_steps[-1] == (4, 4)
    with pytest.raises(NotAllowed):
        found.gaps.of(Person("bo@example.org", "Bo", is_admin=False), found.product)
    with pytest.raises(Stopped):
        found.gaps.of(LOCAL, found.product, stopped=lambda: True)
    rows = list(release_gap_rows(gaps))
    rows[0]["name"] = "=HYPERLINK(1)"
    assert '"\'=HYPERLINK(1)"' in "".join(csv_lines(rows))


def test_gaps_are_found_once_and_go_on_where_they_were_stopped(
    told: Told, database: Database, tmp_path: Path
) -> None:
    opened: list[str] = []

    def parameters(product: str, release: str) -> ReleaseParameters:
        opened.append(release)
        return told.parameters(product, release)

    gaps = ReleaseGaps(told.corpora.corpus, parameters, told.guides)
    with pytest.raises(Stopped):
        gaps.of(LOCAL, told.product, stopped=lambda: "2.0" in opened)
    assert set(opened) == {"1.0", "2.0"}
    opened.clear()
    found = gaps.of(LOCAL, told.product)
    assert set(opened) == {"2.0", "3.0"}
    opened.clear()
    assert gaps.of(LOCAL, told.product) == found
    assert not opened
    texts = {"settings": SETTINGS.format(rows="\n".join(ROWS["3.0"][:1]))}
    ingest_beacon(database, write(tmp_path / "again", **texts), release="3.0")
    gaps.of(LOCAL, told.product)
    assert set(opened) == {"2.0", "3.0"}


ENTRIES = {
    "headed": "## beacon fax send\n\nSends a fax.\n",
    "with arguments": "## `beacon fax send` FILE\n\n```\nbeacon fax send FILE\n```\n\nSends.\n",
    "manual page": "## beacon-fax-send(1)\n\nSends a fax.\n",
    "row": "| Command | Does |\n| --- | --- |\n| `beacon fax send` | Sends a fax. |\n",
}
KEPT_OR_GONE = {
    "gone": ("", "", {"2.0: no longer documented"}),
    "in prose": ("Faxes are sent by `beacon fax send`.\n", "", set[str]()),
    "otherwise joined": ("## beacon-fax send FILE\n\nSends a fax.\n", "", set[str]()),
    "renamed": (
        "## beacon mail post\n\nSends a letter.\n",
        "- `beacon fax send` is renamed to `beacon mail post`.\n",
        {
            "2.0: beacon fax send is renamed to beacon mail post",
            "3.0: no longer documented",
        },
    ),
}


@pytest.mark.parametrize(
    ("entry", "case"),
    [
        *((e, "gone") for e in ENTRIES),
        *(("headed", case) for case in ("in prose", "otherwise joined")),
        ("manual page", "renamed"),
    ],
)
def test_a_used_command_of_several_words_that_left_the_manual_is_listed(
    database: Database, tmp_path: Path, entry: str, case: str
) -> None:
    lamp = "# Manual\n\n## beacon lamp on\n\nLights the lamp.\n\n"
    there, news, told = KEPT_OR_GONE[case]
    texts = {
        "1.0": {"manual": lamp + ENTRIES[entry]},
        "2.0": {"manual": lamp + there, "release-notes": f"# Release notes\n\n## 2.0\n\n{news}"},
        "3.0": {"manual": lamp + ("" if case == "renamed" else there)},
    }
    for release, of in texts.items():
        ingest_beacon(database, write(tmp_path / release, **of), release=release)
    found = Told(database)
    used = "# beacon fax receive\nset -e\nbeacon fax send --tone=5 letter.pdf && beacon lamp on\n"
    guide = found.guide("1.0", "3.0", used)
    assert {step_line(step) for step in guide.steps} == told
    assert all(step.before for step in guide.steps)
    assert found.guide("1.0", "3.0", "beacon-fax = 1\nsend: fax\n").items == ()


def test_two_functions_may_differ_in_a_default(database: Database, tmp_path: Path) -> None:
    table = "# {name}\n\n| Parameter | Default |\n| --- | --- |\n| `time_out` | {value} |\n"
    texts = {name: table.format(name=name, value=n) for n, name in enumerate(("open", "close"))}
    ingest_beacon(database, write(tmp_path / "1.0", **texts), release="1.0")
    found = Told(database)
    assert found.gaps.of(LOCAL, found.product) == ()


@pytest.mark.parametrize(
    "hostile",
    [
        "= [ x" + "a." * 99_000,
        "[s]\na" + " " * 190_000 + "b",
        (" " * 19 + "\n") * 9_990,
        "a" + ".a" * 90_000 + " = 1",
        "[" + "a." * 90_000 + "a]\nb = 1",
        "\n".join("a" + ".a" * 45 + "= 1" for _ in range(2_000)),
        "[s]\n" + "\n".join("k" + " " * 39 + "v" * 900 for _ in range(200)),
        "=" * 199_000,
        "a(" * 90_000,
        "- " * 90_000,
        "k: " + "[" * 90_000,
        "x=" + "a" * 190_000,
    ],
    ids=range(12),
)
def test_an_input_made_to_be_slow_is_read_in_little_time(hostile: str) -> None:
    began = time.process_time()
    with suppress(BadQuestion):
        read_usage(hostile)
    # Ten to a thousand times what it takes, and a hundredth of what it took.
    assert time.process_time() - began < 8


def test_what_notes_alone_name_is_no_gap(database: Database, tmp_path: Path) -> None:
    rows = ROWS["1.0"]
    without = "\n".join(r for r in rows if "fog_horn" not in r and "night_mode" not in r)
    added = "".join(f"- Added `{name}`.\n" for name in ("beam_loop", "read_wind", "sea_mode"))
    before = {"settings": SETTINGS.format(rows="\n".join(rows))}
    after = {
        "settings": SETTINGS.format(rows=without),
        "news": "# Beacon 1.0 released\n\nSet `fog_horn` to hear it.\n",
        "guide": "# Guide\n\n## Usage of night_mode\n\nSet `night_mode` at dusk.\n",
        "release-notes": f"# Release notes\n\n## 2.0\n\n{added}",
    }
    for release, texts in (("1.0", before), ("2.0", after)):
        ingest_beacon(database, write(tmp_path / release, **texts), release=release)
    found = Told(database)
    assert found.gaps.of(LOCAL, found.product) == ()


def test_a_default_that_the_older_manual_only_lists_is_told_where_it_is_new(
    database: Database, tmp_path: Path
) -> None:
    names = [f"lamp_{letter}" for letter in "abcdefghij"]
    listed = (f"## {n}\n\n- `--{n}=INT`\n- `{i}`\n\nA lamp.\n" for i, n in enumerate(names, 20))
    rows = "\n".join(
        f"| `{n}` | {i if i != 25 else 99} | A lamp. |" for i, n in enumerate(names, 20)
    )
    table = f"# Settings\n\n| Parameter | Default | Meaning |\n| --- | --- | --- |\n{rows}\n"
    for release, text in (("1.0", "# Settings\n\n" + "\n".join(listed)), ("2.0", table)):
        ingest_beacon(database, write(tmp_path / release, settings=text), release=release)
    guide = Told(database).guide("1.0", "2.0", ", ".join(names))
    [item] = guide.of(Need.DEFAULT)
    assert (item.name, item.steps[0].says) == ("lamp_f", "default: 99")
    assert [c.release for c in item.citations] == ["1.0", "2.0"]


HEADED = """# Options

## {horn}

Sound the horn while there is fog and the lamp cannot be seen.

{values}

## {bell}

Ring the bell when the sea is rough, with so many strokes a minute as are given.

## {tones}

The tones that the bell and the horn have by day and by night.

| Name | Value |
| --- | --- |
{rows}

## Tides

`BEACON_TIDE_GATE` (7 by default)

Hours for which the gate is open.

{tide}

`BEACON_TIDE_BELL`

Rings with the tide.

## Fog

{fog}
"""
MANUALS = {
    "1.0": HEADED.format(
        horn="BEACON_HORN_MODE",
        values="Values: on, off.",
        bell="BEACON_BELL_RATE",
        tones="Tones",
        rows="| `BEACON_TONE_DAY` | high |\n| `BEACON_TONE_NIGHT` | low |",
        tide="It closes by itself.",
        fog="`fog_limit`: metres that can be seen.",
    ),
    "2.0": HEADED.format(
        horn="horn-mode",
        values="Values: on, off, auto.",
        bell="Mast",
        tones="Tones",
        rows="| `tone-day` | high |\n| `tone-night` | none |",
        tide="At most 24.",
        fog="```ini\n[fog]\n\n# Metres that can be seen.\n# At most 900.\nfog_limit = 50\n```",
    ).replace(
        "Ring the bell when the sea is rough, with so many strokes a minute as are given", "It"
    ),
}
IN_THEIR_PLACE = {
    "BEACON_HORN_MODE": ("Options › horn-mode", "no entry of that name", "Values: on, off, auto."),
    "BEACON_BELL_RATE": ("", "it does not stand there", ""),
    "BEACON_TONE_NIGHT": ("Options › Tones", "no entry of that name", "tone-night — none"),
    "BEACON_TIDE_GATE": ("Options › Tides › BEACON_TIDE_GATE", "At most 24.", "At most 24."),
    "fog_limit": ("Options › Fog › fog/fog_limit", "# Metres", "# At most 900."),
}


@pytest.mark.parametrize("used", IN_THEIR_PLACE)
def test_a_model_sees_where_a_thing_without_its_heading_would_stand(
    database: Database, tmp_path: Path, used: str
) -> None:
    for release, text in MANUALS.items():
        ingest_beacon(database, write(tmp_path / release, options=text), release=release)
    section, line, words = IN_THEIR_PLACE[used]
    before, after = (Told(database).corpora.corpus("Beacon", release) for release in MANUALS)
    [portion] = portions(before, after, (), read_usage(f"{used}=1"), 9_000)
    old, new, *_ = portion.passages
    assert new.section == section
    assert line in new.text.partition("\n")[0]
    assert words in new.text
    assert words not in old.text or not words


def test_each_of_hundreds_of_things_in_one_section_is_found_and_in_little_time(
    database: Database, tmp_path: Path
) -> None:
    for release, name in (("1.0", "BEACON_{}"), ("2.0", "beacon-{}-is")):
        of_lamps = (f"- `{name.format(i)}`: what lamp {i} does by night, {i}." for i in range(600))
        text = "\n".join(("# Options", "", *of_lamps))
        ingest_beacon(database, write(tmp_path / release, options=text), release=release)
    before, after = (Told(database).corpora.corpus("Beacon", release) for release in MANUALS)
    used = read_usage("\n".join(f"BEACON_{i}=1" for i in range(300)))
    started = time.process_time()
    asked = portions(before, after, (), used, 9_000)
    assert time.process_time() - started < 3
    new = {one.use: one.text for of in asked for one in of.passages if one.release == "2.0"}
    assert new.keys() == {f"beacon_{i}" for i in range(300)}
    assert all(f"beacon-{use[7:]}-is" in text for use, text in new.items())
