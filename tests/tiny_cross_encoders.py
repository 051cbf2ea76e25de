"""Cross-encoders small enough to build in a test; those of ONNX score by one word alone."""

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.chatbot.gguf_of_model import finish

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "watt", "fuse", "lamp", "draws", "12", "port")
WANTED = "watt"
"""The word whose occurrences in a passage, not in the question, are the score of the ONNX model."""


def tiny_tokenizer() -> Tokenizer:
    vocabulary = {word: i for i, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def save_onnx(folder: Path, *, classes: int = 1, name: str = "model.onnx") -> Path:
    """Write a model of three inputs whose logit is 2·(WANTED in the passage) − 1."""
    from onnx import TensorProto, helper, numpy_helper, save

    weights = np.zeros((len(WORDS), 1), np.float32)
    weights[WORDS.index(WANTED)] = 2.0
    ends = np.array([[-1.0, 1.0]] if classes == 2 else [[1.0] * classes], np.float32)
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["weights", "input_ids"], ["of_token"]),
            helper.make_node("Mul", ["attention_mask", "token_type_ids"], ["counted"]),
            helper.make_node("Cast", ["counted"], ["counts"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["counts", "last"], ["column"]),
            helper.make_node("Mul", ["of_token", "column"], ["of_passage"]),
            helper.make_node("ReduceSum", ["of_passage", "tokens"], ["sum"], keepdims=0),
            helper.make_node("Sub", ["sum", "one"], ["logit"]),
            helper.make_node("MatMul", ["logit", "ends"], ["logits"]),
        ],
        "score",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])],
        [
            numpy_helper.from_array(weights, "weights"),
            numpy_helper.from_array(np.array([2]), "last"),
            numpy_helper.from_array(np.array([1]), "tokens"),
            numpy_helper.from_array(np.array([1.0], np.float32), "one"),
            numpy_helper.from_array(ends, "ends"),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    save(made, path)
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def save_gguf(path: Path, *, embedder: bool = False) -> Path:
    """Write a BERT of one layer with random weights and a head that gives one number.

    As an `embedder` it pools by the mean instead.
    """
    from gguf import GGUFWriter

    words, size, inner = [*WORDS, "[MASK]"], 32, 64
    writer = GGUFWriter(path, "bert")
    writer.add_name("tiny")
    writer.add_context_length(128)
    writer.add_embedding_length(size)
    writer.add_feed_forward_length(inner)
    writer.add_block_count(1)
    writer.add_head_count(4)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_uint32("bert.pooling_type", 1 if embedder else 4)
    writer.add_array("bert.classifier.output_labels", ["LABEL_0"])
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([w if w.startswith("[") else f"▁{w}" for w in words])
    writer.add_token_types([3 if w.startswith("[") else 1 for w in words])
    writer.add_token_type_count(2)
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(3)
    writer.add_unk_token_id(1)
    writer.add_sep_token_id(3)
    writer.add_pad_token_id(0)
    writer.add_mask_token_id(len(words) - 1)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)
    random = np.random.default_rng(1)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.5, shape).astype(np.float32))

    def norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(size, np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(size, np.float32))

    tensor("token_embd.weight", len(words), size)
    tensor("position_embd.weight", 128, size)
    tensor("token_types.weight", 2, size)
    norm("token_embd_norm")
    for part in ("q", "k", "v", "output"):
        tensor(f"blk.0.attn_{part}.weight", size, size)
        tensor(f"blk.0.attn_{part}.bias", size)
    norm("blk.0.attn_output_norm")
    tensor("blk.0.ffn_up.weight", inner, size)
    tensor("blk.0.ffn_up.bias", inner)
    tensor("blk.0.ffn_down.weight", size, inner)
    tensor("blk.0.ffn_down.bias", size)
    norm("blk.0.layer_output_norm")
    tensor("cls.weight", size, size)
    tensor("cls.bias", size)
    tensor("cls.output.weight", 1, size)
    tensor("cls.output.bias", 1)
    finish(writer)
    return path
