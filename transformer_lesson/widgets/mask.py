"""The effect of a mask on the scores, and on the weights after the softmax."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from transformer_lesson.palette import COLORS
from transformer_lesson.widgets.attention_maps import (
    AttentionMaps,
    as_array,
    checked_tokens,
    summary,
)
from transformer_lesson.widgets.static_figure import BLUE_ORANGE, blank, draw_weights, write_tokens
from transformer_lesson.widgets.view import View, checked_choice, checked_size, script, style

MOST_TOKENS = 32


class MaskExplorer(View):
    """A score matrix under a causal and a padding mask, beside the resulting weights.

    Blocked scores are hatched. The browser computes the softmax over the rest; a query whose scores
    are all blocked gets weights of 0 and is marked.

    Args:
        scores: ``(queries, keys)``, before mask and softmax, any real dtype. If there
            are fewer queries than keys, they are the last tokens, as with a cache. At most 32 keys.
        tokens: one token per key.
        num_padding: how many tokens at the end are padding.

    Attributes:
        causal: whether the causal mask is on, which blocks the keys after each query.
        padding: whether the padding mask is on, which blocks padding for all queries.
        pinned: the row of the query whose weights are listed, or None.

    Raises:
        TypeError: the tokens are not a list of strings, or ``num_padding`` is not a whole number.
        ValueError: the shape, a score, the number of tokens or ``num_padding`` is wrong.
        traitlets.TraitError: an attribute is set to a query that does not exist.
    """

    kind = "mask-explorer"
    _esm = script("mask.js")
    _css = style(kind, "mask.css")

    shape = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    data = traitlets.Bytes(read_only=True).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    num_padding = traitlets.Int(read_only=True).tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    padding = traitlets.Bool(False).tag(sync=True)
    pinned = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(
        self, scores: Tensor | npt.ArrayLike, tokens: Sequence[str], num_padding: int = 0
    ) -> None:
        self._scores = _checked_scores(scores)
        queries, keys = self._scores.shape
        names = checked_tokens("tokens", tokens, "keys", keys, of="scores")
        self.set_trait("shape", [queries, keys])
        self.set_trait("data", self._scores.astype("<f4").tobytes())
        self.set_trait("tokens", names)
        self.set_trait("num_padding", checked_size("num_padding", num_padding, 0, keys))
        super().__init__()

    def mask(self) -> npt.NDArray[np.bool_]:
        """Return the combined mask, bool ``(queries, keys)``, True = may attend."""
        queries, keys = self.shape
        key = np.arange(keys)
        mask = np.ones((queries, keys), dtype=bool)
        if self.causal:
            # The causal mask is aligned to the last key.
            mask &= key <= np.arange(keys - queries, keys)[:, None]
        if self.padding:
            mask &= key < keys - self.num_padding
        return mask

    def weights(self) -> npt.NDArray[np.float32]:
        """Return the weights shown, ``(queries, keys)``, float32; empty rows are 0."""
        mask = self.mask()
        scores = np.where(mask, self._scores.astype(np.float64), -np.inf)
        largest = scores.max(axis=1, keepdims=True)
        powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
        sums = powers.sum(axis=1, keepdims=True)
        return (powers / np.where(sums > 0, sums, 1)).astype(np.float32)

    def _labels(self) -> AttentionMaps:
        return AttentionMaps(
            self.weights()[None, None], self.tokens[-self.shape[0] :], list(self.tokens)
        )

    def _title(self) -> str:
        masks = [name for name in ("causal", "padding") if getattr(self, name)]
        return f"mask: {' and '.join(masks) or 'none'}"

    def _alt_text(self) -> str:
        lines = summary(self.weights(), self._labels())
        blocked = int((~self.mask()).sum())
        begin = f"Attention scores and weights, {self._title()}, {blocked} scores blocked: "
        return "\n".join([begin + lines[0], *lines[1:]])

    def _finding(self) -> str:
        """Return the title of the picture: how much weight lies where a mask would hide it."""
        queries, keys = self.shape
        weights = self.weights()
        later = np.triu(weights, keys - queries + 1).sum() / queries
        padding = weights[:, keys - self.num_padding :].sum() / queries
        finding = f"{later:.0%} of the weight goes to later tokens"
        return finding + (f", {padding:.0%} to padding" if self.num_padding else "")

    def _static_figure(self) -> Figure:
        figure = blank(9.4, 4)
        figure.suptitle(self._finding())
        left, right = figure.subplots(1, 2)
        labels = self._labels()
        top = float(np.abs(self._scores).max()) or 1
        left.set(title="Scores, blocked ones hatched", xlabel="key", ylabel="query")
        image = left.imshow(self._scores, cmap=BLUE_ORANGE, vmin=-top, vmax=top)
        write_tokens(left, labels)
        figure.colorbar(image, label="score")
        right.set_title(f"Weights, {self._title()}")
        figure.colorbar(draw_weights(right, self.weights(), labels, 1), label="weight")
        for axes in (left, right):
            for query, key in np.argwhere(~self.mask()):
                axes.add_patch(_hatched(query, key))
        return figure

    @traitlets.validate("pinned")
    def _exists(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, 0, self.shape[0] - 1)


def _hatched(query: int, key: int) -> Rectangle:
    corner = (key - 0.5, query - 0.5)
    return Rectangle(
        corner,
        1,
        1,
        linewidth=0,
        facecolor=COLORS["masked"],
        edgecolor=COLORS["hatch"],
        hatch="///",
    )


def _checked_scores(scores: Tensor | npt.ArrayLike) -> npt.NDArray[np.float32]:
    if scores is None:
        raise ValueError("scores is None; pass query @ key.T / sqrt(d_head), before the softmax.")
    array = as_array(scores)
    if array.ndim != 2:
        raise ValueError(
            f"scores has shape {array.shape}; expected (queries, keys). "
            "Pass one head of one sentence, such as scores[0, 0]."
        )
    queries, keys = array.shape
    if not 1 <= queries <= keys <= MOST_TOKENS:
        raise ValueError(
            f"scores has {queries} queries and {keys} keys; this view shows 1 to {MOST_TOKENS} "
            f"keys and no more queries than keys. Pass a part, such as "
            f"scores[:{MOST_TOKENS}, :{MOST_TOKENS}]."
        )
    wrong = ~np.isfinite(array)
    if wrong.any():
        query, key = np.argwhere(wrong)[0]
        raise ValueError(
            f"the score of query {query} and key {key} is {array[query, key]}; scores are finite "
            "numbers. Pass the scores before a mask is applied."
        )
    return array
