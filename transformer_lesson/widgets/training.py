"""A training run: its loss, and the attention of all heads as they form."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lesson.training import History
from transformer_lesson.widgets.attention_maps import AttentionMaps, checked_maps
from transformer_lesson.widgets.static_figure import blank, draw_weights
from transformer_lesson.widgets.view import MapsView, checked_choice, script, style

MOST_STEPS = 100_000
MOST_CHECKPOINTS = 100
MOST_MAPS = 48  # of one checkpoint
MOST_TOKENS = 64
MOST_WEIGHTS = 4_000_000
SAID_ROWS = 6
MOST_HEADS = 3  # of the picture, at each of two checkpoints

Weights = Tensor | npt.ArrayLike
Evaluations = list[tuple[int, dict[str, float]]]


class TrainingExplorer(MapsView):
    """The loss of a training run, and the attention maps at its checkpoints.

    A slider and a button step through the checkpoints. Each shows the loss, the learning rate and
    the evaluations, marked on their curves, and the maps of all layers and heads side by side. All
    checkpoints share one color scale. The row under the mouse or the cursor is highlighted in all
    maps; a click or Enter pins it.

    Args:
        history: the return value of ``train``; or its ``to_plain()``, where ``learning_rates`` and
            ``evaluations`` are optional; or a list of losses, one per step.
        snapshots: 1 to 100 pairs ``(step, weights)`` in order: the number of steps taken, and the
            weights ``(layers, heads, queries, keys)`` of the same sentence at that time, at most 48
            maps of at most 64 queries and keys.
        query_tokens: one token per row.
        key_tokens: one token per column; by default the query tokens.

    Attributes:
        checkpoint: the index of the snapshot shown.
        pinned: the query that stays marked, or None.

    Raises:
        TypeError: the history, the snapshots or the tokens have a wrong type.
        ValueError: a loss is not finite; or a snapshot belongs to a step that was not taken,
            differs in shape from the first, or does not hold attention weights.
        traitlets.TraitError: an attribute is set to a checkpoint or query that does not exist.

    Example:
        The function ``evaluate`` that ``train`` calls can record the maps of one sentence with
        ``recorded_weights`` and ``snapshots.append(torch.stack([w[0] for w in maps.values()]))``.

        >>> steps = [step for step, _ in history.evaluations]  # doctest: +SKIP
        >>> TrainingExplorer(history, zip(steps, snapshots), tokens)  # doctest: +SKIP
    """

    kind = "training-explorer"
    _esm = script("chart.js", "attention_view.js", "map_grid.js", "player.js", "training.js")
    _css = style(kind, "chart.css", "map_grid.css", "player.css", "training.css")

    # The shape is (checkpoints * layers, heads, queries, keys). The losses and the learning rates
    # follow the weights, as float32.
    num_layers = traitlets.Int(read_only=True).tag(sync=True)
    num_losses = traitlets.Int(read_only=True).tag(sync=True)
    checkpoints = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    evaluations = traitlets.List(traitlets.Any(), read_only=True).tag(sync=True)
    checkpoint = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        history: History | Mapping[str, Any] | Sequence[float],
        snapshots: Iterable[tuple[int, Weights]],
        query_tokens: Sequence[str],
        key_tokens: Sequence[str] | None = None,
    ) -> None:
        self._losses, self._rates, self._evaluations = _checked_history(history)
        steps, every = _checked_snapshots(snapshots, len(self._losses), query_tokens, key_tokens)
        self.set_trait("num_layers", len(every[0].weights))
        self.set_trait("num_losses", len(self._losses))
        self.set_trait("checkpoints", steps)
        self.set_trait("evaluations", self._evaluations)
        weights = np.concatenate([maps.weights for maps in every])
        following = np.concatenate([self._losses, self._rates]).astype("<f4").tobytes()
        maps = AttentionMaps(weights, every[0].query_tokens, every[0].key_tokens)
        super().__init__(maps, following)

    def shown(self) -> npt.NDArray[np.float32]:
        """Return the weights shown, ``(layers, heads, queries, keys)``, float32."""
        return self._weights(self.checkpoint)

    def numbers(self) -> dict[str, float]:
        """Return the loss, the learning rate and the evaluations at the checkpoint shown.

        Loss and rate are those of the last step taken; at step 0 there are none.
        """
        step = self.checkpoints[self.checkpoint]
        found = {}
        if step:
            found["training loss"] = float(self._losses[step - 1])
            if len(self._rates):
                found["learning rate"] = float(self._rates[step - 1])
        return found | {
            f"evaluation: {name}": value
            for at, values in self._evaluations
            if at == step
            for name, value in values.items()
        }

    def _weights(self, checkpoint: int) -> npt.NDArray[np.float32]:
        first = checkpoint * self.num_layers
        return self._maps.weights[first : first + self.num_layers]

    def _alt_text(self) -> str:
        queries, keys = self.shape[2:]
        numbers = ", ".join(f"{name} {value:.4g}" for name, value in self.numbers().items())
        lines = [
            f"A training of {self.num_losses} steps, checkpoint {self.checkpoint + 1} of "
            f"{len(self.checkpoints)}, {self._title(self.checkpoint)}: {numbers or 'no loss yet'}.",
            f"Attention weights of {self.num_layers} layers with {self.shape[1]} heads: {queries} "
            f"queries by {keys} keys. The strongest key of each head:",
        ]
        maps = {
            f"layer {layer} head {head}": self.shown()[layer, head]
            for layer, head in np.ndindex(self.num_layers, self.shape[1])
        }
        return "\n".join([*lines, *self._strongest_keys(maps, SAID_ROWS)])

    def _static_figure(self) -> Figure:
        """Draw the loss, and the heads that move most: first, and as shown or else at the end."""
        other = self.checkpoint or len(self.checkpoints) - 1
        moved = np.abs(self._weights(other) - self._weights(0)).mean((2, 3))
        most = moved.argsort(axis=None)[::-1][:MOST_HEADS]
        chosen = [divmod(int(place), self.shape[1]) for place in most]
        figure = blank(max(6.0, 0.8 + 1.9 * len(chosen)), 6.6)
        figure.suptitle("Head {1} of layer {0} changes most".format(*chosen[0]))
        loss, *rows = np.ravel(np.array(figure.subfigures(3, 1, height_ratios=[3, 4, 4])))
        axes = loss.add_subplot(title="the loss; dots are checkpoints")
        axes.set(xlabel="step", ylabel="loss")
        axes.plot(range(1, self.num_losses + 1), self._losses)
        taken = [step for step in self.checkpoints if step]
        axes.plot(taken, self._losses[np.array(taken, dtype=int) - 1], "o", color="black")
        top = self._maps.weights.max() or 1
        for row, checkpoint in zip(rows, (0, other), strict=True):
            row.suptitle(self._title(checkpoint))
            every = row.subplots(1, len(chosen), squeeze=False).flat
            for (layer, head), one in zip(sorted(chosen), every, strict=True):
                image = draw_weights(one, self._weights(checkpoint)[layer, head], self._maps, top)
                one.set(title=f"layer {layer}, head {head}")
                one.title.set_fontsize(9)
                one.label_outer()
            row.colorbar(image, ax=row.axes, label="weight")
        return figure

    def _title(self, checkpoint: int) -> str:
        step = self.checkpoints[checkpoint]
        return f"step {step}" if step else "before the first step"

    @traitlets.validate("checkpoint")
    def _checkpoint_exists(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, 0, len(self.checkpoints) - 1)


def _checked_history(
    history: History | Mapping[str, Any] | Sequence[float],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], Evaluations]:
    """Return the losses, the learning rates, which may be empty, and the evaluations."""
    if isinstance(history, History):
        history = history.to_plain()
    if not isinstance(history, Mapping):
        history = {"losses": history}
    if "losses" not in history:
        raise ValueError(f"history has no losses, but {sorted(history)}.")
    losses = _checked_curve("losses", history["losses"])
    rates = _checked_curve("learning_rates", history.get("learning_rates", []))
    if not 1 <= len(losses) <= MOST_STEPS:
        raise ValueError(f"there are {len(losses)} losses; this view shows 1 to {MOST_STEPS}.")
    if len(rates) not in (0, len(losses)):
        raise ValueError(
            f"there are {len(rates)} learning_rates and {len(losses)} losses; pass one for each "
            "step, or none."
        )
    evaluations = [
        (int(step), {str(name): float(value) for name, value in values.items()})
        for step, values in history.get("evaluations", [])
    ]
    for step, values in evaluations:
        if not 0 <= step <= len(losses) or not np.isfinite(list(values.values())).all():
            raise ValueError(
                f"the evaluation {values} at step {step} cannot be shown: steps are 0 to "
                f"{len(losses)}, and values finite."
            )
    return losses, rates, evaluations


def _checked_curve(name: str, values: Sequence[float]) -> npt.NDArray[np.float32]:
    try:
        curve = np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is {values!r:.80}; pass a list of numbers.") from error
    if curve.ndim != 1:
        raise TypeError(f"{name} has shape {curve.shape}; pass one number for each step.")
    if not np.isfinite(curve).all():
        step = int(np.argmin(np.isfinite(curve)))
        raise ValueError(f"{name}[{step}] is {curve[step]}; pass the steps before it.")
    return curve


def _checked_snapshots(
    snapshots: Iterable[tuple[int, Weights]],
    taken: int,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None,
) -> tuple[list[int], list[AttentionMaps]]:
    """Return the steps, and the maps at each."""
    if isinstance(snapshots, str | Mapping | Tensor) or not isinstance(snapshots, Iterable):
        raise TypeError(
            f"snapshots is a {type(snapshots).__name__}; pass a list of (step, weights)."
        )
    steps: list[int] = []
    every: list[AttentionMaps] = []
    for index, pair in enumerate(snapshots):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"snapshots[{index}] is {pair!r:.80}; pass (step, weights).")
        step, weights = pair
        if isinstance(step, bool) or not isinstance(step, int | np.integer):
            raise TypeError(f"snapshots[{index}] has the step {step!r:.80}; pass (step, weights).")
        if not (steps[-1] if steps else -1) < step <= taken:
            raise ValueError(
                f"snapshots[{index}] is at step {step}; snapshots are in order, at most one "
                f"per step, and {taken} steps were taken."
            )
        try:
            maps = checked_maps(weights, query_tokens, key_tokens)
        except ValueError as error:
            raise ValueError(f"snapshots[{index}], at step {step}: {error}") from error
        _check_size(index, maps, every)
        steps.append(int(step))
        every.append(maps)
    if not steps:
        raise ValueError("there are no snapshots; pass at least one (step, weights).")
    return steps, every


def _check_size(index: int, maps: AttentionMaps, before: list[AttentionMaps]) -> None:
    layers, heads, queries, keys = shape = maps.weights.shape
    if before and shape != before[0].weights.shape:
        raise ValueError(
            f"snapshots[{index}] has shape {shape} and the first {before[0].weights.shape}; pass "
            "the weights of one sentence in one model."
        )
    if layers * heads > MOST_MAPS or max(queries, keys) > MOST_TOKENS:
        raise ValueError(
            f"snapshots[{index}] has shape {shape} (layers, heads, queries, keys); this view shows "
            f"at most {MOST_MAPS} maps of at most {MOST_TOKENS} queries and keys. Pass a part."
        )
    count = index + 1
    if count > MOST_CHECKPOINTS or count * maps.weights.size > MOST_WEIGHTS:
        raise ValueError(
            f"there are more than {index} snapshots; this view holds at most {MOST_CHECKPOINTS}, "
            f"and {MOST_WEIGHTS:,} weights in all. Pass fewer, such as snapshots[::2]."
        )
