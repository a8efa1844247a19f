"""The loop: batches in, a trained model and the history of its losses out."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from tqdm.auto import tqdm

from transformer_lesson.config import ModelConfig
from transformer_lesson.training import checkpoints
from transformer_lesson.training.batches import TokenBatches
from transformer_lesson.training.config import TrainingConfig, learning_rate
from transformer_lesson.training.diverged import Diverged, bad_gradient, bad_output, bad_weight
from transformer_lesson.training.history import History
from transformer_lesson.training.interrupts import Interrupt, deferred_interrupt
from transformer_lesson.training.losses import Loss, Objective
from transformer_lesson.training.precision import Precision, computing_in, faster_precision
from transformer_lesson.training.processes import Processes, joined

Evaluate = Callable[[nn.Module], dict[str, float]]
BETAS, EPSILON = (0.9, 0.98), 1e-9  # Vaswani et al. 2017, section 5.3
# Seconds between two updates of the progress bar. Each sends several messages to the notebook; a
# runner that does not read them while a cell runs, such as nbval, loses some of many thousands.
_SHOW_EVERY = 0.5


def train(
    model: nn.Module,
    objective: Objective,
    batches: Callable[[int], Any],
    config: TrainingConfig,
    *,
    optimizer: torch.optim.Optimizer | None = None,
    evaluate: Evaluate | None = None,
    folder: str | Path | None = None,
    progress: bool = True,
) -> History:
    """Train ``model`` in place, and return what happened.

    Gradients are summed over the batches of a step and divided by the number of their tokens, so
    that a step is the same however it is split into batches or among processes. Under ``torchrun``
    each process works on its share of them; the first one evaluates, shows progress and writes.

    Args:
        model: its parameters are trained on the device that they are on; left in eval mode.
        objective: ``objective(model, batch)`` returns the sum of the losses, a 0-dim tensor, and
            the number of tokens that it sums over.
        batches: ``batches(number)`` returns the batch of that number, 0, 1, 2, … without end. It
            must depend on the number alone.
        config: how to train.
        optimizer: of all the parameters that are trained; in each step its learning rates become
            that of ``config``. By default Adam (Kingma & Ba 2015) as in Vaswani et al. 2017.
        evaluate: called with the model in eval mode, without gradients.
        folder: where the checkpoint is kept. If it holds one of this run, the run goes on there.
        progress: whether to show a bar with the loss and the tokens per second.

    Returns:
        The history. Ctrl-C ends the run after the step under way: nothing is lost,
        ``history.interrupted`` says so, and with a folder the same call goes on later.

    Raises:
        Diverged: the loss or a gradient is not finite; the message names the step and the first
            such tensor. The weights are those of the step before.
        CheckpointError: a checkpoint could not be written or read, or belongs to another run.
        TypeError: the optimizer is none, or ``batches`` is a list.
        ValueError: all batches of a step are padding, processes do not divide its batches,
            ``TokenBatches`` hold an id that the model does not know, or the optimizer holds other
            parameters.
    """
    if not callable(batches):
        raise TypeError(
            f"batches is a {type(batches).__name__}; expected a function from a number to the "
            "batch of that number, without end, such as lambda number: rows[number % len(rows)]."
        )
    made_from = getattr(model, "config", None)
    if isinstance(batches, TokenBatches) and isinstance(made_from, ModelConfig):
        # The model's layers do not look, and a GPU would name none.
        batches.check_vocabulary(made_from.vocab_size, made_from.source_vocab_size)
    device = next(model.parameters()).device
    with joined(device) as processes, deferred_interrupt() as interrupt:
        if config.batches_per_step % processes.count:
            raise ValueError(
                f"batches_per_step={config.batches_per_step} cannot be shared evenly by "
                f"{processes.count} processes."
            )
        optimizer = optimizer or torch.optim.Adam(
            _trained(model).values(), betas=BETAS, eps=EPSILON, fused=True
        )
        _check_optimizer(model, optimizer)
        run = _Run(model, objective, batches, config, optimizer, processes, device)
        keep = Path(folder) if folder is not None else None
        if keep:
            checkpoints.make_folder(keep)
            run.history = checkpoints.load(keep, model, run.optimizer, config)
        run.choose_precision()
        with tqdm(
            total=config.steps,
            initial=min(run.history.steps, config.steps),
            desc="training",
            unit="step",
            mininterval=_SHOW_EVERY,
            disable=not (progress and processes.first),
        ) as bar:
            _steps(run, evaluate, keep, interrupt, bar)
    model.eval()
    return run.history


def _trained(model: nn.Module) -> dict[str, nn.Parameter]:
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def _check_optimizer(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(
            f"the optimizer is of type {type(optimizer).__name__}; expected one of torch.optim, "
            "such as torch.optim.AdamW(model.parameters())."
        )
    held = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    for name, parameter in _trained(model).items():
        if id(parameter) not in held:
            raise ValueError(
                f"the optimizer does not hold {name}; give it all parameters of this model, and "
                "requires_grad_(False) to those that should stay as they are."
            )
    if surplus := len(held - {id(parameter) for parameter in model.parameters()}):
        raise ValueError(
            f"the optimizer holds {surplus} parameters of another model; make it from "
            "the parameters of this one."
        )


def _steps(
    run: "_Run", evaluate: Evaluate | None, folder: Path | None, interrupt: Interrupt, bar: tqdm
) -> None:
    """Take the steps that are left, with what comes between them."""
    config, history = run.config, run.history
    history.interrupted = False
    if history.steps == 0:
        _evaluate(run, evaluate)
    shown = time.perf_counter()
    while history.steps < config.steps and not history.interrupted:
        history.interrupted = run.step(interrupt)
        bar.update()
        if (now := time.perf_counter()) - shown > _SHOW_EVERY:
            shown = now
            bar.set_postfix_str(_text(history), refresh=False)
        last = history.steps == config.steps or history.interrupted
        if last or (config.evaluate_every and history.steps % config.evaluate_every == 0):
            _evaluate(run, evaluate)
        due = last or (config.save_every and history.steps % config.save_every == 0)
        if due and folder and run.processes.first:
            checkpoints.save(folder, run.model, run.optimizer, config, history)
    bar.set_postfix_str(_text(history) if history.steps else "")
    if history.interrupted:
        bar.set_description_str("stopped, and kept")


def _text(history: History) -> str:
    recent = slice(-20, None)
    tokens = sum(history.tokens[recent])
    pairs = zip(history.losses[recent], history.tokens[recent], strict=True)
    loss = sum(value * weight for value, weight in pairs) / tokens
    return f"loss {loss:.3f}, {history.tokens_per_second:,.0f} tokens/s"


def _evaluate(run: "_Run", evaluate: Evaluate | None) -> None:
    if evaluate is None or not run.processes.first:
        return
    run.model.eval()
    with torch.no_grad():
        run.history.evaluations.append((run.history.steps, evaluate(run.model)))


class _Bound(nn.Module):
    """Model and objective as one module, so that whatever the objective calls is shared out."""

    def __init__(self, model: nn.Module, objective: Objective) -> None:
        super().__init__()
        self.model = model
        self.objective = objective

    def forward(self, batch: Any) -> Loss:
        return self.objective(self.model, batch)


@dataclass(eq=False)
class _Run:
    """What one step needs to know."""

    model: nn.Module
    objective: Objective
    batches: Callable[[int], Any]
    config: TrainingConfig
    optimizer: torch.optim.Optimizer
    processes: Processes
    device: torch.device
    history: History = field(default_factory=History)
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        self.parameters = list(_trained(self.model).values())
        self.bound: nn.Module = _Bound(self.model, self.objective)
        self.unshared: Callable[[], AbstractContextManager] = nullcontext
        if self.processes.count > 1:
            self.bound = parallel = DistributedDataParallel(self.bound)
            self.unshared = parallel.no_sync

    def step(self, interrupt: Interrupt) -> bool:
        """Take one step, and return whether any process was interrupted during it."""
        began = time.perf_counter()
        self.model.train()
        loss, tokens, stop = self.processes.sum(
            *self._gradients(), interrupt.pressed, device=self.device
        )
        number = self.history.steps + 1
        if not tokens:
            raise ValueError(f"step {number} has no token but padding; there is nothing to learn.")
        # Data-parallel training averages over processes what must be summed over all tokens.
        norm = self._scale_gradients(self.processes.count / tokens)
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise self._diverged(number, loss / tokens)
        rate = learning_rate(number, self.config)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.history.losses.append(loss / tokens)
        self.history.tokens.append(int(tokens))
        self.history.learning_rates.append(rate)
        self.history.gradient_norms.append(norm)
        self.history.seconds += time.perf_counter() - began
        return bool(stop)

    def _gradients(self) -> tuple[float, int]:
        """Sum gradients and losses over this process's batches of the step."""
        self.optimizer.zero_grad()
        numbers = self._numbers()
        total, tokens = torch.zeros((), device=self.device), 0
        for number in numbers:
            # Gradients travel between processes once a step, with its last batch.
            shared = nullcontext() if number == numbers[-1] else self.unshared()
            with self._dropout(number), shared:
                with computing_in(self.precision, self.device):
                    loss, count = self.bound(self._batch(number))
                loss.backward()
            total += loss.detach()
            tokens += count
        return total.item(), tokens

    def _numbers(self) -> range:
        each = self.config.batches_per_step
        first = self.history.steps * each
        return range(first + self.processes.rank, first + each, self.processes.count)

    def _batch(self, number: int) -> Any:
        return _to(self.batches(number), self.device)

    @contextmanager
    def _dropout(self, number: int) -> Iterator[None]:
        """Draw dropout from the batch's number alone, and leave the global generators alone."""
        # torch.manual_seed also notes, with a stack trace, what to seed once there is a GPU. On a
        # machine that has none this took a seventh of a small step.
        on_cpu = self.device.type == "cpu"
        seed = torch.default_generator.manual_seed if on_cpu else torch.manual_seed
        with torch.random.fork_rng([self.device] if self.device.type == "cuda" else []):
            seed(Random(f"{self.config.seed} {number}").getrandbits(63))
            yield

    def choose_precision(self) -> None:
        """Take the precision that was asked for; the fastest is measured once in a run."""
        if self.config.precision == "fastest":
            self.precision = self.history.precision or self._fastest()
        else:
            self.precision = self.config.precision
        self.history.precision = self.precision

    def _fastest(self) -> Precision:
        """Measure a pass of this process's first batch; the majority of the processes decides."""
        self.model.train()
        number = self.processes.rank
        with self._dropout(number):
            faster = faster_precision(self.model, self.objective, self._batch(number))
        (votes,) = self.processes.sum(float(faster == "bfloat16"), device=self.device)
        return "bfloat16" if votes > self.processes.count / 2 else "float32"

    def _scale_gradients(self, factor: float) -> float:
        """Multiply all gradients by ``factor``, clip them, and return their norm before that."""
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        norm = torch.nn.utils.get_total_norm(gradients).item() * factor
        largest = self.config.clip_norm
        clipping = 1.0 if largest is None else min(1.0, largest / (norm + 1e-6))
        torch._foreach_mul_(gradients, factor * clipping)
        return norm

    def _diverged(self, number: int, loss: float) -> Diverged:
        culprit = bad_weight(self.model)
        for batch in self._numbers():
            with self._dropout(batch):
                culprit = culprit or bad_output(self.model, self.objective, self._batch(batch))
        culprit = culprit or bad_gradient(self.model) or "in a batch of another process"
        return Diverged(
            f"at step {number} the loss is {loss:.4g}, and the first tensor that is not finite is "
            f"{culprit}. The weights are those of step {number - 1}. A lower learning_rate or a "
            "longer warm-up is the usual remedy."
        )


def _to(batch: Any, device: torch.device) -> Any:
    """Move the tensors of a batch to ``device``."""
    if isinstance(batch, Tensor):
        return batch.to(device)
    if isinstance(batch, tuple):
        return tuple(_to(part, device) for part in batch)
    return batch
