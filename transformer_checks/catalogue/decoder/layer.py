"""decoder.layer: self-attention, cross-attention and feed-forward on a residual path."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, some, tidy, uneven
from transformer_checks.checks.cases import Build, Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, shape: tuple[int, int, int], sizes: tuple[int, int, int], hidden: int = 0,
        gradients: bool = False,
    ) -> Case:
        batch, tokens, length = shape
        d_model, num_heads, d_ff = sizes
        config = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
        shapes = {n: tuple(p.shape) for n, p in CHECK.right(**config).named_parameters()}
        weights = {n: _weight(generator, n, shape) for n, shape in shapes.items()}
        draw = tidy if batch == 1 else normal
        memory_mask = torch.ones(batch, 1, 1, length, dtype=torch.bool)
        memory_mask[-1, ..., length - hidden :] = False
        return Case(label, {
            # Far from mean 0 and deviation 1, or one norm too many would hardly show.
            "x": 2 * draw(generator, batch, tokens, d_model) + 1,
            "memory": 2 * draw(generator, batch, length, d_model) - 1,
            "mask": torch.ones(tokens, tokens, dtype=torch.bool).tril()[None, None],
            "memory_mask": memory_mask,
        }, gradients=gradients, build=Build(config, weights))

    shown = case("", (1, 2, 3), (4, 2, 6))
    heads = case("", (3, 2, 3), (6, 3, 6))
    of_heads = {"mask": some(generator, 3, 3, 2, 2), "memory_mask": some(generator, 3, 3, 2, 3)}
    masks = {"mask": torch.zeros(1, 1, 2, 2).bool(), "memory_mask": some(generator, 1, 1, 2, 3)}
    cases = [
        case("1 sentence, 2 target and 3 source tokens", (1, 2, 3), (4, 2, 6)),
        case("a source with padding", (1, 3, 4), (4, 2, 6), hidden=2),
        case("as many target as source tokens", (2, 4, 4), (6, 3, 8), hidden=1),
        case("2 sentences, 4 target and 3 source tokens", (2, 4, 3), (6, 2, 9), hidden=1),
        case("gradients", (2, 3, 4), (4, 2, 6), hidden=1, gradients=True),
        case("2 source tokens", (2, 3, 2), (4, 2, 6), hidden=1),
        case("3 sentences", (3, 2, 3), (4, 2, 6), hidden=1),
        case("a source of nothing but padding", (1, 2, 2), (4, 2, 6), hidden=2),
        replace(shown, label="masks of other kinds", inputs={**shown.inputs, **masks}),
        replace(heads, label="a mask for each of 3 heads", inputs={**heads.inputs, **of_heads}),
    ]
    own = case("each sentence has a mask of its own", (2, 3, 4), (4, 2, 6))
    mask = some(generator, 2, 1, 3, 3)

    def of_many_sizes() -> Case:
        drawn = case("20 target and 18 source tokens of many sizes", (1, 20, 18), (36, 18, 38))
        sizes = {
            "x": uneven(generator, 1, 20, 36),
            "memory": 2 * normal(generator, 1, 18, 36) + 12 * torch.eye(36)[0],  # beyond 10
            "memory_mask": some(generator, 1, 1, 20, 18),
        }
        return replace(drawn, inputs={**drawn.inputs, **sizes})

    heads = case("each head has masks of its own", (2, 3, 4), (4, 2, 6))
    masks = {"mask": some(generator, 2, 2, 3, 3), "memory_mask": some(generator, 2, 2, 3, 4)}
    return [
        *cases,
        replace(own, inputs={**own.inputs, "mask": mask}),
        replace(heads, inputs={**heads.inputs, **masks}),
        case("one head, one target and one source token", (2, 1, 1), (4, 1, 6)),
        _where_only_the_masks_matter(case("training mode", (1, 2, 3), (4, 2, 3), hidden=2)),
        of_many_sizes(),
    ]


def _where_only_the_masks_matter(case: Case) -> Case:
    """The case in training mode, where a right answer may use dropout: so nothing is left to drop.

    The feed-forward gives zero by its weights, both attentions because all that is not zero is
    hidden. Where a mask is ignored, it shows.
    """
    assert case.build
    x, memory = case.inputs["x"], case.inputs["memory"]
    assert isinstance(x, Tensor) and isinstance(memory, Tensor)
    x[:, 0] = 0.0
    memory[:, 0] = 0.0
    silent = ("down.weight", "down.bias", "norm.bias", "value_projection.bias")
    weights = dict(case.build.weights)
    for name in weights:
        if name.endswith((*silent, "output_projection.bias")):
            weights[name] = torch.zeros_like(weights[name])
    first = torch.tensor([True, False]).expand(1, 1, 2, 2)
    build = replace(case.build, weights=weights, training=True)
    return replace(case, inputs={**case.inputs, "mask": first}, build=build)


def _weight(generator: Generator, name: str, shape: tuple[int, ...]) -> Tensor:
    """Weights of moderate size; gains that are not 1 and biases that are not 0."""
    drawn = normal(generator, *shape)
    if name.endswith("norm.weight"):
        return 1 + 0.5 * drawn
    return drawn / shape[-1] ** 0.5


_SELF = "        x = x + self.self_attention(self.self_attention_norm(x), mask=mask)[0]\n"
_CROSS = """\
        normed = self.cross_attention_norm(x)
        x = x + self.cross_attention(normed, memory, mask=memory_mask)[0]
"""
_FEED = "        return x + self.down(F.relu(self.up(self.feed_forward_norm(x))))\n"

CHECK = Check(
    name="decoder.layer", lesson="06_decoder", title="A decoder layer",
    answer="DecoderLayer", returns=("output",), draw=_draw,
    points=3, difficulty=3, importance=5, minutes=20,
    forbidden=frozenset({"layer"}), allowed=("attention",),
    slips=(
        Slip("post-norm", {_SELF + _CROSS + _FEED: """\
        x = self.self_attention_norm(x + self.self_attention(x, mask=mask)[0])
        x = self.cross_attention_norm(x + self.cross_attention(x, memory, mask=memory_mask)[0])
        return self.feed_forward_norm(x + self.down(F.relu(self.up(x))))
"""},
             "the norms stand after the parts: this is a post-norm layer",
             "Pre-norm: what goes *into* a part is normed, what is added up is not."),
        Slip("the second residual after the cross-attention too", {_CROSS + _FEED: """\
        normed = self.cross_attention_norm(x)
        y = x + self.cross_attention(normed, memory, mask=memory_mask)[0]
        return x + self.down(F.relu(self.up(self.feed_forward_norm(y))))
"""},
             "the feed-forward is added to what went into the cross-attention: what that added is "
             "lost",
             "The third sum starts from the result of the second."),
        Slip("all residuals from the layer's input", {
                 _SELF: "        residual = x\n" + _SELF,
                 "x = x + self.cross_attention(": "x = residual + self.cross_attention(",
                 "return x + ": "return residual + ",
             },
             "every part is added to the layer's input: what the parts before it added is lost",
             "Each sum starts from the result of the one before it."),
        Slip("memory ignored", {"(normed, memory, mask=memory_mask)": "(normed, mask=mask)"},
             "the cross-attention attends to the target: the memory is never read",
             "Where do keys and values of the cross-attention come from?"),
        Slip("cross-attention first", {_SELF + _CROSS: _CROSS + _SELF},
             "the cross-attention comes before the self-attention",
             "In which order do the three parts stand in the paper's figure 1?"),
        Slip("memory normed again",
             {"normed, memory,": "normed, self.cross_attention_norm(memory),"},
             "the memory goes through the norm of the cross-attention too",
             "The encoder has normed its output already. Which side is normed here?"),
        Slip("queries of the cross-attention not normed", {"self.cross_attention_norm(x)": "x"},
             "the queries of the cross-attention are not normed",
             "Each of the three parts has a norm before it."),
        Slip("only the queries of the self-attention normed",
             {"self.self_attention(self.self_attention_norm(x), ":
                  "self.self_attention(self.self_attention_norm(x), x, x, "},
             "in the self-attention the queries are normed, keys and values are not",
             "All three are made from the same normed rows."),
        Slip("one norm for both attentions",
             {"self.cross_attention_norm(x)": "self.self_attention_norm(x)"},
             "the norm of the self-attention also serves the cross-attention",
             "Each part has a norm of its own, with its own gain."),
        Slip("the cross-attention reads the layer's input", {
                 _SELF: "        y = x\n" + _SELF,
                 "self.cross_attention_norm(x)": "self.cross_attention_norm(y)",
             },
             "the queries of the cross-attention are made from the layer's input, before the "
             "self-attention",
             "Each part reads what the one before it has left on the residual path."),
        Slip("one norm for all parts",
             {"self.cross_attention_norm(x)": "self.self_attention_norm(x)",
              "self.feed_forward_norm(x)": "self.self_attention_norm(x)"},
             "the norm of the self-attention is used three times",
             "Each part has a norm of its own, with its own gain."),
        Slip("residual taken from the norm", {_SELF + _CROSS + _FEED: """\
        x = self.self_attention_norm(x)
        x = x + self.self_attention(x, mask=mask)[0]
        x = self.cross_attention_norm(x)
        x = x + self.cross_attention(x, memory, mask=memory_mask)[0]
        x = self.feed_forward_norm(x)
        return x + self.down(F.relu(self.up(x)))
"""},
             "each part is added to the *normed* input",
             "The residual path goes around norm and part both."),
        Slip("no residual around the cross-attention",
             {"x + self.cross_attention(": "self.cross_attention("},
             "the cross-attention replaces its input instead of adding to it",
             "All three parts stand on a residual path."),
        Slip("no residual around the feed-forward", {"return x + ": "return "},
             "the feed-forward replaces its input instead of adding to it",
             "All three parts stand on a residual path."),
        Slip("no residual around the self-attention",
             {"x + self.self_attention(": "self.self_attention("},
             "the self-attention replaces its input instead of adding to it",
             "All three parts stand on a residual path."),
        Slip("parts side by side",
             {"x = x + self.self_attention(": "y = x + self.self_attention(",
              "x = x + self.cross_attention(": "y = y + self.cross_attention(",
              "return x +": "return y +"},
             "all three parts read the layer's input",
             "Each part reads what the one before it has left on the residual path."),
        Slip("no activation", {"F.relu(self.up(self.feed_forward_norm(x)))":
                               "self.up(self.feed_forward_norm(x))"},
             "there is nothing between the two linear layers",
             "Two linear layers in a row are one. What stands between them?"),
        Slip("no cross-attention", {_CROSS: ""},
             "there is no cross-attention: the source is never read", "The layer has three parts."),
        Slip("mask of the memory inverted", {"mask=memory_mask": "mask=~memory_mask"},
             "the mask of the memory is inverted: only the padding of the source is read",
             "True means: may attend. MultiHeadAttention takes it so, too."),
        Slip("causal mask inverted", {"mask=mask": "mask=~mask"},
             "the mask of the self-attention is inverted: a token reads what it must not",
             "True means: may attend. MultiHeadAttention takes it so, too."),
        Slip("GELU for ReLU", {"F.relu": "F.gelu"}, "the activation is GELU, not ReLU",
             "The exercise names the one that stands between `up` and `down`."),
        Slip("feed-forward not normed", {"self.feed_forward_norm(x)": "x"},
             "the feed-forward reads the stream without a norm",
             "Each of the three parts has a norm before it."),
        Slip("self-attention not normed", {"self.self_attention_norm(x)": "x"},
             "the self-attention reads the stream without a norm",
             "Each of the three parts has a norm before it."),
    ),
)
