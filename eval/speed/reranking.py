"""How long a cross-encoder takes for the passages of a question: `python -m eval.speed.reranking`.

The model is made here: a BERT of 20 million random weights (six layers of 384), quantized to int8
as published ones are, since time depends on shapes alone. Passages are search chunks of Python's
own reference, the words of its tokenizer are learned from the same text. Needs the package `onnx`.
"""

import logging
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from pydoc_data.topics import topics
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from corpora.indexing.cross_encoder import BEST, CrossEncoder
from corpora.indexing.dual_chunking import search_chunks
from corpora.indexing.onnx_session import Runtime
from ingestion.page import Block, BlockKind, Page

WORDS, SIZE, INNER, HEADS, LAYERS, LONGEST = 24_000, 384, 1536, 12, 6, 512
_LEARNED = 4_000
"""Words that are learned: a token is then some four characters long, as with published models."""
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")

QUERY = "How many connections does a pool keep open by default?"


def sample_texts(count: int) -> list[str]:
    """Return search chunks of Python's own reference, the same on every machine."""
    text = "\n\n".join(topics[name] for name in sorted(topics))
    page = Page(1, (Block(BlockKind.PARAGRAPH, text),))
    chunks = [chunk.text for chunk in search_chunks(page)]
    return chunks[:: max(1, len(chunks) // count)][:count]


def save_tokenizer(folder: Path) -> Any:
    """Write a WordPiece tokenizer for pairs, learned from Python's reference; return it."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token=_SPECIAL[1]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=_LEARNED, special_tokens=list(_SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(topics.values(), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer


def save_model(folder: Path, layers: int = LAYERS) -> int:
    """Write a BERT with a head of one number in int8; return how many weights it has."""
    from onnx import TensorProto, helper, numpy_helper, save
    from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]

    random = np.random.default_rng(1)
    nodes: list[Any] = []
    constants: list[Any] = []

    def given(name: str, value: Any, kind: Any = np.float32) -> str:
        constants.append(numpy_helper.from_array(np.array(value, kind), name))
        return name

    def weights(name: str, *shape: int) -> str:
        return given(name, random.normal(0, 0.02, shape))

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def linear(x: str, name: str, rows: int, columns: int) -> str:
        product = node("MatMul", x, weights(f"{name}.weight", rows, columns))
        return node("Add", product, weights(f"{name}.bias", columns))

    def normed(x: str, name: str) -> str:
        scale = given(f"{name}.scale", np.ones(SIZE))
        return node("LayerNormalization", x, scale, weights(f"{name}.bias", SIZE), epsilon=1e-12)

    def gelu(x: str) -> str:
        erf = node("Erf", node("Div", x, given(f"root_{x}", 2**0.5)))
        half = node("Mul", x, given(f"half_{x}", 0.5))
        return node("Mul", half, node("Add", erf, given(f"one_{x}", 1.0)))

    apart = given("apart", [0, 0, HEADS, SIZE // HEADS], np.int64)
    joined = given("joined", [0, 0, SIZE], np.int64)

    def heads(x: str, *order: int) -> str:
        return node("Transpose", node("Reshape", x, apart), perm=order)

    length = node("Gather", node("Shape", "input_ids"), given("second", 1, np.int64))
    first, step = given("first", 0, np.int64), given("step", 1, np.int64)
    places = node("Range", first, length, step)
    x = node("Gather", weights("words", WORDS, SIZE), "input_ids")
    x = node("Add", x, node("Gather", weights("places", LONGEST, SIZE), places))
    x = node("Add", x, node("Gather", weights("kinds", 2, SIZE), "token_type_ids"))
    x = normed(x, "embedded")
    seen = node("Unsqueeze", "attention_mask", given("axes", [1, 2], np.int64))
    hidden = node("Sub", given("all", 1.0), node("Cast", seen, to=TensorProto.FLOAT))
    masked = node("Mul", hidden, given("never", -1e4))
    for layer in range(layers):
        q, k, v = (linear(x, f"{layer}.{part}", SIZE, SIZE) for part in "qkv")
        scores = node("MatMul", heads(q, 0, 2, 1, 3), heads(k, 0, 2, 3, 1))
        scaled = node("Div", scores, given(f"{layer}.scale", (SIZE / HEADS) ** 0.5))
        likely = node("Softmax", node("Add", scaled, masked), axis=-1)
        mixed = node("MatMul", likely, heads(v, 0, 2, 1, 3))
        back = node("Reshape", node("Transpose", mixed, perm=(0, 2, 1, 3)), joined)
        x = normed(node("Add", x, linear(back, f"{layer}.out", SIZE, SIZE)), f"{layer}.attention")
        up = gelu(linear(x, f"{layer}.up", SIZE, INNER))
        x = normed(node("Add", x, linear(up, f"{layer}.down", INNER, SIZE)), f"{layer}.whole")
    begin = node("Gather", x, given("begin", 0, np.int64), axis=1)
    nodes.append(helper.make_node("Identity", [linear(begin, "head", SIZE, 1)], ["logits"]))
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        nodes,
        "cross-encoder",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        constants,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    # It recommends to prepare the model, which random weights do not need.
    logging.getLogger().setLevel(logging.ERROR)
    whole, small = folder / "float.onnx", folder / "model_int8.onnx"
    save(made, whole)
    quantize_dynamic(whole, small, weight_type=QuantType.QInt8)
    whole.unlink()
    return sum(numpy_helper.to_array(c).size for c in constants)


def main(
    passages: Annotated[int, typer.Option(min=1, help="How many are scored.")] = BEST,
    threads: Annotated[int, typer.Option(min=1, help="Of the runtime.")] = 2,
    rounds: Annotated[int, typer.Option(min=1)] = 9,
    batch: Annotated[list[int] | None, typer.Option(min=1, help="Passages read at once.")] = None,
) -> None:
    """Print the median, the best and the longest time of all passages, in milliseconds.

    Behind them stands the median of the processor alone, of all threads together: what two idle
    cores take is half of it or more.
    """
    texts = sample_texts(passages)
    runtimes: list[Runtime] = ["onnxruntime"]
    if find_spec("openvino"):
        runtimes.append("openvino")
    table = Table("runtime", "batch", "median, ms", "best", "longest", "processor")
    with TemporaryDirectory(prefix="strata-bench-") as work:
        folder = Path(work)
        tokenizer = save_tokenizer(folder)
        weights = save_model(folder)
        lengths = [len(tokenizer.encode(QUERY, text).ids) for text in texts]
        for runtime in runtimes:
            for size in batch or [1, 2, 8]:
                encoder = CrossEncoder(folder, threads, batch=size, runtime=runtime)
                encoder.score(QUERY, texts)  # loads the model
                measured = [_milliseconds(encoder, texts) for _ in range(rounds)]
                times, of_cores = zip(*measured, strict=True)
                figures = (f"{f(times):.0f}" for f in (median, min, max))
                table.add_row(runtime, str(size), *figures, f"{median(of_cores):.0f}")
    console = Console()
    console.print(
        f"{weights / 1e6:.1f} million weights in int8, {threads} threads; {len(texts)} passages, "
        f"with the question {min(lengths)} to {max(lengths)} tokens, {median(lengths):.0f} mostly"
    )
    console.print(table)


def _milliseconds(encoder: CrossEncoder, texts: Sequence[str]) -> tuple[float, float]:
    began, busy = perf_counter(), process_time()
    encoder.score(QUERY, texts)
    return 1000 * (perf_counter() - began), 1000 * (process_time() - busy)


if __name__ == "__main__":
    typer.run(main)
