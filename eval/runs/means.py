"""The scores of a run taken together: a question's repeats first, then its questions."""

import statistics
from collections import defaultdict
from collections.abc import Mapping

from eval.figures import Mean, mean
from eval.runs.folder import Run
from eval.runs.measures import MEASURES


def by_question(run: Run, system: str) -> dict[str, dict[str, float]]:
    """For each measure the mean of each question's repeats, by its id.

    Measures that do not apply to a question, and those that could not be scored, are left out.
    """
    found: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in MEASURES}
    for score in run.scores:
        if score.system == system:
            for name, value in score.values.items():
                if value is not None and name in MEASURES:
                    found[name][score.id].append(value)
    return {
        name: {question: statistics.fmean(values) for question, values in of.items()}
        for name, of in found.items()
        if of
    }


def means(run: Run) -> Mapping[str, Mapping[str, Mean]]:
    """The mean of each measure over the questions it applies to, by system."""
    return {
        system: {name: mean(of.values()) for name, of in by_question(run, system).items()}
        for system in run.manifest.systems
    }
