"""How each row of a batch is drawn, and what its caller hears; tensors come from the backend."""

from __future__ import annotations

from typing import Any

from chatbot.models.batching import Piece, Request
from chatbot.models.streamed_text import StreamedText
from chatbot.models.vocabulary import Vocabulary


class Row:
    """One answer of a batch, as far as it has come.

    `limit` is the most tokens it may have; `random` is a torch.Generator of this row alone, so
    that what it draws does not depend on the rows beside it.
    """

    def __init__(
        self, request: Request, prompt: list[int], limit: int, vocabulary: Vocabulary, random: Any
    ) -> None:
        self.request = request
        self.prompt = prompt
        self.limit = limit
        self._vocabulary = vocabulary
        self._random = random
        self._text = StreamedText(vocabulary.decode, request.sampling.stop)
        self._written = 0
        self._logprobs: tuple[dict[str, Any], ...] = ()

    def choose(self, seen: Any, scores: Any) -> Any:
        """Choose the next token; `seen` are the tokens so far, `scores` one for each there is.

        The repetition penalty divides positive scores of seen tokens and multiplies negative ones
        (CTRL, Keskar et al. 2019, Section 4.1). Log-probabilities are the model's own, before
        penalty and temperature.
        """
        sampling, chances = self.request.sampling, scores
        if (penalty := sampling.repetition_penalty) != 1:
            old = scores[seen]
            chances = scores.index_put((seen,), (old / penalty).where(old > 0, old * penalty))
        if sampling.greedy:
            token = chances.argmax()
        else:
            best = chances.topk(min(sampling.top_k or len(chances), len(chances)))
            # Differences to the best score stay finite at any temperature.
            shares = ((best.values - best.values[0]) / sampling.temperature).softmax(-1)
            token = best.indices[shares.multinomial(1, generator=self._random)][0]
        if sampling.top_logprobs is not None:
            self._logprobs += (self._logprobs_of(int(token), scores, sampling.top_logprobs),)
        return token

    def _logprobs_of(self, token: int, scores: Any, count: int) -> dict[str, Any]:
        logprobs, name = scores.log_softmax(-1), self._vocabulary.name_of
        best = logprobs.topk(min(count, len(logprobs)))
        ranked = zip(best.indices.tolist(), best.values.tolist(), strict=True)
        return {
            "token": name(token),
            "logprob": float(logprobs[token]),
            "top_logprobs": [{"token": name(other), "logprob": value} for other, value in ranked],
        }

    def take(self, token: int) -> None:
        """Tell the caller what the chosen token adds."""
        self._written += 1
        text, reason = "", None
        if token in self._vocabulary.ends:
            text, reason = self._text.finish(), "stop"
        else:
            text = self._text.add(token)
            if self._text.stopped:
                reason = "stop"
            elif self._written >= self.limit:
                text, reason = text + self._text.finish(), "length"
        if text or reason or self._logprobs:
            counts = (len(self.prompt), self._written) if reason else (0, 0)
            self.request.tell(Piece(text, self._logprobs, reason, *counts))
            self._logprobs = ()


class Decoding:
    """What Transformers' `generate` asks at every step: the rows' next tokens, and which are over.

    `padding` tells how many tokens of each row's beginning only fill it up on the left.
    """

    def __init__(self, rows: list[Row], padding: list[int]) -> None:
        self._rows = rows
        self._padding = padding

    def choose(self, tokens: Any, scores: Any) -> Any:
        """As a logits processor: scores (rows, vocabulary) that leave each row one token.

        `generate` itself then takes the likeliest, and rows of one batch may be drawn differently.
        """
        chosen = scores.argmax(-1)
        for index, row in enumerate(self._rows):
            if not row.request.over:
                seen = tokens[index, self._padding[index] :]
                chosen[index] = row.choose(seen, scores[index])
        return scores.new_full(scores.shape, float("-inf")).scatter(1, chosen[:, None], 0.0)

    def ended(self, tokens: Any, _scores: Any, **_: Any) -> Any:
        """As a stopping criterion: hand out the newest tokens; true for each row that is over."""
        for row, token in zip(self._rows, tokens[:, -1].tolist(), strict=True):
            if not row.request.over:
                row.take(token)
        return tokens.new_tensor([row.request.over for row in self._rows]).bool()
