"""The report on a run as one page that needs nothing else: no network, no script, no other file.

All texts are data: the templates escape every one of them. Pictures are boxes whose places are
percentages, so that they fit any width.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from chatbot.text.languages import day_in_words, gettext, in_words, language, ngettext
from eval.reports import wording
from eval.reports.summary import RunSummary, ScoredAnswer
from eval.runs.measures import MEASURES
from prompts.fencing import visible


def html_report(run: RunSummary) -> str:
    """The whole page."""
    return _rendered("page.html", run=run)


def html_figures(run: RunSummary) -> str:
    """Its pictures and tables, to be shown within another page."""
    return _part(_rendered("figures.html", run=run))


def html_failures(failures: Iterable[ScoredAnswer]) -> str:
    """Some of its failures, to be shown within another page."""
    return _part("".join(_rendered("failure.html", case=case) for case in failures))


def _part(html: str) -> str:
    return f'<style>{_rendered("report.css")}</style><div class="report">{html}</div>'


def _rendered(template: str, **of: Any) -> str:
    """A template filled in, without characters that nobody sees."""
    return visible(_environment().get_template(template).render(**of))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("eval", "reports/templates"),
        autoescape=True,
        undefined=StrictUndefined,
    )
    environment.globals |= {
        "measures": MEASURES,
        **{
            found.__name__: found for found in (gettext, ngettext, in_words, language, day_in_words)
        },
        "css": lambda outcome: outcome.replace(" ", "-"),
        "groups": wording.GROUPS,
        "arrows": wording.ARROWS,
        **{
            made.__name__: made
            for made in (
                *(wording.figure, wording.interval, wording.gain, wording.chance),
                *(wording.tally, wording.all_of, wording.readable, wording.manifest_rows),
                *(wording.scores_of, wording.unscored_of, wording.tokens, wording.failed_with),
            )
        },
    }
    return environment
