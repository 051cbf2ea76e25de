"""The real generator, loaded once for all tests that ask it."""

from functools import cache

from chatbot.models.embedded import EmbeddedChatModel
from chatbot.models.files import GENERATOR
from chatbot.settings import Settings


@cache
def generator() -> EmbeddedChatModel:
    model = EmbeddedChatModel(
        path=GENERATOR.path_in(Settings().models_dir), context=2048, slots=4, max_tokens=24
    )
    model.load()
    return model
