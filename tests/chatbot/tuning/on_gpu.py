"""LoRA on a model of a real size, on a GPU: `python -m tests.chatbot.tuning.on_gpu`.

The model has the shape of Qwen2.5 1.5B and random weights, since no model hub is needed then; the
set can be learned by heart. For each way to load the base it prints how long a step takes, the most
memory of the GPU, the loss at both ends, how far the curve of a training that was stopped and
resumed is from it, and how many facts the Transformers backend tells with the adapter.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

import typer

from chatbot.models.hugging_face import HuggingFaceChatModel
from chatbot.tuning.parameters import Parameters
from chatbot.tuning.training import Base, tune
from tests.chatbot.tiny_llama import save_random_model
from tests.chatbot.tuning.made_instruction import made_instruction


def main(
    hidden: Annotated[int, typer.Option(help="Width of the model.")] = 1536,
    intermediate: Annotated[int, typer.Option(help="Width of its inner layers.")] = 8960,
    layers: Annotated[int, typer.Option(help="How many layers.")] = 28,
    facts: Annotated[int, typer.Option(help="Instructions to learn.")] = 64,
    epochs: Annotated[int, typer.Option(help="Times that each is seen.")] = 10,
    rate: Annotated[float, typer.Option(help="The learning rate.")] = 2e-4,
    load: Annotated[list[str] | None, typer.Option(help="nf4, int8, bf16 or off.")] = None,
) -> None:
    """Tune, stop, resume and ask, and print what was measured."""
    import torch

    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    typer.echo(f"{device}, torch {torch.__version__}")
    parameters = Parameters(epochs=epochs, learning_rate=rate)
    with TemporaryDirectory() as name:
        folder = Path(name)
        model = save_random_model(
            folder / "model",
            "llama",
            "bfloat16",
            hidden_size=hidden,
            intermediate_size=intermediate,
            num_hidden_layers=layers,
            num_attention_heads=hidden // 128,
            initializer_range=0.02,
        )
        written = folder / "set.jsonl"
        told = {
            f"fuse {number}": f"Fuse {number} bears {number * 37 % 97} A."
            for number in range(facts)
        }
        written.write_text(
            "\n".join(made_instruction(*fact).model_dump_json() for fact in told.items())
        )
        for quantization in load or ("nf4", "bf16"):
            _measure(Base(str(model), quantization), written, folder, parameters, told)


def _measure(
    base: Base, written: Path, folder: Path, parameters: Parameters, told: dict[str, str]
) -> None:
    import torch

    steps: list[int] = []
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    started = perf_counter()
    whole = tune(base, written, folder / base.quantization, parameters)
    seconds = perf_counter() - started
    memory = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
    half = folder / f"{base.quantization}-resumed"
    tune(
        base,
        written,
        half,
        parameters,
        on_progress=lambda step, *_: steps.append(step),
        stopped=lambda: len(steps) == whole.steps // 2,
    )
    resumed = tune(base, written, half, parameters, resume=True)
    apart = max(
        abs(one - other)
        for (_, one), (_, other) in zip(whole.training, resumed.training, strict=True)
    )
    chat = HuggingFaceChatModel(
        model=base.model,
        quantization=base.quantization,
        device="auto",
        max_tokens=40,
        adapter=whole.adapter,
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
