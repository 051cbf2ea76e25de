"""A conversation becomes tokens, and tokens become text, with the tokenizer of a Hub model."""

from __future__ import annotations

import re
from typing import Any

from chatbot.models.errors import GeneratorError


class Vocabulary:
    """What the tokens of a model mean; `ends` are those that end an answer.

    `tokenizer` is Transformers' own, `published_ends` what the model's generation settings say.
    """

    def __init__(self, name: str, tokenizer: Any, published_ends: int | list[int] | None) -> None:
        self._name = name
        self._tokenizer = tokenizer
        published = published_ends if isinstance(published_ends, list) else [published_ends]
        self.ends = frozenset({*published, tokenizer.eos_token_id} - {None})
        special = {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special}
        longest_first = sorted(map(re.escape, special), key=len, reverse=True)
        self._marks = re.compile("|".join(longest_first) or "(?!)")
        self._names: dict[int, str] = {}

    def encode(self, messages: list[dict[str, Any]]) -> list[int]:
        """The tokens of a conversation, up to where the model is to answer.

        A mark of the chat template that stands in a message is broken by a space, so that no text
        can end its own message or begin another. Raises GeneratorError.
        """
        from jinja2 import TemplateError

        if not self._tokenizer.chat_template:
            raise GeneratorError(
                f"{self._name} has no chat template: choose a model tuned to follow instructions"
            )
        data = [message | {"content": self._as_text(message["content"])} for message in messages]
        try:
            tokens: list[int] = self._tokenizer.apply_chat_template(
                data, add_generation_prompt=True, return_dict=False
            )
        except TemplateError as error:
            raise GeneratorError(
                f"the chat template of {self._name} refuses this conversation: {error}"
            ) from error
        return tokens

    def _as_text(self, content: str) -> str:
        return self._marks.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", content)

    def decode(self, tokens: list[int]) -> str:
        """The text of tokens, without the model's own marks."""
        text: str = self._tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text

    def name_of(self, token: int) -> str:
        """The text of one token; several tokens may have the same."""
        if token not in self._names:
            self._names[token] = self._tokenizer.decode([token], clean_up_tokenization_spaces=False)
        return self._names[token]
