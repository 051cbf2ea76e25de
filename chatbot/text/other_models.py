"""Text that goes to a language model which is not Strata's own, such as that of an editor."""

from typing import Any

from prompts.fencing import visible, without_control_tokens


def for_other_models(told: Any) -> Any:
    """Return what is told, no text in it with control tokens or with what nobody sees.

    Looks into dictionaries, lists and tuples.
    """
    match told:
        case str():
            return without_control_tokens(visible(told))
        case dict():
            return {name: for_other_models(value) for name, value in told.items()}
        case list() | tuple():
            return [for_other_models(value) for value in told]
    return told
