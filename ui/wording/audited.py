"""What the audit log records, by the names of the actions for people."""

from chatbot.text.languages import gettext, gettext_noop

_ACTIONS = {
    "add source": gettext_noop("Add source"),
    "add term": gettext_noop("Add term"),
    "alias": gettext_noop("Alias"),
    "cancel job": gettext_noop("Cancel job"),
    "change term": gettext_noop("Change term"),
    "check": gettext_noop("Check"),
    "correct": gettext_noop("Correct"),
    "delete": gettext_noop("Delete"),
    "delete person": gettext_noop("Delete person"),
    "discard": gettext_noop("Discard"),
    "edit answer": gettext_noop("Edit answer"),
    "edit question": gettext_noop("Edit question"),
    "end of life": gettext_noop("End of life"),
    "end webhook": gettext_noop("End webhook"),
    "evaluate": gettext_noop("Evaluate"),
    "export": gettext_noop("Export"),
    "export person": gettext_noop("Export person"),
    "hide": gettext_noop("Hide"),
    "import answers": gettext_noop("Import answers"),
    "import glossary": gettext_noop("Import glossary"),
    "language of documents": gettext_noop("Language of documents"),
    "latest": gettext_noop("Latest"),
    "make key": gettext_noop("Make key"),
    "make release pack": gettext_noop("Make release pack"),
    "make webhook": gettext_noop("Make webhook"),
    "order": gettext_noop("Order"),
    "order questions": gettext_noop("Order questions"),
    "order release pack": gettext_noop("Order release pack"),
    "pre-release": gettext_noop("Pre-release"),
    "product admins": gettext_noop("Product admins"),
    "question accepted": gettext_noop("Accept question"),
    "question dropped": gettext_noop("Drop question"),
    "propose questions": gettext_noop("Propose questions"),
    "publish": gettext_noop("Publish"),
    "rate": gettext_noop("Rate"),
    "read again": gettext_noop("Read again"),
    "remove documents": gettext_noop("Remove documents"),
    "remove source": gettext_noop("Remove source"),
    "remove term": gettext_noop("Remove term"),
    "retire answer": gettext_noop("Retire answer"),
    "retry job": gettext_noop("Retry job"),
    "review": gettext_noop("Review"),
    "revoke key": gettext_noop("Revoke key"),
    "rights": gettext_noop("Rights"),
    "rollback": gettext_noop("Rollback"),
    "run source": gettext_noop("Run source"),
    "schedule source": gettext_noop("Schedule source"),
    "unpack release": gettext_noop("Unpack release"),
    "upload": gettext_noop("Upload"),
    "upload release pack": gettext_noop("Upload release pack"),
}


_DETAILS = {
    name.replace(" ", "_"): name
    for name in (
        *(gettext_noop("added"), gettext_noop("removed"), gettext_noop("changed")),
        *(
            gettext_noop("before"),
            gettext_noop("now"),
            gettext_noop("since"),
            gettext_noop("until"),
        ),
        *(gettext_noop("job"), gettext_noop("jobs"), gettext_noop("file"), gettext_noop("files")),
        *(gettext_noop("size"), gettext_noop("language"), gettext_noop("generation")),
        *(gettext_noop("consequences"), gettext_noop("signer"), gettext_noop("originals")),
        *(gettext_noop("term"), gettext_noop("synonyms"), gettext_noop("number")),
        *(gettext_noop("with model"), gettext_noop("known"), gettext_noop("left out")),
        *(gettext_noop("pair"), gettext_noop("characters"), gettext_noop("citations")),
        *(gettext_noop("format"), gettext_noop("run"), gettext_noop("kind"), gettext_noop("by")),
        *(gettext_noop("options"), gettext_noop("source")),
        *(gettext_noop("conversations"), gettext_noop("key"), gettext_noop("scopes")),
        *(gettext_noop("questions per minute"), gettext_noop("groups"), gettext_noop("state")),
        *(gettext_noop("came from"), gettext_noop("question"), gettext_noop("answer")),
        *(gettext_noop("product"), gettext_noop("release"), gettext_noop("rating")),
        *(gettext_noop("corrected answer"), gettext_noop("corrected release")),
        *(gettext_noop("note"), gettext_noop("status"), gettext_noop("assignee")),
        *(gettext_noop("in regression set"), gettext_noop("reason"), gettext_noop("words")),
    )
} | {"documents": gettext_noop("with documents")}


def detail_name(name: str) -> str:
    """The name of a detail; one that is not known by its own name."""
    return gettext(_DETAILS[name]) if name in _DETAILS else name.replace("_", " ")


def action_name(action: str) -> str:
    """The name of an action; one that is not known by its own name."""
    return gettext(_ACTIONS[action]) if action in _ACTIONS else action.capitalize()
