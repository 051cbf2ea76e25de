"""A run is planned, asked and scored; what was done is on the disk and never done again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from langchain_core.language_models import BaseChatModel

from chatbot.assembly import open_model
from chatbot.chatbot import Chatbot
from eval.asking import page_text
from eval.foreign import open_address, read_address
from eval.gold import GoldError, GoldQuestion
from eval.judging.judge import Judge, JudgeScore
from eval.judging.metrics import judge_answers
from eval.likeness import alike_by
from eval.recording import recorded
from eval.records import append_record, cut_torn_line, write_whole
from eval.runs.answering import answer_record, warm_up
from eval.runs.folder import (
    AnswerRecord,
    Manifest,
    RunFolder,
    RunState,
    is_going_on,
    list_runs,
    read_answers,
    read_manifest,
    read_scores,
    runs_folder,
    write_manifest,
    writing,
)
from eval.runs.manifest import Plan, differences, manifest_of, taken_up
from eval.runs.scoring import Scorer, score_record
from eval.runs.systems.names import Systems, profile_of, require_systems
from eval.runs.systems.system import System

PILOT = 2
"""Questions that are asked of each system first, to tell what the others will cost."""
OnProgress = Callable[[str, int, int], None]
"""Hears of a system, or of the judge, how many answers there are of how many."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What is still to come of a system, by what its answers so far have cost."""

    system: str
    answers: int
    calls: float
    prompt_tokens: float
    completion_tokens: float
    seconds: float


@dataclass
class Running:
    """A run with the chatbot that it is made with; `stopped` ends it between two questions.

    Each question waits for `pause` to return.
    """

    folder: Path
    manifest: Manifest
    questions: Sequence[GoldQuestion]
    chatbot: Chatbot
    judge: Judge | None = None
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    on_progress: OnProgress = lambda name, done, total: None
    stopped: Callable[[], bool] = lambda: False
    pause: Callable[[], None] = lambda: None
    systems: Systems = field(init=False)
    _model: BaseChatModel | None = None

    def __post_init__(self) -> None:
        self.files = RunFolder(self.folder)
        self.systems = Systems(
            self.chatbot,
            lambda n, of: self.on_progress("indexing", n, of),
            {name: read_address(text) for name, text in self.manifest.addresses.items()},
            self.keys,
        )

    def left(self, system: str) -> list[tuple[GoldQuestion, int]]:
        """The questions and repeats that a system has not answered; what failed is asked again."""
        answered = {(a.id, a.repeat) for a in read_answers(self.folder, system) if not a.error}
        return [
            (question, repeat)
            for repeat in range(self.manifest.repeats)
            for question in self.manifest.asked_of(system, self.questions)
            if (question.id, repeat) not in answered
        ]

    def pilot(self) -> list[Cost]:
        """Ask each system its first questions, and score them; what the rest will cost by that.

        Raises what `finish` does.
        """
        for system in self.manifest.systems:
            # What one lacks is said before another one is asked.
            if self.left(system):
                self.systems.open(system, self._model_of(system), at_once=self.manifest.at_once)
        with writing(self.folder), self._state(RunState.PLANNED):
            for system in self.manifest.systems:
                asked = len(read_answers(self.folder, system))
                self._ask(system, self.left(system)[: max(PILOT - asked, 0)])
            scored = self._score()
        costs = [self._cost(system) for system in self.manifest.systems]
        left = sum(cost.answers for cost in costs)
        if self.judge:
            spent, each = self.judge.spent, left / scored if scored else 0.0
            used = (spent.calls, spent.prompt_tokens, spent.completion_tokens, spent.seconds)
            costs.append(Cost("judge", left, *(each * figure for figure in used)))
        return costs

    def finish(self) -> None:
        """Ask and score what is left.

        Raises Stopped, the errors of models and settings, and RunGoingOn where another process has
        taken the run up.
        """
        with writing(self.folder):
            with self._state(RunState.ASKING):
                for system in self.manifest.systems:
                    self._ask(system, self.left(system))
            with self._state(RunState.JUDGING):
                self._score()
            self._write(RunState.DONE, finished=datetime.now(UTC))

    def _cost(self, system: str) -> Cost:
        answers = [a for a in read_answers(self.folder, system) if a.reply]
        left = len(self.left(system))
        each = left / len(answers) if answers else 0.0
        return Cost(
            system,
            left,
            calls=each * sum(a.calls for a in answers),
            prompt_tokens=each * sum(a.prompt_tokens for a in answers),
            completion_tokens=each * sum(a.completion_tokens for a in answers),
            seconds=each * sum(a.reply.seconds or 0.0 for a in answers if a.reply),
        )

    def _ask(self, name: str, left: Sequence[tuple[GoldQuestion, int]]) -> None:
        if not left:
            return
        model, at_once = self._model_of(name), self.manifest.at_once
        opened = {
            repeat: self.systems.open(
                name, model and recorded(self.files.calls, model, take=repeat), at_once=at_once
            )
            for repeat in sorted({repeat for _, repeat in left})
        }
        warm_up(self.chatbot, name, model, self._meant(), self.on_progress)
        path = self.files.answers(name)
        cut_torn_line(path)
        total = self.manifest.repeats * len(self.manifest.asked_of(name, self.questions))
        ending = Event()
        pool = ThreadPoolExecutor(at_once, "run")
        try:
            asked = [
                pool.submit(self._answer, opened[repeat], question, repeat, ending)
                for question, repeat in left
            ]
            for done, future in enumerate(as_completed(asked), total - len(self.left(name)) + 1):
                append_record(path, future.result())
                self.on_progress(name, done, total)
        finally:
            ending.set()
            pool.shutdown(cancel_futures=True)

    def _meant(self) -> list[tuple[str, str]]:
        """The releases that are asked about and there, with their products."""
        of = ((question.product, r) for question in self.questions for r in question.gold_releases)
        return [(p, r) for p, r in dict.fromkeys(of) if r in self.manifest.corpora.get(p, ())]

    def _model_of(self, system: str) -> BaseChatModel | None:
        """The model of a system: that of the one before, which is loaded, if it is no other.

        None of a system of others.
        """
        if system in self.manifest.addresses:
            return None
        settings = self.chatbot.settings.model_copy(update={"profile": profile_of(system)})
        model, held = open_model(settings), self._model
        if type(model) is not type(held) or dict(model or ()) != dict(held or ()):
            self._model = model
        return self._model

    def _answer(
        self, system: System, question: GoldQuestion, repeat: int, ending: Event
    ) -> AnswerRecord:
        self.pause()
        return answer_record(system, question, repeat, lambda: ending.is_set() or self.stopped())

    def _score(self) -> int:
        """Score what has no scores yet, and say how many answers that were."""
        cut_torn_line(self.files.scores)
        metrics = self.manifest.metrics if self.judge else ()
        left, scorer = list(self._unscored(metrics)), self._scorer()
        done = 0

        def keep(number: int, judged: Sequence[JudgeScore] = ()) -> None:
            nonlocal done
            done += 1
            system, question, record = left[number]
            scores = score_record(system, record, scorer.values(question, record), judged)
            append_record(self.files.scores, scores)
            self.on_progress("scoring", done, len(left))

        if self.judge is None:
            for number in range(len(left)):
                keep(number)
        else:
            shown = [scorer.judged(question, record) for _, question, record in left]
            judge_answers(self.judge, shown, metrics, keep, self.stopped)
        return len(left)

    def _unscored(self, metrics: Sequence[str]) -> Iterator[tuple[str, GoldQuestion, AnswerRecord]]:
        """Answers without these scores, with their systems; one that failed may be there now."""
        scores = {(s.system, s.id, s.repeat): s.values for s in read_scores(self.folder)}
        by_id = {question.id: question for question in self.questions}
        for system in self.manifest.systems:
            for record in read_answers(self.folder, system):
                values = scores.get((system, record.id, record.repeat), {})
                as_now = values.get("failed") == float(record.error is not None)
                if not as_now or not values.keys() >= {*metrics}:
                    yield system, by_id[record.id], record

    def _scorer(self) -> Scorer:
        minilm = self.chatbot.minilm
        named = {name: self.chatbot.catalog.product(name) for name in self.manifest.corpora}
        newest = {name: product.newest.name for name, product in named.items() if product.newest}
        alike = alike_by(minilm.token_vectors, minilm.embed)
        return Scorer(page_text(self.chatbot), alike, newest)

    @contextmanager
    def _state(self, state: RunState) -> Iterator[None]:
        """Within it the run is in a state; if it ends early, it is stopped."""
        self._write(state)
        try:
            yield
        except BaseException:
            self._write(RunState.STOPPED)
            raise

    def _write(self, state: RunState, finished: datetime | None = None) -> None:
        self.manifest = self.manifest.model_copy(update={"state": state, "finished": finished})
        write_manifest(self.folder, self.manifest)


def open_run(
    plan: Plan, chatbot: Chatbot, folder: Path | None = None, judge: Judge | None = None
) -> Running:
    """Begin a run, or take one up: that of `folder`, or the last that neither ended nor goes on.

    Raises BadSettings for a system that there is not, UnknownRelease for a product, GoldError for a
    folder with another run and an address that cannot be used, and RunGoingOn.
    """
    require_systems(plan.systems, plan.addresses)
    for name, address in plan.addresses.items():
        # Once a run has begun with an address, it is the system's.
        open_address(address, plan.keys.get(name))
    manifest = manifest_of(plan, chatbot)
    folder = folder or _unfinished(chatbot, manifest) or _new_folder(chatbot, plan, manifest)
    with writing(folder):
        manifest = _begun(plan, manifest, folder)
    return Running(folder, manifest, plan.questions, chatbot, judge, plan.keys)


def _begun(plan: Plan, manifest: Manifest, folder: Path) -> Manifest:
    """The manifest of the run in a folder, which has it and its questions from now on."""
    files = RunFolder(folder)
    if files.manifest.exists():
        kept = read_manifest(folder)
        if changed := differences(kept, manifest):
            raise GoldError(
                f"{folder} holds a run with other {', '.join(changed)}, which cannot be gone on "
                "with: name another folder"
            )
        manifest = taken_up(kept, manifest)
    else:
        write_whole(files.questions, plan.gold.read_bytes())
    write_manifest(folder, manifest)
    return manifest


def _unfinished(chatbot: Chatbot, wanted: Manifest) -> Path | None:
    same = ("systems", "repeats", "metrics", "judge")
    for folder, kept in list_runs(chatbot.settings.data_dir):
        alike = all(getattr(kept, name) == getattr(wanted, name) for name in same)
        wanted_too = kept.state is not RunState.DONE and alike and not differences(kept, wanted)
        if wanted_too and not is_going_on(folder):
            return folder
    return None


def _new_folder(chatbot: Chatbot, plan: Plan, manifest: Manifest) -> Path:
    folder = runs_folder(chatbot.settings.data_dir)
    name = f"{manifest.started:%Y%m%d-%H%M%S}-{plan.gold.stem}"
    names = (name, *(f"{name}-{number}" for number in range(2, 100)))
    return next(folder / name for name in names if not (folder / name).exists())
