"""The judge: a language model that gives structured verdicts on what it is shown."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

from chatbot.runtime.model_calls import ask_for, next_token_probabilities
from chatbot.turn import ModelCall
from prompts import as_data, render

Reply = TypeVar("Reply", bound=BaseModel)
Result = TypeVar("Result")

UNREADABLE = "unreadable"
"""What `unscored` begins with where the judge gave no verdict that can be read."""
NOT_SHOWN = "the system does not show it"
"""What `unscored` says where a system does not show what is judged."""
NOT_APPLICABLE = "does not apply"
"""What `unscored` begins with where there is nothing to judge."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with what it is held against; all texts are data of any origin.

    `question` is as it was asked, with the conversation before it (`GoldQuestion.in_conversation`).
    `context` is what generation was given, best first; `opaque`: nobody knows that. `gold` is the
    checked answer, `facts` what a complete answer states, where the gold question lists it.
    `answerable`: the documentation says it. `cited`: each sentence, with the texts that its marks
    cite; none where it has no mark.
    """

    question: str
    answer: str
    context: tuple[str, ...] = ()
    gold: str | None = None
    answerable: bool = True
    refused: bool = False
    facts: tuple[str, ...] = ()
    cited: tuple[tuple[str, tuple[str, ...]], ...] = ()
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """What a metric says of one answer: 0 to 1, and why; None only with `unscored` filled in."""

    metric: str
    score: float | None
    reason: str = ""
    unscored: str = ""

    @property
    def lacks_score(self) -> bool:
        """Whether there is something to judge, and no score all the same."""
        return self.score is None and not self.unscored.startswith(NOT_APPLICABLE)

    @property
    def unreadable(self) -> bool:
        """Whether the judge failed, and not merely had nothing to judge."""
        return self.unscored.startswith(UNREADABLE)


class Unscored(Exception):
    """There is no score; the message is what `JudgeScore.unscored` says."""


@dataclass(slots=True)
class Spent:
    """What a judge has used until now."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


class Judge:
    """Asks `model`, at most `concurrency` calls at once; an identical prompt is asked once.

    `name` is the model's for reports; `itself`: it also wrote the answers.
    """

    def __init__(
        self, model: BaseChatModel, *, name: str = "", itself: bool = False, concurrency: int = 8
    ) -> None:
        self.name = name
        self.itself = itself
        self.spent = Spent()
        self._model = model
        self._places = asyncio.Semaphore(concurrency)
        self._locks: defaultdict[object, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._known: dict[object, Any] = {}
        self._tells_probabilities: bool | None = None

    async def ask(
        self,
        prompt: str,
        sections: Mapping[str, str],
        form: type[Reply],
        *,
        max_tokens: int,
        check: Callable[[Reply], None] = lambda reply: None,
    ) -> Reply:
        """The judge's reply to a prompt filled with sections of data.

        Raises Unscored for a second reply that `form` and `check` do not accept and for a prompt
        that is too long, GeneratorError for a model that cannot be asked.
        """
        messages = tuple(render(prompt, **sections))

        async def made() -> Reply | str:
            reply, calls = await ask_for(
                self._model, messages, form, step=prompt, max_tokens=max_tokens, check=check
            )
            self._count(calls)
            return reply or f"{UNREADABLE}: {calls[-1].problem}"

        reply = await self._once(messages, made)
        if isinstance(reply, str):
            raise Unscored(reply)
        return reply

    async def expected(
        self,
        prompt: str,
        sections: Mapping[str, str],
        scores: Sequence[int],
        *,
        said: str,
        request: str,
    ) -> float | None:
        """The expectation over `scores`, each one token, after what the judge `said` (G-Eval).

        Their probabilities are renormalised. None where the model tells none, which the first
        call shows; no other is made then.
        """
        ahead = (*render(prompt, **sections), ("assistant", as_data(said)), ("user", request))

        async def made() -> float | None:
            words = [str(score) for score in scores]
            likely, calls = await next_token_probabilities(self._model, [ahead], words, step=prompt)
            self._count(calls)
            weights = [(likely[0] or {}).get(word, 0.0) for word in words]
            if not sum(weights):
                return None
            pairs = zip(weights, scores, strict=True)
            return sum(weight * score for weight, score in pairs) / sum(weights)

        if self._tells_probabilities is None:
            async with self._locks["the first"]:
                if self._tells_probabilities is None:
                    first = await self._once(ahead, made)
                    self._tells_probabilities = first is not None
        return await self._once(ahead, made) if self._tells_probabilities else None

    async def _once(self, prompt: object, made: Callable[[], Awaitable[Result]]) -> Result:
        async with self._locks[prompt]:
            if prompt not in self._known:
                async with self._places:
                    self._known[prompt] = await made()
            known: Result = self._known[prompt]
            return known

    def _count(self, calls: Sequence[ModelCall]) -> None:
        self.spent.calls += len(calls)
        self.spent.prompt_tokens += sum(call.prompt_tokens for call in calls)
        self.spent.completion_tokens += sum(call.completion_tokens for call in calls)
        self.spent.seconds += sum(call.seconds for call in calls)
