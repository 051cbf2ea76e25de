"""LoRA on a model of a real size, on a GPU: `python -m tests.chatbot.tuning.on_gpu`.

The model has the shape of Qwen2.5 1.5B and random weights, since no model hub is needed then; the
set can be learned by heart. For each way to load the base it prints how long a step takes, the most
memory of the GPU, the loss at both ends, how far the curve of a training that was stopped and
resumed is from it, and how many facts the Transformers backend tells with the adapter.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

import torch
import typer

from chatbot.models.hugging_face import HuggingFaceChatModel
from chatbot.tuning.parameters import Parameters
from chatbot.tuning.training import Base, tune
from tests.chatbot.tiny_llama import save_random_model
from tests.chatbot.tuning.made_instruction import made_instruction

SHAPE = {
    "hidden_size": 1536,
    "intermediate_size": 8960,
    "num_hidden_layers": 28,
    "num_attention_heads": 12,
    "initializer_range": 0.02,
}


def main(facts: Annotated[int, typer.Option(help="Instructions to learn.")] = 64) -> None:
    """Tune, stop, resume and ask, and print what was measured."""
    typer.echo(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    told = {f"fuse {n}": f"Fuse {n} bears {n * 37 % 97} A." for n in range(facts)}
    with TemporaryDirectory() as name:
        model = save_random_model(Path(name, "model"), "llama", "bfloat16", **SHAPE)
        written = Path(name, "set.jsonl")
        written.write_text("\n".join(made_instruction(*f).model_dump_json() for f in told.items()))
        for quantization in ("nf4", "bf16"):
            _measure(Base(str(model), quantization), written, told)


def _measure(base: Base, written: Path, told: dict[str, str]) -> None:
    parameters, steps = Parameters(epochs=10, learning_rate=2e-4), []
    torch.cuda.reset_peak_memory_stats()
    started = perf_counter()
    whole = tune(base, written, written.parent / base.quantization, parameters)
    seconds = perf_counter() - started
    memory = torch.cuda.max_memory_allocated() / 2**30
    half = written.parent / f"{base.quantization}-resumed"
    watched = {
        "on_progress": lambda step, *_: steps.append(step),
        "stopped": lambda: len(steps) == whole.steps // 2,
    }
    tune(base, written, half, parameters, **watched)
    resumed = tune(base, written, half, parameters, resume=True)
    both = zip(whole.training, resumed.training, strict=True)
    apart = max(abs(one - other) for (_, one), (_, other) in both)
    chat = HuggingFaceChatModel(
        model=base.model, quantization=base.quantization, max_tokens=40, adapter=whole.adapter
    )
    right = sum(chat.invoke(thing).content == fact for thing, fact in told.items())
    first, last = whole.training[0][1], whole.training[-1][1]
    typer.echo(
        f"{base.quantization}: {whole.steps} steps in {seconds:.0f} s, loading included, "
        f"at most {memory:.1f} GiB; loss {first:.3f} → {last:.4f}; resumed at step "
        f"{resumed.resumed_at} of {resumed.steps}, at most {apart:.4f} from the curve; "
        f"{right} of {len(told)} facts told"
    )


if __name__ == "__main__":
    typer.run(main)
