"""training.repaired: a layer that trains, and has four things wrong."""

import math
from dataclasses import dataclass

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


@dataclass(frozen=True)
class _Layer:
    """A pre-norm encoder layer without biases; with a flag set, one thing is done wrongly."""

    by_d_model: bool = False
    by_d_head: bool = False
    unscaled: bool = False
    over_queries: bool = False
    over_tokens: bool = False
    from_norm: bool = False
    no_norm: bool = False
    post_norm: bool = False
    unbiased: bool = False
    one_norm: bool = False
    no_transpose: bool = False

    def __call__(
        self,
        x: Tensor,
        w_query: Tensor,
        w_key: Tensor,
        w_value: Tensor,
        w_output: Tensor,
        w_up: Tensor,
        w_down: Tensor,
        num_heads: int,
    ) -> Tensor:
        def attend(y: Tensor) -> Tensor:
            return self._attend(y, num_heads, w_query, w_key, w_value) @ w_output

        def feed(y: Tensor) -> Tensor:
            return F.relu(y @ w_up) @ w_down

        first = True
        for part in (attend, feed):
            if self.post_norm:
                x = self._norm(x + part(x))
                continue
            normed = x if self.no_norm or (self.one_norm and not first) else self._norm(x)
            x = (normed if self.from_norm else x) + part(normed)
            first = False
        return x

    def _norm(self, x: Tensor) -> Tensor:
        axis = 1 if self.over_tokens else -1
        centred = x - x.mean(axis, keepdim=True)
        variance = centred.square().mean(axis, keepdim=True)
        if self.unbiased:
            variance = variance * x.shape[-1] / (x.shape[-1] - 1)
        return centred / torch.sqrt(variance + 1e-5)

    def _attend(self, y: Tensor, heads: int, *matrices: Tensor) -> Tensor:
        query, key, value = (
            (y @ matrix).unflatten(-1, (heads, -1)).transpose(1, 2) for matrix in matrices
        )
        width = query.shape[-1]
        divisor = math.sqrt(y.shape[-1] if self.by_d_model else width)
        divisor = 1.0 if self.unscaled else width if self.by_d_head else divisor
        scores = query @ key.mT / divisor
        mixed = scores.softmax(-2 if self.over_queries else -1) @ value
        if self.no_transpose:
            return mixed.reshape(y.shape)
        return mixed.transpose(1, 2).flatten(-2)


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, batch: int, length: int, d_model: int, heads: int, gradients: bool = False
    ) -> Case:
        def matrix(rows: int, columns: int) -> Tensor:
            return 1.5 * normal(generator, rows, columns) / math.sqrt(rows)

        draw = tidy if batch == 1 else normal
        square = {name: matrix(d_model, d_model) for name in ("query", "key", "value", "output")}
        inputs = {"x": 0.5 + 1.5 * draw(generator, batch, length, d_model)}
        inputs |= {f"w_{name}": weight for name, weight in square.items()}
        inputs |= {"w_up": matrix(d_model, d_model + 3), "w_down": matrix(d_model + 3, d_model)}
        return Case(label, {**inputs, "num_heads": heads}, gradients)

    return [
        case("one text of three tokens, one head", 1, 3, 4, 1),
        case("one text, two heads", 1, 5, 4, 2),
        case("three texts, two heads", 3, 4, 6, 2),
        case("two texts, three heads", 2, 7, 12, 3),
        case("gradients", 2, 3, 6, 2, gradients=True),
    ]


REPAIRED = Check(
    name="training.repaired",
    lesson="07_training",
    title="Find the bugs that train",
    answer="repaired_layer",
    returns=("output",),
    points=3,
    difficulty=4,
    importance=5,
    minutes=25,
    draw=_draw,
    reference=_Layer(),
    forbidden=frozenset({"attention"}),
    atol=1e-4,
    slips=(
        Misconception(
            "unchanged",
            _Layer(by_d_model=True, over_queries=True, over_tokens=True, from_norm=True),
            "all four are still there",
            "Row sums, one changed token, all parts set to zero, the divisor: four probes.",
        ),
        Misconception(
            "softmax over the queries",
            _Layer(over_queries=True),
            "the columns of the weights sum to one, their rows do not",
            "Each query shares out one unit of attention over the keys.",
        ),
        Misconception(
            "root of d_model",
            _Layer(by_d_model=True),
            "the scores are divided by √d_model: with more than one head that is too much",
            "How long are the vectors whose dot product you take?",
        ),
        Misconception(
            "divided by d_head",
            _Layer(by_d_head=True),
            "the scores are divided by d_head, not by its root",
            "The spread of a sum of n products grows with √n.",
        ),
        Misconception(
            "not divided",
            _Layer(unscaled=True),
            "the scores are not divided at all",
            "The wrong root must go; the right one must come.",
        ),
        Misconception(
            "norm over the tokens",
            _Layer(over_tokens=True),
            "the norm runs over the tokens of a text: change one token, and all others move",
            "Each token is normalised over its own numbers.",
        ),
        Misconception(
            "residual from the norm",
            _Layer(from_norm=True),
            "what is added to is the normalised token: the stream itself is lost",
            "Set all weights to zero. What should come out?",
        ),
        Misconception(
            "no norm",
            _Layer(no_norm=True),
            "the norms are gone",
            "They stood on the wrong axis; each part still needs one.",
        ),
        Misconception(
            "post-norm",
            _Layer(post_norm=True),
            "the norms stand behind the sums: that is a post-norm layer",
            "Pre-norm: x + part(norm(x)).",
        ),
        Misconception(
            "only one norm",
            _Layer(one_norm=True),
            "the feed-forward reads the stream without a norm",
            "Each of the two parts has its own.",
        ),
        Misconception(
            "unbiased variance",
            _Layer(unbiased=True),
            "the variance is divided by d - 1",
            "`var` does so unless you say `correction=0`.",
        ),
        Misconception(
            "heads merged without a transpose",
            _Layer(no_transpose=True),
            "the heads are merged without a transpose: tokens get numbers of other tokens",
            "(batch, heads, tokens, d_head): which axis must come next to d_head?",
        ),
        Misconception(
            "softmax and divisor left",
            _Layer(over_queries=True, by_d_model=True),
            "the attention still has its two mistakes",
            "Look at the sums of the weights' rows, and at what the scores are divided by.",
        ),
        Misconception(
            "norm and residual left",
            _Layer(over_tokens=True, from_norm=True),
            "the norm still runs over the tokens, and the residual still starts from it",
            "Change one token; then set all weights to zero.",
        ),
    ),
    hints=(
        "Four probes of the lesson: do rows of weights sum to one? By what are scores divided? "
        "Does a norm move other tokens? With all weights zero, does x come out as it went in?",
        "Two of the mistakes are in the attention, one in the norm, one in the residual.",
        "softmax over the last axis; √d_head; a mean over the last axis, with keepdim; "
        "x + part(norm(x)).",
    ),
)
