"""Embedders small enough to build in a test: texts that share words are near each other."""

import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

DIMENSION = 16


def save_onnx_embedder(
    folder: Path,
    words: str,
    *,
    pooling: str = "mean",
    prompts: dict[str, str] | None = None,
    longest: int = 64,
    seed: int = 1,
    inside: bool = False,
) -> Path:
    """Write an embedder that gives each of `words` a random vector, as sentence-transformers does.

    Its hidden states are those of the words alone; with `inside` the file pools by the sum itself.
    """
    from onnx import TensorProto, helper, numpy_helper, save

    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(words.lower().split())]
    rows = np.random.default_rng(seed).normal(0, 1, (len(known), DIMENSION)).astype(np.float32)
    rows[0] = 0
    nodes = [helper.make_node("Gather", ["rows", "input_ids"], ["hidden"])]
    output, shape = "hidden", ["batch", "length", DIMENSION]
    constants = [numpy_helper.from_array(rows, "rows")]
    if inside:
        nodes.append(helper.make_node("ReduceSum", ["hidden", "tokens"], ["sum"], keepdims=0))
        constants.append(numpy_helper.from_array(np.array([1]), "tokens"))
        output, shape = "sum", ["batch", DIMENSION]
    graph = helper.make_graph(
        nodes,
        "embed",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids",)
        ],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        constants,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    (folder / "1_Pooling").mkdir(exist_ok=True)
    save(made, folder / "onnx" / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, content in {
        "1_Pooling/config.json": {
            "word_embedding_dimension": DIMENSION,
            "pooling_mode_mean_tokens": pooling == "mean",
            "pooling_mode_cls_token": pooling == "cls",
            "pooling_mode_lasttoken": pooling == "lasttoken",
        },
        "sentence_bert_config.json": {"max_seq_length": longest},
        "config_sentence_transformers.json": {"prompts": prompts or {}},
        "modules.json": [{"type": "sentence_transformers.models.Pooling"}],
    }.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    return folder
