"""LoRA on an instruction set, by trl's SFT trainer (GraphContextGen, appendix A.1, table 5)."""

import hashlib
import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chatbot.errors import TuningError
from chatbot.models.network import Network, Quantization, gpu_is_there, load_network
from chatbot.tuning.instructions import Instruction, Split, read_instructions, require_extras
from chatbot.tuning.loss_curve import Points, loss_curve
from chatbot.tuning.parameters import Parameters

RECORD = "tuning.json"
CURVE = "loss.svg"
_CHECKPOINTS = "checkpoints"
_WHOLE_EPOCH = 1e-6
_IGNORED = -100
"""The label of a token that the loss does not count."""


@dataclass(frozen=True)
class Base:
    """The model that is tuned, and how it is loaded where there is a GPU."""

    model: str
    quantization: Quantization = "nf4"
    device: str = "auto"
    offline: bool = False


OnProgress = Callable[[int, int, float | None], None]
"""A callback for progress: the step, the number of steps, and the loss."""


@dataclass(frozen=True)
class TuningReport:
    """The result of a training: the folder of the adapter, and the losses by step.

    One that is not `finished` was stopped; it was `stopped_early` where the validation loss fell no
    more. `too_long` counts the instructions that did not fit.
    """

    adapter: str
    finished: bool
    steps: int
    instructions: int
    validation_instructions: int
    too_long: int
    stopped_early: bool
    resumed_at: int
    training: Points
    validation: Points


def tune(
    base: Base,
    file: Path,
    folder: Path,
    parameters: Parameters,
    *,
    resume: bool = False,
    on_progress: OnProgress = lambda step, steps, loss: None,
    stopped: Callable[[], bool] = lambda: False,
) -> TuningReport:
    """Tune a model on the training split of a file; adapter and loss curve go to `folder`.

    A checkpoint is written after each epoch, and where `stopped` says so; with `resume` it goes on
    from the last one. Raises TuningError and GeneratorError.
    """
    require_extras("datasets", "peft", "trl")
    instructions = read_instructions(file)
    origin = _origin(base, file, parameters)
    _check_folder(folder, origin, resume=resume)
    quantization = base.quantization if gpu_is_there() and base.device != "cpu" else "off"
    network = load_network(base.model, quantization, base.device, base.offline)
    training, validation = (
        _tokens(network, instructions, split, parameters.longest)
        for split in (Split.TRAIN, Split.VALIDATION)
    )
    wanted = sum(instruction.split != Split.HELD_BACK for instruction in instructions)
    if not training:
        raise TuningError(
            f"{file} has no instruction of the split “train” that fits into {base.model}: export "
            "a larger set, or raise --longest"
        )
    checkpoints = folder / _CHECKPOINTS
    # What was not written to its end has no state.
    written = checkpoints.glob("checkpoint-*/trainer_state.json")
    last = max((int(path.parent.name.rpartition("-")[2]) for path in written), default=0)
    with warnings.catch_warnings():
        # What these libraries tell each other of names that will go.
        warnings.simplefilter("ignore", FutureWarning)
        watcher = _watcher(folder, on_progress, stopped)
        trainer = _trainer(network, training, validation, folder, parameters, watcher)
        _write_record(folder, {"origin": origin})
        try:
            trainer.train(
                resume_from_checkpoint=str(checkpoints / f"checkpoint-{last}") if last else None
            )
        except (RuntimeError, MemoryError, OSError) as error:
            raise TuningError(
                f"the training of {base.model} failed: {error}. If memory is short, take a smaller "
                "--batch and a larger --accumulation in another folder"
            ) from error
    curves = _curves(trainer.state.log_history)
    whole = trainer.state.global_step >= trainer.state.max_steps
    report = TuningReport(
        adapter=str(folder),
        finished=whole or not watcher.stopped,
        steps=trainer.state.global_step,
        instructions=len(training),
        validation_instructions=len(validation),
        too_long=wanted - len(training) - len(validation),
        stopped_early=not whole and not watcher.stopped,
        resumed_at=last,
        training=curves[0],
        validation=curves[1],
    )
    if report.finished:
        trainer.save_model(str(folder))
    (folder / CURVE).write_text(loss_curve(*curves), "utf-8")
    _write_record(folder, {"origin": origin, **asdict(report)})
    return report


def _origin(base: Base, file: Path, parameters: Parameters) -> dict[str, Any]:
    """The inputs of a training, which can be resumed with the same ones only."""
    return {
        "model": base.model,
        "quantization": base.quantization,
        "set": hashlib.sha256(file.read_bytes()).hexdigest(),
        **asdict(parameters),
    }


def _check_folder(folder: Path, origin: dict[str, Any], *, resume: bool) -> None:
    """Raise TuningError where a folder holds another training, or one that is not resumed."""
    record = folder / RECORD
    if not record.exists():
        return
    if not resume:
        raise TuningError(
            f"{folder} already holds a training run: add --resume, or name another folder"
        )
    try:
        before = json.loads(record.read_text("utf-8"))["origin"]
    except (ValueError, KeyError, TypeError) as error:
        raise TuningError(f"{record} is damaged: name another folder") from error
    if changed := [name for name, value in origin.items() if before.get(name) != value]:
        raise TuningError(
            f"{folder} was begun with another {' and another '.join(changed)}: resume it with the "
            "same, or name another folder"
        )


def _write_record(folder: Path, record: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD).write_text(json.dumps(record, indent=1), "utf-8")


def _tokens(
    network: Network, instructions: Sequence[Instruction], split: Split, longest: int | None
) -> list[dict[str, list[int]]]:
    """The instructions of a split that fit, as tokens: the loss is that of the reply alone."""
    limit = network.context if longest is None else min(longest, network.context)
    examples = []
    for instruction in instructions:
        if instruction.split is split:
            messages = [message.model_dump() for message in instruction.messages[:-1]]
            prompt, reply = network.encode(messages), network.encode_reply(instruction.reply)
            if len(prompt) + len(reply) <= limit:
                labels = [_IGNORED] * len(prompt) + reply
                examples.append({"input_ids": prompt + reply, "labels": labels})
    return examples


def _trainer(
    network: Network,
    training: list[dict[str, list[int]]],
    validation: list[dict[str, list[int]]],
    folder: Path,
    parameters: Parameters,
    watcher: Any,
) -> Any:
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import EarlyStoppingCallback
    from transformers.trainer_callback import PrinterCallback
    from trl import SFTConfig, SFTTrainer

    on_gpu = network.network.device.type == "cuda"
    arguments = SFTConfig(
        output_dir=str(folder / _CHECKPOINTS),
        num_train_epochs=parameters.epochs,
        per_device_train_batch_size=parameters.batch,
        per_device_eval_batch_size=parameters.batch,
        gradient_accumulation_steps=parameters.accumulation,
        learning_rate=parameters.learning_rate,
        weight_decay=parameters.weight_decay,
        max_grad_norm=parameters.max_grad_norm,
        lr_scheduler_type="cosine",
        warmup_steps=parameters.warmup,
        optim="paged_adamw_32bit" if on_gpu else "adamw_torch",
        bf16=on_gpu,
        use_cpu=not on_gpu,
        activation_checkpointing=on_gpu,
        dataloader_pin_memory=on_gpu,
        logging_steps=1,
        eval_strategy="epoch" if validation else "no",
        save_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=bool(validation),
        metric_for_best_model="eval_loss" if validation else None,
        restore_callback_states_from_checkpoint=True,
        seed=parameters.seed,
        report_to="none",
        disable_tqdm=True,
        max_length=None,
        # The tokens are made as the backend makes them.
        dataset_kwargs={"skip_prepare_dataset": True},
    )
    callbacks = [watcher]
    if validation:
        callbacks.append(EarlyStoppingCallback(early_stopping_patience=parameters.patience))
    trainer = SFTTrainer(
        model=network.network,
        args=arguments,
        train_dataset=Dataset.from_list(training),
        eval_dataset=Dataset.from_list(validation) if validation else None,
        processing_class=network.tokenizer,
        peft_config=LoraConfig(
            r=parameters.rank,
            lora_alpha=parameters.alpha,
            lora_dropout=parameters.dropout,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        ),
        callbacks=callbacks,
    )
    # It prints every loss to standard output, where the result of the command belongs.
    trainer.remove_callback(PrinterCallback)
    return trainer


def _watcher(folder: Path, on_progress: OnProgress, stopped: Callable[[], bool]) -> Any:
    """A callback of the trainer: reports each step, plots each epoch, stops with a checkpoint."""
    from transformers import TrainerCallback

    class Watcher(TrainerCallback):  # type: ignore[misc]
        stopped = False

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            losses = [entry["loss"] for entry in state.log_history if "loss" in entry]
            on_progress(state.global_step, state.max_steps, losses[-1] if losses else None)
            if stopped():
                self.stopped = True
                control.should_save = control.should_training_stop = True

        def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if self.stopped and abs(state.epoch - round(state.epoch)) > _WHOLE_EPOCH:
                # An epoch that is not over yet counts neither for the curve nor for patience.
                control.should_evaluate = False
            (folder / CURVE).write_text(loss_curve(*_curves(state.log_history)), "utf-8")

    return Watcher()


def _curves(log: Sequence[dict[str, float]]) -> tuple[Points, Points]:
    """The losses of the training and of the validation, by step."""
    training, validation = (
        [(int(entry["step"]), entry[name]) for entry in log if name in entry]
        for name in ("loss", "eval_loss")
    )
    return training, validation
