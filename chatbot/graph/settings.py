"""The settings of the question graph (GraphContextGen)."""

from pydantic import BaseModel, field_validator

from corpora.settings import advanced


class GraphSettings(BaseModel):
    """The edges between questions, the number shown, and the extractors of their relations."""

    graph_threshold: float = advanced(
        0.55,
        "question graph of GraphContextGen: the cosine above which two questions are joined; the "
        "paper has 0.8, at which [MiniLM joins hardly any](decisions/0022-question-graph.md)",
        gt=0,
        lt=1,
    )
    graph_questions: int = advanced(
        2, "k of GraphContextGen: related questions that are shown to the model", ge=1
    )
    graph_rebel: str | None = advanced(
        None,
        "REBEL reads relations too: a folder, or a model of the Hub such as "
        "`Babelscape/rebel-large` (extra `hf`; its weights are for non-commercial use)",
    )
    graph_wikidata: str = advanced(
        "",
        "the profiles `textcontextgen` and `graphcontextgen` ask this SPARQL service too how "
        "things are related, and so send names to it ([what leaves the machine]"
        "(operations.md#what-leaves-the-machine)): `https://query.wikidata.org/sparql`, or that "
        "of a copy in your network; empty: off",
    )
    graph_wikidata_contact: str = advanced(
        "", "an e-mail or web address of yours, which Wikimedia asks every program to send along"
    )

    @field_validator("graph_wikidata")
    @classmethod
    def _is_a_web_address(cls, url: str) -> str:
        if url and not url.startswith(("https://", "http://")):
            raise ValueError(
                f"{url} is not a web address; that of Wikidata itself is "
                "https://query.wikidata.org/sparql"
            )
        return url

    @field_validator("graph_wikidata_contact")
    @classmethod
    def _fits_into_a_header(cls, contact: str) -> str:
        if not (contact.isascii() and contact.isprintable()):
            raise ValueError("only ASCII letters can be sent: give an e-mail or web address")
        return contact
