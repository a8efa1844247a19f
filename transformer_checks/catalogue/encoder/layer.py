"""encoder.layer: attention and feed-forward on a residual path, with the norms in two places."""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Build, Case, Value
from transformer_checks.checks.exercise import Check, Misconception

Part = Callable[[Tensor], Tensor]


class _Attention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_projection = nn.Linear(d_model, d_model)
        self.key_projection = nn.Linear(d_model, d_model)
        self.value_projection = nn.Linear(d_model, d_model)
        self.output_projection = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
        q, k, v = (
            x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x in (
                self.query_projection(query),
                self.key_projection(key),
                self.value_projection(key),
            )
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(-1).nan_to_num(0.0)
        return self.output_projection((weights @ v).transpose(1, 2).flatten(-2))


class _Inner(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.up(x).clamp(min=0))


class EncoderLayer(nn.Module):
    """The reference; its wrong versions override one method each."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__()
        self.norm = norm
        self.self_attention = _Attention(d_model, num_heads)
        self.feed_forward = _Inner(d_model, d_ff)
        self.self_attention_norm = nn.LayerNorm(d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        x = self.around(x, self.self_attention_norm, lambda x: self.self_attention(x, x, mask))
        return self.around(x, self.feed_forward_norm, self.feed_forward)

    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        return x + part(norm(x)) if self.norm == "pre" else norm(x + part(x))


def layer_weights(generator: Generator, d_model: int, d_ff: int) -> dict[str, Tensor]:
    """Random weights of one layer by name; gains are not 1, shifts not 0."""
    names = ("query", "key", "value", "output")
    shapes = {f"self_attention.{name}_projection": (d_model, d_model) for name in names}
    shapes |= {"feed_forward.up": (d_ff, d_model), "feed_forward.down": (d_model, d_ff)}
    weights = {}
    for name, (d_out, d_in) in shapes.items():
        weights[f"{name}.weight"] = 1.5 * normal(generator, d_out, d_in) / math.sqrt(d_in)
        weights[f"{name}.bias"] = 0.3 * normal(generator, d_out)
    for name in ("self_attention_norm", "feed_forward_norm"):
        weights |= norm_weights(generator, name, d_model)
    return weights


def norm_weights(generator: Generator, name: str, d_model: int) -> dict[str, Tensor]:
    """A random gain and shift by name."""
    return {
        f"{name}.weight": 1 + 0.4 * tidy(generator, d_model),
        f"{name}.bias": 0.5 * tidy(generator, d_model),
    }


_SILENT = {
    "attention": ("self_attention.output_projection",),
    "feed-forward": ("feed_forward.down",),
    "both": ("self_attention.output_projection", "feed_forward.down"),
}


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        norm: str,
        x: tuple[int, ...] = (1, 2, 4),
        heads: int = 2,
        silent: str = "",
        mask: Tensor | None = None,
        *,
        gradients: bool = False,
    ) -> Case:
        config: dict[str, Value] = {
            "d_model": x[-1],
            "num_heads": heads,
            "d_ff": x[-1] + 2,
            "norm": norm,
        }
        weights = layer_weights(generator, x[-1], x[-1] + 2)
        for part in _SILENT.get(silent, ()):
            weights[f"{part}.weight"] = torch.zeros_like(weights[f"{part}.weight"])
            weights[f"{part}.bias"] = torch.zeros_like(weights[f"{part}.bias"])
        draw = tidy if x[0] == 1 else normal
        # Tokens are no normalised ones: large, and not around 0.
        inputs: dict[str, Value] = {"x": 1 + 2 * draw(generator, *x), "mask": mask}
        return Case(f"{norm}-norm, {label}", inputs, gradients, Build(config, weights))

    padding = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    padding[1, ..., 3:] = False
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    batch = (2, 5, 6)
    return [
        case("both parts add nothing", "pre", silent="both"),
        case("both parts add nothing", "post", silent="both"),
        case("attention adds nothing", "pre", silent="attention"),
        case("feed-forward adds nothing", "pre", silent="feed-forward"),
        case("2 tokens of width 4", "pre"),
        case("2 tokens of width 4", "post"),
        case("batch 2, 3 heads, padding hidden", "pre", batch, 3, mask=padding),
        case("batch 2, 3 heads, a causal mask", "post", batch, 3, mask=causal),
        case("gradients", "pre", batch, 3, gradients=True),
        case("gradients", "post", batch, 3, gradients=True),
    ]


class _Swapped(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        return x + part(norm(x)) if self.norm == "post" else norm(x + part(x))


class _AlwaysPre(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        return x + part(norm(x))


class _AlwaysPost(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        return norm(x + part(x))


class _FromNormalised(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        if self.norm == "pre":
            x = norm(x)
            return x + part(x)
        return norm(x + part(x))


class _NoResidual(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        return part(norm(x)) if self.norm == "pre" else norm(part(x))


class _OneResidual(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        if norm is self.self_attention_norm:
            return super().around(x, norm, part)
        return part(norm(x)) if self.norm == "pre" else norm(part(x))


class _AttentionAlone(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        if norm is self.feed_forward_norm:
            return super().around(x, norm, part)
        return part(norm(x)) if self.norm == "pre" else norm(part(x))


class _FromTheFirstInput(EncoderLayer):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        y = self.around(x, self.self_attention_norm, lambda x: self.self_attention(x, x, mask))
        if self.norm == "pre":
            return x + self.feed_forward(self.feed_forward_norm(y))
        return self.feed_forward_norm(x + self.feed_forward(y))


class _NoActivation(EncoderLayer):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__(d_model, num_heads, d_ff, norm)
        self.feed_forward.forward = lambda x: self.feed_forward.down(self.feed_forward.up(x))  # type: ignore[method-assign]


class _OneNormTwice(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        return super().around(x, self.self_attention_norm, part)


class _NormsExchanged(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        first = norm is self.self_attention_norm
        other = self.feed_forward_norm if first else self.self_attention_norm
        return super().around(x, other, part)


class _BothPlaces(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        return norm(x + part(norm(x)))


class _BranchNormed(EncoderLayer):
    def around(self, x: Tensor, norm: nn.Module, part: Part) -> Tensor:
        return x + part(norm(x)) if self.norm == "pre" else x + norm(part(x))


class _Parallel(EncoderLayer):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        attended = self.self_attention_norm(x) if self.norm == "pre" else x
        fed = self.feed_forward_norm(x) if self.norm == "pre" else x
        attended = x + self.self_attention(attended, attended, mask)
        if self.norm == "post":
            attended = self.self_attention_norm(attended)
        total = attended + self.feed_forward(fed)
        return total if self.norm == "pre" else self.feed_forward_norm(total)


class _FeedForwardFirst(EncoderLayer):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        x = self.around(x, self.feed_forward_norm, self.feed_forward)
        return self.around(x, self.self_attention_norm, lambda x: self.self_attention(x, x, mask))


class _MaskIgnored(EncoderLayer):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return super().forward(x, None)


class _MaskInverted(EncoderLayer):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return super().forward(x, None if mask is None else ~mask)


class _OnlyQueriesNormed(EncoderLayer):
    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        if self.norm == "post":
            return super().forward(x, mask)
        x = x + self.self_attention(self.self_attention_norm(x), x, mask)
        return self.around(x, self.feed_forward_norm, self.feed_forward)


LAYER = Check(
    name="encoder.layer",
    lesson="05_encoder",
    title="An encoder layer, pre-norm and post-norm",
    answer="EncoderLayer",
    returns=("output",),
    points=3,
    difficulty=4,
    importance=5,
    minutes=20,
    draw=_draw,
    reference=EncoderLayer,
    forbidden=frozenset({"layer"}),
    allowed=("attention",),
    atol=1e-4,
    slips=(
        Misconception(
            "pre and post swapped",
            _Swapped,
            "pre-norm and post-norm have changed places",
            "Pre-norm normalises what a part reads. Post-norm normalises the sum.",
        ),
        Misconception(
            "always pre-norm",
            _AlwaysPre,
            'the layer is pre-norm, even where norm="post" was asked for',
            "The paper's layer ends in a norm. Which of your lines is the last?",
        ),
        Misconception(
            "always post-norm",
            _AlwaysPost,
            'the layer is post-norm, even where norm="pre" was asked for',
            "In a pre-norm layer whose parts add nothing, x comes out as it went in.",
        ),
        Misconception(
            "residual from the normalised input",
            _FromNormalised,
            "the residual starts from norm(x), not from x: the input itself is lost",
            "In a pre-norm layer whose parts add nothing, x comes out as it went in. "
            "Do you assign norm(x) to x?",
        ),
        Misconception(
            "no residual",
            _NoResidual,
            "the input is never added: what a token was is lost",
            "Each part *adds* to its input.",
        ),
        Misconception(
            "no residual around the feed-forward",
            _OneResidual,
            "attention has a residual, the feed-forward has none",
            "Both parts add to their input.",
        ),
        Misconception(
            "no residual around the attention",
            _AttentionAlone,
            "the feed-forward has a residual, attention has none",
            "Both parts add to their input.",
        ),
        Misconception(
            "the second residual from the layer's input",
            _FromTheFirstInput,
            "the feed-forward is added to the layer's input: what the attention added is lost",
            "The second sum starts from the result of the first.",
        ),
        Misconception(
            "no activation",
            _NoActivation,
            "nothing stands between the two linear layers of the feed-forward",
            "Which activation does the exercise name?",
        ),
        Misconception(
            "one norm used twice",
            _OneNormTwice,
            "the norm of the attention also serves the feed-forward; the other is never used",
            "Each part has a norm of its own, with a gain and a shift of its own.",
        ),
        Misconception(
            "norms exchanged",
            _NormsExchanged,
            "the two norms have changed places",
            "`self_attention_norm` belongs to the attention.",
        ),
        Misconception(
            "norms in both places",
            _BothPlaces,
            "each norm is applied twice: before the part and after the sum",
            "Once each; `norm` says where.",
        ),
        Misconception(
            "the branch normalised",
            _BranchNormed,
            "in post-norm the part is normalised before it is added; the sum should be",
            "Eq.: norm(x + part(x)). What stands inside the brackets?",
        ),
        Misconception(
            "parts side by side",
            _Parallel,
            "the feed-forward reads what went into the attention, not what came out",
            "First attention; the feed-forward works on its result.",
        ),
        Misconception(
            "feed-forward first",
            _FeedForwardFirst,
            "the feed-forward comes before the attention",
            "First attention; the feed-forward works on its result.",
        ),
        Misconception(
            "mask ignored",
            _MaskIgnored,
            "the mask never reaches the attention",
            "MultiHeadAttention takes it as `mask=mask`.",
        ),
        Misconception(
            "mask inverted",
            _MaskInverted,
            "the mask is inverted: what is hidden is attended to, and nothing else",
            "In this course True means: may attend. Hand the mask on as it is.",
        ),
        Misconception(
            "only the queries normalised",
            _OnlyQueriesNormed,
            "in pre-norm the queries come from norm(x), but keys and values from x",
            "All three are made from the same normalised tokens.",
        ),
    ),
    hints=(
        "Make four submodules: self_attention, feed_forward, self_attention_norm, "
        "feed_forward_norm. Then write forward for pre-norm alone and run the check.",
        "`MultiHeadAttention` returns a pair: the output and the weights. Take `[0]`.",
        "Pre-norm: `y = self.self_attention_norm(x)`, then "
        "`x = x + self.self_attention(y, mask=mask)[0]`, and the same again for the feed-forward. "
        "Keep x: do not overwrite it with y.",
        "Post-norm: `x = self.self_attention_norm(x + self.self_attention(x, mask=mask)[0])`, and "
        "the same again for the feed-forward.",
    ),
)
