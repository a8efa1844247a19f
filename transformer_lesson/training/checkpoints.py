"""A run on disk: written whole or not at all, and read only by the run that it belongs to."""

import io
import pickle
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from careful_io import replacing
from transformer_lesson.training.config import TrainingConfig, learning_rate
from transformer_lesson.training.history import History

FILE, LOG = "checkpoint.pt", "log.csv"
_PARTS = {"model", "optimizer", "config", "kind", "history"}
# What may differ between the run that wrote a checkpoint and the one that goes on from it.
_FREE = {"steps", "evaluate_every", "save_every"}


class CheckpointError(RuntimeError):
    """A checkpoint could not be written or read, or belongs to another run."""


def save(
    folder: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    config: TrainingConfig,
    history: History,
) -> None:
    """Write the state of a run to ``folder``; the checkpoint before it stays until this is whole.

    Beside it stands ``log.csv``, the history for people and their tools (``History.write_csv``).

    Raises:
        CheckpointError: it could not be written; what stood there before is as it was.
    """
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "config": asdict(config),
        "kind": _kind(model),
        "history": history.to_plain(),
    }
    buffer = io.BytesIO()  # torch.save turns a full disk into errors of its own
    torch.save(state, buffer)
    try:
        with replacing(folder / FILE, sync=True) as new:
            new.write_bytes(buffer.getbuffer())
        with replacing(folder / LOG) as new:
            history.write_csv(new)
    except OSError as error:
        kept = "The one before it is whole." if (folder / FILE).exists() else "There is none yet."
        raise CheckpointError(
            f"the checkpoint of step {history.steps} could not be written to {folder}: "
            f"{error.strerror}. {kept} Make room, or choose another folder."
        ) from error


def make_folder(folder: Path) -> None:
    """Make the folder before the first step, not after the last; it may raise as ``save`` does."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder} cannot be made a folder: {error.strerror}. Choose another."
        raise CheckpointError(message) from error


def load(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, config: TrainingConfig
) -> History:
    """Put the state that ``folder`` holds into ``model`` and ``optimizer``.

    Returns:
        The history of the run so far; an empty one where there is no checkpoint.

    Raises:
        CheckpointError: the file is damaged, or of another model, optimizer or configuration.
            Nothing was changed.
    """
    path = folder / FILE
    if not path.exists():
        return History()
    state = _read(path)
    _check_config(path, state, config)
    _check_model(path, state, model)
    _check_optimizer(path, state["optimizer"], optimizer.state_dict())
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return History(**state["history"])


def _read(path: Path) -> dict[str, Any]:
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
        raise CheckpointError(
            f"{path} cannot be read; it is damaged, or no checkpoint. Move it away to begin anew, "
            "or put a whole one in its place."
        ) from error
    if not isinstance(state, dict) or state.keys() != _PARTS:
        raise CheckpointError(f"{path} is no checkpoint of this course. Choose another folder.")
    return state


def _check_config(path: Path, state: dict[str, Any], config: TrainingConfig) -> None:
    # An older checkpoint does not know a younger setting; there it was as usual.
    then, now = {"decay_steps": 0} | state["config"], asdict(config)
    taken = state["history"]["learning_rates"]
    # The end of a cosine decides about all of it, that of a stable rate about its last steps.
    same = taken == [learning_rate(step, config) for step in range(1, len(taken) + 1)]
    for name in sorted(now.keys() - (_FREE if same else _FREE - {"steps"})):
        if then.get(name) != now[name]:
            raise CheckpointError(
                f"{path} was trained with {name}={then.get(name)!r}, this run has "
                f"{name}={now[name]!r}. Take the same configuration, or another folder."
            )


def _check_model(path: Path, state: dict[str, Any], model: nn.Module) -> None:
    then, now = state["model"], model.state_dict()
    differ = []
    for name in [*now, *then]:
        there, here = (_shape(weights.get(name)) for weights in (then, now))
        if there != here:
            differ.append(f"{name} is {there} there and {here} in this model")
    if state["kind"] != _kind(model):
        differ.append(f"{state['kind']}, not {_kind(model)}")
    if differ:
        raise CheckpointError(
            f"{path} is of another model: {differ[0]}. Take the same model, or another folder."
        )


def _check_optimizer(path: Path, then: dict[str, Any], now: dict[str, Any]) -> None:
    """Compare all settings but the learning rate, which the configuration decides.

    A younger PyTorch may know a setting that an older one did not; there it is off.
    """
    none: dict[str, Any] = {}
    groups = zip_longest(then["param_groups"], now["param_groups"], fillvalue=none)
    for there, here in groups:
        for name in sorted((there | here).keys() - {"lr"}):
            if (there.get(name) or None) != (here.get(name) or None):
                raise CheckpointError(
                    f"{path} was trained by an optimizer with {name}={there.get(name)!r}, this one "
                    f"has {name}={here.get(name)!r}. Take the same optimizer, or another folder."
                )


def _shape(weight: Tensor | None) -> str:
    return "missing" if weight is None else f"of shape {tuple(weight.shape)}"


def _kind(model: nn.Module) -> str:
    """What the shapes of the weights do not tell: where the norms stand, for one."""
    return f"{type(model).__name__}({getattr(model, 'config', '')})"
