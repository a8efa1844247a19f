"""decoder.layer: self-attention, cross-attention and feed-forward on a residual path."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Build, Case
from transformer_checks.checks.exercise import Check, Misconception


class _Attention(nn.Module):
    """Multi-head attention with the names of the package's, written another way."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_projection = nn.Linear(d_model, d_model)
        self.key_projection = nn.Linear(d_model, d_model)
        self.value_projection = nn.Linear(d_model, d_model)
        self.output_projection = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        heads = []
        mask = mask.expand(len(query), 1, query.shape[1], memory.shape[1])[:, 0]
        parts = (
            self.query_projection(query).chunk(self.num_heads, -1),
            self.key_projection(memory).chunk(self.num_heads, -1),
            self.value_projection(memory).chunk(self.num_heads, -1),
        )
        for q, k, v in zip(*parts, strict=True):
            scores = q @ k.mT / q.shape[-1] ** 0.5
            lowest = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)
            heads.append(weights @ v)
        return self.output_projection(torch.cat(heads, -1))


class _Reference(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attention = _Attention(d_model, num_heads)
        self.cross_attention = _Attention(d_model, num_heads)
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        self.self_attention_norm = nn.LayerNorm(d_model)
        self.cross_attention_norm = nn.LayerNorm(d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor, memory_mask: Tensor) -> Tensor:
        normed = self.self_attention_norm(x)
        x = x + self.self_attention(normed, normed, mask)
        x = x + self.cross_attention(self.cross_attention_norm(x), memory, memory_mask)
        return x + self.feed(self.feed_forward_norm(x))

    def feed(self, x: Tensor) -> Tensor:
        return self.down(self.up(x).relu())


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        shape: tuple[int, int, int],
        sizes: tuple[int, int, int],
        hidden: int = 0,
        gradients: bool = False,
    ) -> Case:
        batch, tokens, length = shape
        d_model, num_heads, d_ff = sizes
        config = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
        shapes = {n: tuple(p.shape) for n, p in _Reference(**config).named_parameters()}
        weights = {n: _weight(generator, n, shape) for n, shape in shapes.items()}
        draw = tidy if batch == 1 else normal
        memory_mask = torch.ones(batch, 1, 1, length, dtype=torch.bool)
        memory_mask[-1, ..., length - hidden :] = False
        inputs = {
            # Far from mean 0 and deviation 1, or a norm too many would hardly show.
            "x": 2 * draw(generator, batch, tokens, d_model) + 1,
            "memory": 2 * draw(generator, batch, length, d_model) - 1,
            "mask": torch.ones(tokens, tokens, dtype=torch.bool).tril()[None, None],
            "memory_mask": memory_mask,
        }
        return Case(label, inputs, gradients=gradients, build=Build(config, weights))

    return [
        case("1 sentence, 2 target and 3 source tokens", (1, 2, 3), (4, 2, 6)),
        case("a source with padding", (1, 3, 4), (4, 2, 6), hidden=2),
        case("as many target as source tokens", (2, 4, 4), (6, 3, 8), hidden=1),
        case("2 sentences, 4 target and 3 source tokens", (2, 4, 3), (6, 2, 9), hidden=1),
        case("gradients", (2, 3, 4), (4, 2, 6), hidden=1, gradients=True),
    ]


def _weight(generator: Generator, name: str, shape: tuple[int, ...]) -> Tensor:
    """Weights of moderate size; gains that are not 1 and biases that are not 0."""
    drawn = normal(generator, *shape)
    if name.endswith("norm.weight"):
        return 1 + 0.5 * drawn
    return drawn / shape[-1] ** 0.5


Forward = Callable[[_Reference, Tensor, Tensor, Tensor, Tensor], Tensor]


def _with(forward: Forward) -> type[_Reference]:
    """The reference with another forward pass."""
    return type("DecoderLayer", (_Reference,), {"forward": forward})


def _post_norm(s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor) -> Tensor:
    x = s.self_attention_norm(x + s.self_attention(x, x, mask))
    x = s.cross_attention_norm(x + s.cross_attention(x, memory, other))
    return s.feed_forward_norm(x + s.feed(x))


def _memory_ignored(
    s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor
) -> Tensor:
    normed = s.self_attention_norm(x)
    x = x + s.self_attention(normed, normed, mask)
    normed = s.cross_attention_norm(x)
    x = x + s.cross_attention(normed, normed, mask)
    return x + s.feed(s.feed_forward_norm(x))


def _cross_first(s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor) -> Tensor:
    x = x + s.cross_attention(s.cross_attention_norm(x), memory, other)
    normed = s.self_attention_norm(x)
    x = x + s.self_attention(normed, normed, mask)
    return x + s.feed(s.feed_forward_norm(x))


def _no_causal_mask(
    s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor
) -> Tensor:
    return _Reference.forward(s, x, memory, torch.ones_like(mask), other)


def _no_memory_mask(
    s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor
) -> Tensor:
    return _Reference.forward(s, x, memory, mask, torch.ones_like(other))


def _no_masks(s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor) -> Tensor:
    return _Reference.forward(s, x, memory, torch.ones_like(mask), torch.ones_like(other))


def _memory_normed(s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor) -> Tensor:
    return _Reference.forward(s, x, s.cross_attention_norm(memory), mask, other)


def _query_not_normed(
    s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor
) -> Tensor:
    normed = s.self_attention_norm(x)
    x = x + s.self_attention(normed, normed, mask)
    x = x + s.cross_attention(x, memory, other)
    return x + s.feed(s.feed_forward_norm(x))


def _one_norm(s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor) -> Tensor:
    normed = s.self_attention_norm(x)
    x = x + s.self_attention(normed, normed, mask)
    x = x + s.cross_attention(s.self_attention_norm(x), memory, other)
    return x + s.feed(s.self_attention_norm(x))


def _residual_from_the_norm(
    s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor
) -> Tensor:
    x = s.self_attention_norm(x)
    x = x + s.self_attention(x, x, mask)
    x = s.cross_attention_norm(x)
    x = x + s.cross_attention(x, memory, other)
    x = s.feed_forward_norm(x)
    return x + s.feed(x)


def _no_cross_residual(
    s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor
) -> Tensor:
    normed = s.self_attention_norm(x)
    x = x + s.self_attention(normed, normed, mask)
    x = s.cross_attention(s.cross_attention_norm(x), memory, other)
    return x + s.feed(s.feed_forward_norm(x))


def _no_last_residual(
    s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor
) -> Tensor:
    normed = s.self_attention_norm(x)
    x = x + s.self_attention(normed, normed, mask)
    x = x + s.cross_attention(s.cross_attention_norm(x), memory, other)
    return s.feed(s.feed_forward_norm(x))


def _no_self_residual(
    s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor
) -> Tensor:
    normed = s.self_attention_norm(x)
    x = s.self_attention(normed, normed, mask)
    x = x + s.cross_attention(s.cross_attention_norm(x), memory, other)
    return x + s.feed(s.feed_forward_norm(x))


def _side_by_side(s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor) -> Tensor:
    normed = s.self_attention_norm(x)
    attended = s.self_attention(normed, normed, mask)
    read = s.cross_attention(s.cross_attention_norm(x), memory, other)
    return x + attended + read + s.feed(s.feed_forward_norm(x))


def _self_twice(s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor) -> Tensor:
    normed = s.self_attention_norm(x)
    x = x + s.self_attention(normed, normed, mask)
    x = x + s.self_attention(s.cross_attention_norm(x), memory, other)
    return x + s.feed(s.feed_forward_norm(x))


def _no_activation(s: _Reference, x: Tensor, memory: Tensor, mask: Tensor, other: Tensor) -> Tensor:
    normed = s.self_attention_norm(x)
    x = x + s.self_attention(normed, normed, mask)
    x = x + s.cross_attention(s.cross_attention_norm(x), memory, other)
    return x + s.down(s.up(s.feed_forward_norm(x)))


LAYER = Check(
    name="decoder.layer",
    lesson="06_decoder",
    title="A decoder layer",
    answer="DecoderLayer",
    returns=("output",),
    points=3,
    difficulty=3,
    importance=5,
    minutes=20,
    draw=_draw,
    reference=_Reference,
    forbidden=frozenset({"layer"}),
    allowed=("attention",),
    slips=(
        Misconception(
            "post-norm",
            _with(_post_norm),
            "the norms stand after the parts: this is a post-norm layer",
            "Pre-norm: what goes *into* a part is normed, what is added up is not.",
        ),
        Misconception(
            "memory ignored",
            _with(_memory_ignored),
            "the cross-attention attends to the target: the memory is never read",
            "Where do keys and values of the cross-attention come from?",
        ),
        Misconception(
            "cross-attention first",
            _with(_cross_first),
            "the cross-attention comes before the self-attention",
            "In which order do the three parts stand in the paper's figure 1?",
        ),
        Misconception(
            "no causal mask",
            _with(_no_causal_mask),
            "the self-attention sees the future: `mask` has no effect",
            "Change the last token: no row before it may move.",
        ),
        Misconception(
            "no mask of the memory",
            _with(_no_memory_mask),
            "the padding of the source is read: `memory_mask` has no effect",
            "Which of the attentions needs which mask?",
        ),
        Misconception(
            "no masks at all",
            _with(_no_masks),
            "neither mask has an effect",
            "Hand `mask` to the self-attention and `memory_mask` to the cross-attention.",
        ),
        Misconception(
            "memory normed again",
            _with(_memory_normed),
            "the memory goes through the norm of the cross-attention too",
            "The encoder has normed its output already. Which side is normed here?",
        ),
        Misconception(
            "queries of the cross-attention not normed",
            _with(_query_not_normed),
            "the queries of the cross-attention are not normed",
            "Each of the three parts has a norm before it.",
        ),
        Misconception(
            "one norm for all parts",
            _with(_one_norm),
            "the norm of the self-attention is used three times",
            "Each part has a norm of its own, with its own gain.",
        ),
        Misconception(
            "residual taken from the norm",
            _with(_residual_from_the_norm),
            "each part is added to the *normed* input",
            "The residual path goes around norm and part both.",
        ),
        Misconception(
            "no residual around the cross-attention",
            _with(_no_cross_residual),
            "the cross-attention replaces its input instead of adding to it",
            "All three parts stand on a residual path.",
        ),
        Misconception(
            "no residual around the feed-forward",
            _with(_no_last_residual),
            "the feed-forward replaces its input instead of adding to it",
            "All three parts stand on a residual path.",
        ),
        Misconception(
            "no residual around the self-attention",
            _with(_no_self_residual),
            "the self-attention replaces its input instead of adding to it",
            "All three parts stand on a residual path.",
        ),
        Misconception(
            "parts side by side",
            _with(_side_by_side),
            "all three parts read the layer's input",
            "Each part reads what the one before it has left on the residual path.",
        ),
        Misconception(
            "self-attention used twice",
            _with(_self_twice),
            "the module of the self-attention also reads the memory; the other is never used",
            "Each attention has projections of its own.",
        ),
        Misconception(
            "no activation",
            _with(_no_activation),
            "there is nothing between the two linear layers",
            "Two linear layers in a row are one. What stands between them?",
        ),
    ),
    hints=(
        "Three lines, each of the form `x = x + part(norm(x))`.",
        "MultiHeadAttention returns a pair, output and weights. Self-attention: "
        "`self.self_attention(normed, mask=mask)[0]`.",
        "Cross-attention: the query is normed, the memory is given as it is: "
        "`self.cross_attention(self.cross_attention_norm(x), memory, mask=memory_mask)[0]`.",
    ),
)
