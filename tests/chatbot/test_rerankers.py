"""A reranker scores passages, whatever runs it; a question is answered where it fails."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from chatbot.chatbot import Chatbot
from chatbot.models.files import RERANKER_FILES, models_in_use
from chatbot.models.rerankers import GgufReranker, ServedReranker, open_reranker
from chatbot.retrieval.settings import KNOWN_RERANKERS
from chatbot.settings import read_settings
from corpora.errors import RerankerFailed
from corpora.indexing.cross_encoder import BEST, CrossEncoder
from ingestion.errors import BadSettings
from tests.chatbot import lamp
from tests.chatbot.small_server import raw, refuses, serving
from tests.tiny_cross_encoders import save_gguf, save_onnx

ASKED = "lamp watt"
PASSAGES = ["lamp", "watt " * 3 + "draws 12 port", "", "watt"]
LIKELY = [0.2689, 0.9933, 0.2689, 0.7311]
"""The sigmoid of 2·(number of "watt" in the passage) − 1."""
MakeChatbot = Callable[..., Chatbot]


@pytest.mark.parametrize("runtime", ["onnxruntime", "openvino"])
@pytest.mark.parametrize(
    ("classes", "name", "expected"),
    [
        (1, "model.onnx", LIKELY),
        # The margin of two classes is twice the logit.
        (2, "onnx/model_quantized.onnx", [0.1192, 0.99995, 0.1192, 0.8808]),
    ],
)
def test_a_cross_encoder_scores_each_passage_in_order(
    tmp_path: Path, runtime: str, classes: int, name: str, expected: list[float]
) -> None:
    made = CrossEncoder(
        save_onnx(tmp_path, classes=classes, name=name),
        runtime=runtime,  # type: ignore[arg-type]
        batch=3,
    )
    assert made.score(ASKED, PASSAGES) == pytest.approx(expected, abs=1e-3)
    assert made.score(ASKED, []) == []


def test_a_long_passage_is_cut_and_the_question_is_not(tmp_path: Path) -> None:
    save_onnx(tmp_path)
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 12}')
    made = CrossEncoder(tmp_path)
    (cut,) = made.score("lamp port lamp port", ["watt " * 900])
    # Twelve tokens less [CLS], [SEP], the question's four and the last [SEP].
    assert cut == pytest.approx(1.0, abs=1e-3)
    assert made.score("lamp port lamp port", ["lamp " * 5 + "watt"])[0] < 0.5


def test_a_question_longer_than_what_the_model_takes_leaves_room_for_the_passage(
    tmp_path: Path,
) -> None:
    made = CrossEncoder(save_onnx(tmp_path))
    assert made.score("lamp " * 600, PASSAGES) == pytest.approx(LIKELY, abs=1e-3)
    # Half of 512 tokens and three special ones are taken.
    assert made.score("lamp " * 600, ["lamp " * 252 + "watt"])[0] > 0.5
    assert made.score("lamp " * 600, ["lamp " * 253 + "watt"])[0] < 0.5


def test_a_tokenizer_that_fails_on_a_text_is_told(tmp_path: Path) -> None:
    tokenizer = json.loads((save_onnx(tmp_path) / "tokenizer.json").read_text("utf-8"))
    tokenizer["model"]["unk_token"] = "[gone]"
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    with pytest.raises(RerankerFailed, match="could not score passages"):
        CrossEncoder(tmp_path).score("a word that it does not have", ["lamp"])


def test_a_model_that_fails_on_its_input_is_told(tmp_path: Path) -> None:
    tokenizer = json.loads((save_onnx(tmp_path) / "tokenizer.json").read_text("utf-8"))
    tokenizer["model"]["vocab"]["lamp"] = 9_999
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    with pytest.raises(RerankerFailed, match="could not score passages"):
        CrossEncoder(tmp_path, runtime="onnxruntime").score(ASKED, ["lamp"])


@pytest.mark.parametrize(
    ("spoilt", "reason"),
    [
        (lambda folder: (folder / "model.onnx").unlink(), "does not hold a reranker: it needs"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "does not hold a reranker: it needs"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"x"), "cannot be loaded"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be loaded"),
        (lambda folder: save_onnx(folder, classes=3), r"no cross-encoder: it gives \(1, 3\)"),
    ],
)
def test_a_folder_that_holds_none_is_told(
    tmp_path: Path, spoilt: Callable[[Path], object], reason: str
) -> None:
    spoilt(save_onnx(tmp_path))
    with pytest.raises(RerankerFailed, match=reason):
        CrossEncoder(tmp_path).score(ASKED, ["lamp"])


def test_a_gguf_file_scores_each_passage_in_order(tmp_path: Path) -> None:
    made = GgufReranker(save_gguf(tmp_path / "tiny.gguf"))
    together = made.score(ASKED, PASSAGES)
    assert all(0 <= score <= 1 for score in together)
    alone = [made.score(ASKED, [passage])[0] for passage in PASSAGES]
    assert together == pytest.approx(alone, abs=1e-3)
    assert len(set(alone)) > 1
    # What exceeds the context is left out.
    long = [PASSAGES[0], "watt " * 400]
    assert made.score(ASKED, long)[0] == pytest.approx(alone[0], abs=1e-3)


@pytest.mark.parametrize(
    ("file", "reason"), [("gone.gguf", "there is no file"), ("bad.gguf", "could not be loaded")]
)
def test_a_gguf_file_that_is_none_is_told(tmp_path: Path, file: str, reason: str) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF")
    with pytest.raises(RerankerFailed, match=reason):
        GgufReranker(tmp_path / file).score(ASKED, ["lamp"])


@pytest.mark.parametrize(
    "reply",
    [
        {"results": [{"index": 1, "relevance_score": 0.75}, {"index": 0, "relevance_score": 0.25}]},
        [{"index": 1, "score": 0.75, "text": "watt"}, {"index": 0, "score": 0.25}],
    ],
)
def test_a_server_is_understood_in_both_dialects(reply: object) -> None:
    with serving(raw(json.dumps(reply), "application/json")) as server:
        made = ServedReranker(f"{server.url}/rerank", SecretStr("a-key"))
        assert made.score(ASKED, ["lamp", "watt"]) == [0.25, 0.75]
    (body,) = server.bodies
    assert body["query"] == ASKED
    assert body["documents"] == body["texts"] == ["lamp", "watt"]
    assert server.keys == ["Bearer a-key"]


def test_logits_of_a_server_become_scores() -> None:
    reply = json.dumps({"results": [{"index": 0, "relevance_score": -3.0}]})
    with serving(raw(reply, "application/json")) as server:
        (score,) = ServedReranker(server.url, None).score(ASKED, ["lamp"])
    assert score == pytest.approx(0.0474, abs=1e-3)
    assert server.keys == [None]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (raw("<html>", "text/html"), "gave no scores"),
        (raw('{"results": [{"index": 1, "score": 1}]}', "application/json"), "scored 0 of 1"),
        (raw('{"results": [{"index": 0, "score": NaN}]}', "application/json"), "scored 0 of 1"),
        (raw('{"error": "x"}', "application/json"), "gave no scores of passages"),
        (refuses(500), "gave no scores"),
    ],
)
def test_a_server_that_gives_no_scores_is_told(answer: Callable[..., None], reason: str) -> None:
    with serving(answer) as server, pytest.raises(RerankerFailed, match=reason) as raised:
        ServedReranker(server.url, SecretStr("a-key")).score(ASKED, ["lamp"])
    assert "a-key" not in str(raised.value)


def test_a_dead_server_is_told_without_the_secrets_in_its_address() -> None:
    made = ServedReranker("http://me:word@127.0.0.1:9/rerank?token=t", None)
    with pytest.raises(RerankerFailed, match=r"127\.0\.0\.1:9/rerank gave no scores") as raised:
        made.score(ASKED, ["lamp"])
    assert "word" not in str(raised.value)
    assert "token" not in str(raised.value)


def test_the_setting_says_what_reranks(tmp_path: Path) -> None:
    assert open_reranker(read_settings(), Path()) is None
    for chosen, kind in (
        (tmp_path, CrossEncoder),
        (save_gguf(tmp_path / "tiny.gguf"), GgufReranker),
        ("http://127.0.0.1:9/rerank", ServedReranker),
    ):
        assert isinstance(open_reranker(read_settings(reranker=str(chosen)), Path()), kind)
    with pytest.raises(BadSettings, match="no known or installed reranker, folder"):
        read_settings(reranker=str(tmp_path / "gone"))


class ByWord:
    """Scores passages by whether they hold a word; keeps what it was given."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.given: list[Sequence[str]] = []

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.given.append(passages)
        return [float(self.word in passage) for passage in passages]


class Dead:
    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        raise RerankerFailed("it is dead: start it")


QUESTION = "What is the default of dim_step in 2.0?"


def test_the_small_models_evidence_is_what_the_reranker_puts_first(
    lamp_chatbot: MakeChatbot,
) -> None:
    made = lamp_chatbot(lamp.model(lamp.answer("It is 5 %. [1]")), profile="embedded")
    reranker = ByWord("180 seconds")
    turn = replace(made, reranker=reranker).ask(QUESTION).turn
    assert made.ask(QUESTION).turn.selected[0].page.document.file == "brightness.md"
    assert turn.selected[0].page.document.file == "network.md"
    assert len(reranker.given) == 1
    assert 1 < len(reranker.given[0]) <= BEST


def test_a_capable_model_reads_first_what_the_reranker_puts_first(
    lamp_chatbot: MakeChatbot,
) -> None:
    model = lamp.model(lamp.reading(QUESTION, ("2.0", "2.0")), lamp.answer("It is 5 %. [1]"))
    made = lamp_chatbot(model, profile="direct")
    turn = replace(made, reranker=ByWord("400 ms")).ask(QUESTION).turn
    assert made.ask(QUESTION).turn.retrieved[0].page.document.file != "brightness.md"
    assert turn.retrieved[0].page.document.file == "brightness.md"


@pytest.mark.parametrize(
    ("profile", "step"), [("embedded", "context_reduction"), ("direct", "context_retrieval")]
)
def test_where_the_reranker_fails_the_answer_is_the_one_without_it(
    lamp_chatbot: MakeChatbot, profile: str, step: str
) -> None:
    model = lamp.model(lamp.reading(QUESTION, ("2.0", "2.0")), lamp.answer("It is 5 %. [1]"))
    made = lamp_chatbot(model, profile=profile)
    with_it = replace(made, reranker=Dead()).ask(QUESTION)
    assert with_it.content.answer == made.ask(QUESTION).content.answer
    assert [(f.step, f.reason) for f in with_it.content.fallbacks if f.step == step] == [
        (step, "it is dead: start it")
    ]


@pytest.mark.parametrize("name", KNOWN_RERANKERS)
def test_a_known_reranker_is_taken_from_the_models_folder(tmp_path: Path, name: str) -> None:
    settings = read_settings(reranker=name)
    with pytest.raises(RerankerFailed, match=f"strata models pull {name}"):
        open_reranker(settings, tmp_path)
    files = RERANKER_FILES[name]
    assert set(files) <= set(models_in_use("none", reranker=name))
    assert all((files[0].licence, files[0].size, files[0].memory_gb))
    if len(files) == 1:
        save_gguf(files[0].path_in(tmp_path))
    else:
        save_onnx(tmp_path / name)
    made = open_reranker(settings, tmp_path)
    assert made is not None
    assert len(made.score(ASKED, PASSAGES)) == len(PASSAGES)
