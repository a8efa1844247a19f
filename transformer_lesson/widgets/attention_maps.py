"""Attention maps on their way to a view: checked once, in one shape, with readable tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TOKENS = 512
MOST_LABELS = 32
ROW_TOLERANCE = 1e-3
AXES = "(queries, keys), (heads, queries, keys) or (layers, heads, queries, keys)"
# How Matplotlib takes words of a user's: they may hold dollar signs, and are no mathematics.
AS_WORDS = {"parse_math": False, "usetex": False}
WHITESPACE_MARKS = {" ": "␣", "\n": "⏎", "\t": "⇥"}


@dataclass(frozen=True)
class AttentionMaps:
    """Checked attention weights and the labels of their axes.

    Attributes:
        weights: float32 ``(layers, heads, queries, keys)``.
        query_tokens: one label per query.
        key_tokens: one label per key.
    """

    weights: npt.NDArray[np.float32]
    query_tokens: list[str]
    key_tokens: list[str]


def checked_maps(
    weights: Tensor | Sequence[Tensor] | npt.ArrayLike | None,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
) -> AttentionMaps:
    """Check that ``weights`` are attention weights and that the tokens name their rows and columns.

    Args:
        weights: ``(queries, keys)``, ``(heads, queries, keys)`` or
            ``(layers, heads, queries, keys)``, any real dtype; every row sums to 1, or is all zero
            where a query may attend to nothing.
        query_tokens: one token per row.
        key_tokens: one token per column; by default the query tokens.

    Returns:
        The maps, with both missing axes added and tokens as ``token_label`` shows them.

    Raises:
        TypeError: the tokens are not a list of strings.
        ValueError: the shape, a weight, a row's sum or a number of tokens is wrong.
    """
    maps = as_array(weights)
    if not 2 <= maps.ndim <= 4:
        raise ValueError(
            f"weights has shape {maps.shape}; expected {AXES}. "
            "For one sentence of a batch pass weights[0], or weights[:, 0] if layers come first."
        )
    maps = maps.reshape((1,) * (4 - maps.ndim) + maps.shape)
    if 0 in maps.shape or max(maps.shape[2:]) > MOST_TOKENS:
        raise ValueError(
            f"weights has shape {maps.shape} (layers, heads, queries, keys); a view shows 1 to "
            f"{MOST_TOKENS} queries and keys. Pass a part, such as weights[..., :128, :128]."
        )
    _check_rows(maps)
    queries, keys = maps.shape[2:]
    if key_tokens is None:
        if queries != keys:
            raise ValueError(
                f"weights has {queries} queries and {keys} keys; "
                "where they differ, pass key_tokens as well."
            )
        key_tokens = query_tokens
    return AttentionMaps(
        maps,
        checked_tokens("query_tokens", query_tokens, "queries", queries),
        checked_tokens("key_tokens", key_tokens, "keys", keys),
    )


def as_array(weights: Tensor | Sequence[Tensor] | npt.ArrayLike | None) -> npt.NDArray[np.float32]:
    """Return one tensor, one tensor for each layer, or what numpy takes, as float32.

    Raises:
        ValueError: there are no weights.
    """
    if weights is None:
        raise ValueError(
            "weights is None: fused attention returns none. Use attention='reference'."
        )
    if isinstance(weights, list | tuple) and weights and isinstance(weights[0], Tensor):
        weights = torch.stack(list(weights))  # one tensor for each layer
    if isinstance(weights, Tensor):
        # numpy knows no bfloat16, and nothing of gradients and GPUs.
        weights = weights.detach().float().cpu().numpy()
    return np.asarray(weights, dtype=np.float32)


def checked_tokens(
    name: str, tokens: Sequence[str], axis: str, expected: int, of: str = "weights"
) -> list[str]:
    """Return ``tokens`` as ``token_label`` shows them.

    Args:
        name: what an error calls the tokens.
        tokens: what should be a list of ``expected`` strings.
        axis: what each of them names.
        expected: how many there are of these.
        of: the array that has the axis.

    Raises:
        TypeError: the tokens are not a list of strings.
        ValueError: there are more or fewer.
    """
    if isinstance(tokens, str):
        raise TypeError(f"{name} is the string {tokens!r}; pass a list, such as {name}.split().")
    if not isinstance(tokens, Sequence | np.ndarray):
        raise TypeError(f"{name} is a {type(tokens).__name__}; pass a list of strings.")
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"{name} holds {token!r}; tokens are strings, so pass str(token).")
    if len(tokens) != expected:
        raise ValueError(
            f"{name} has {len(tokens)} tokens and {of} has {expected} {axis}; "
            f"pass one token for each of the {axis}."
        )
    return [token_label(token) for token in tokens]


def token_label(token: str) -> str:
    """Return ``token`` with marks in place of white space and of what cannot be printed."""
    return "".join(map(_visible, token)) or "(empty)"


def summary(map_: npt.NDArray[np.float32], maps: AttentionMaps, rows: int = 10) -> list[str]:
    """Say in words what one map ``(queries, keys)`` shows: the strongest key of each query."""
    queries, keys = map_.shape
    lines = [f"{queries} queries by {keys} keys. The strongest key of each query:"]
    for query in range(min(queries, rows)):
        key = int(map_[query].argmax())
        token = f"{maps.query_tokens[query]} ({query})"
        strongest = f"{maps.key_tokens[key]} ({key}) {map_[query, key]:.2f}"
        lines.append(f"{token} → {strongest if map_[query, key] > 0 else 'nothing'}")
    if queries > rows:
        lines.append(f"and {queries - rows} more.")
    return lines


def label_axes(axes: "Axes", maps: AttentionMaps, first: float) -> None:
    """Write the tokens along a heatmap, thinned where they would run into each other.

    Args:
        axes: axes that hold a map, a unit per cell.
        maps: whose tokens are written.
        first: where the middle of the first cell is.
    """
    for axis, tokens, rotation in (
        (axes.yaxis, maps.query_tokens, 0),
        (axes.xaxis, maps.key_tokens, 90),
    ):
        shown = range(0, len(tokens), -(-len(tokens) // MOST_LABELS))
        axis.set_ticks(
            [first + place for place in shown],
            [tokens[place] for place in shown],
            rotation=rotation,
            fontsize=10 if len(shown) <= MOST_LABELS // 2 else 7,
            **AS_WORDS,
        )


def _check_rows(maps: npt.NDArray[np.float32]) -> None:
    wrong = ~(np.isfinite(maps) & (maps >= 0))
    if wrong.any():
        layer, head, query, key = np.argwhere(wrong)[0]
        raise ValueError(
            f"the weight at layer {layer}, head {head}, query {query}, key {key} is "
            f"{maps[layer, head, query, key]}; weights are numbers from 0 to 1. "
            "Pass the weights, after the softmax, not the scores."
        )
    sums = maps.sum(axis=-1, dtype=np.float64)
    wrong = (np.abs(sums - 1) > ROW_TOLERANCE) & (sums != 0)
    if wrong.any():
        layer, head, query = np.argwhere(wrong)[0]
        raise ValueError(
            f"layer {layer}, head {head}, row {query} sums to {sums[layer, head, query]:.4f}; "
            "the weights of a query sum to 1, or to 0 if it may attend to nothing. "
            "Take the softmax over the keys, dim=-1, and pass the weights before dropout."
        )


def _visible(character: str) -> str:
    if character.isspace():
        return WHITESPACE_MARKS.get(character, "␣")
    return character if character.isprintable() else ascii(character)[1:-1]
