"""heads.module: multi-head attention as an nn.Module, self- and cross-, under a mask."""

import torch
from torch import Generator, Tensor, nn

from transformer_checks.catalogue.draws import Draw, normal, some, tidy
from transformer_checks.checks.cases import Build, Case
from transformer_checks.checks.exercise import Check, Misconception

NAMES = ("query", "key", "value", "output")


class _MultiHead(nn.Module):
    """A right answer; each misconception overrides the one step in which it differs."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_projection = nn.Linear(d_model, d_model)
        self.key_projection = nn.Linear(d_model, d_model)
        self.value_projection = nn.Linear(d_model, d_model)
        self.output_projection = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        heads = [self.split(part) for part in self.project(query, key, value)]
        weights = self.weigh(heads[0] @ heads[1].mT / self.divisor(heads[0]), mask)
        return self.output(self.merge(weights @ heads[2]))

    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        return self.query_projection(query), self.key_projection(key), self.value_projection(value)

    def split(self, tokens: Tensor) -> Tensor:
        return torch.stack(tokens.chunk(self.num_heads, dim=-1), dim=1)

    def divisor(self, query: Tensor) -> float:
        return query.shape[-1] ** 0.5

    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        lowest = torch.finfo(scores.dtype).min
        return scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)

    def merge(self, heads: Tensor) -> Tensor:
        return torch.cat(list(heads.unbind(1)), dim=-1)

    def output(self, tokens: Tensor) -> Tensor:
        return self.output_projection(tokens)


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        draw: Draw,
        shape: tuple[int, int, int, int, int],
        mask: Tensor,
        gradients: bool = False,
    ) -> Case:
        batch, queries, keys, d_model, num_heads = shape
        weights = {}
        for name in NAMES:
            weights[f"{name}_projection.weight"] = draw(generator, d_model, d_model)
            weights[f"{name}_projection.bias"] = draw(generator, d_model)
        inputs = {
            "query": draw(generator, batch, queries, d_model),
            "key": draw(generator, batch, keys, d_model),
            "value": draw(generator, batch, keys, d_model),
            "mask": mask,
        }
        build = Build({"d_model": d_model, "num_heads": num_heads}, weights)
        return Case(label, inputs, gradients=gradients, build=build)

    lengths = torch.tensor([4, 1, 3])
    padding = (torch.arange(4) < lengths[:, None])[:, None, None, :]
    empty = torch.tensor([[True, True, False], [False, False, False]])
    return [
        case(
            "3 tokens, d_model 4, 2 heads, everything allowed",
            tidy,
            (1, 3, 3, 4, 2),
            torch.ones(3, 3).bool(),
        ),
        case("a causal mask", tidy, (1, 3, 3, 4, 2), torch.ones(3, 3).tril().bool()),
        case("2 queries, 5 keys", normal, (2, 2, 5, 6, 3), some(generator, 2, 5)),
        case("3 sentences, padded", normal, (3, 2, 4, 12, 4), padding),
        case("a mask for each head", normal, (2, 3, 4, 6, 3), some(generator, 2, 3, 3, 4)),
        case("a query that may attend to nothing", tidy, (1, 2, 3, 4, 2), empty),
        case("gradients", normal, (2, 3, 4, 6, 2), some(generator, 3, 4), gradients=True),
    ]


class _SplitByView(_MultiHead):
    def split(self, tokens: Tensor) -> Tensor:
        batch, length, width = tokens.shape
        return tokens.reshape(batch, self.num_heads, length, width // self.num_heads)


class _MergedByView(_MultiHead):
    def merge(self, heads: Tensor) -> Tensor:
        batch, num_heads, length, width = heads.shape
        return heads.reshape(batch, length, num_heads * width)


class _SplitAndMergedByView(_SplitByView, _MergedByView):
    pass


class _ScaledByModel(_MultiHead):
    def divisor(self, query: Tensor) -> float:
        return (query.shape[-1] * self.num_heads) ** 0.5


class _NotScaled(_MultiHead):
    def divisor(self, query: Tensor) -> float:
        return 1.0


class _NoOutput(_MultiHead):
    def output(self, tokens: Tensor) -> Tensor:
        return tokens


class _SelfOnly(_MultiHead):
    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        return super().project(query, query, query)


class _KeyAsValue(_MultiHead):
    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        return super().project(query, key, key)


class _KeyAndValueSwapped(_MultiHead):
    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        return super().project(query, value, key)


class _OneProjection(_MultiHead):
    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        linear = self.query_projection
        return linear(query), linear(key), linear(value)


class _LengthOfTheQuery(_MultiHead):
    def project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        return tuple(part.view(query.shape) for part in super().project(query, key, value))


class _MaskIgnored(_MultiHead):
    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        return scores.softmax(-1)


class _MaskInverted(_MultiHead):
    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        return super().weigh(scores, ~mask)


class _MaskAdded(_MultiHead):
    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        return (scores + mask).softmax(-1)


class _MaskAfterSoftmax(_MultiHead):
    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        return scores.softmax(-1) * mask


class _HiddenScoresAreZero(_MultiHead):
    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        return (scores * mask).softmax(-1)


class _EmptyRowAverages(_MultiHead):
    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        return scores.masked_fill(~mask, -1e9).softmax(-1)


class _EmptyRowIsNaN(_MultiHead):
    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        return scores.masked_fill(~mask, -torch.inf).softmax(-1)


class _EmptyRowWithoutBias(_MultiHead):
    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        output = super().forward(query, key, value, mask)
        shape = (len(query), self.num_heads, query.shape[1], key.shape[1])
        seeing = mask.expand(shape).any(-1).any(1)
        return output * seeing[..., None]


class _DividedByWidth(_MultiHead):
    def divisor(self, query: Tensor) -> float:
        return query.shape[-1]


class _SoftmaxOverQueries(_MultiHead):
    def weigh(self, scores: Tensor, mask: Tensor) -> Tensor:
        lowest = torch.finfo(scores.dtype).min
        return scores.masked_fill(~mask, lowest).softmax(-2).masked_fill(~mask, 0.0)


MODULE = Check(
    name="heads.module",
    lesson="03_multi_head_attention",
    title="Multi-head attention as a module",
    answer="MultiHeadAttention",
    returns=("output",),
    points=3,
    difficulty=4,
    importance=5,
    minutes=20,
    draw=_draw,
    reference=_MultiHead,
    forbidden=frozenset({"attention"}),
    atol=1e-4,  # the gradient of the key bias is 0: rounding is all there is of it
    slips=(
        Misconception(
            "heads split by a view",
            _SplitByView,
            "the heads are split by a view alone: each head holds pieces of other tokens",
            "Use your `split_heads`.",
        ),
        Misconception(
            "heads merged without a transpose",
            _MergedByView,
            "the heads are merged without moving the token axis back",
            "Use your `merge_heads`.",
        ),
        Misconception(
            "heads split and merged by a view",
            _SplitAndMergedByView,
            "heads are split and merged by views: each head is a part of the sentence",
            "Change one token: does every row of the output move?",
        ),
        Misconception(
            "scaled by √d_model",
            _ScaledByModel,
            "the divisor is √d_model; the dot product within a head has d_head terms",
            "How wide is the query of one head?",
        ),
        Misconception(
            "not scaled",
            _NotScaled,
            "the scores are not scaled",
            "What are the scores divided by?",
        ),
        Misconception(
            "root forgotten",
            _DividedByWidth,
            "the scores are divided by d_head, not by its root",
            "The spread of a dot product grows like √d_head.",
        ),
        Misconception(
            "no output projection",
            _NoOutput,
            "output_projection is made but never called",
            "The merged heads still go through the output projection.",
        ),
        Misconception(
            "keys and values from the query",
            _SelfOnly,
            "keys and values are made from the query: this layer can only attend to itself",
            "Three inputs, three projections. In cross-attention they are different tokens.",
        ),
        Misconception(
            "values from the key",
            _KeyAsValue,
            "the values are made from `key`",
            "Most callers pass the same tokens as key and value, but not all.",
        ),
        Misconception(
            "key and value swapped",
            _KeyAndValueSwapped,
            "`key` and `value` are exchanged",
            "The order of the arguments is query, key, value, mask.",
        ),
        Misconception(
            "one projection for all three",
            _OneProjection,
            "query_projection is used for keys and values as well",
            "Each of the three has a projection of its own.",
        ),
        Misconception(
            "as many keys as queries",
            _LengthOfTheQuery,
            "the number of queries is used for keys and values as well",
            "Read the length from the tensor that is being split.",
        ),
        Misconception(
            "mask ignored",
            _MaskIgnored,
            "the mask is not used",
            "Where, between scores and softmax, does the mask belong?",
        ),
        Misconception(
            "mask inverted",
            _MaskInverted,
            "the mask is read the other way round",
            "True = may attend. Hide where it is False.",
        ),
        Misconception(
            "mask added to the scores",
            _MaskAdded,
            "a boolean mask is added to the scores: allowed pairs gain 1, nothing is hidden",
            "`masked_fill` replaces scores where a mask is True.",
        ),
        Misconception(
            "mask after the softmax",
            _MaskAfterSoftmax,
            "the mask is applied after the softmax: the rows no longer sum to one",
            "Hide the scores first, then take the softmax.",
        ),
        Misconception(
            "hidden scores are zero",
            _HiddenScoresAreZero,
            "a hidden score is 0: e⁰ = 1 still takes its share",
            "Which number, before the softmax, becomes a weight of 0?",
        ),
        Misconception(
            "an empty row averages",
            _EmptyRowAverages,
            "a query that may attend to nothing averages everything",
            "Set the hidden weights to zero once more, after the softmax.",
        ),
        Misconception(
            "an empty row is NaN",
            _EmptyRowIsNaN,
            "a query that may attend to nothing gets NaN",
            "Minus infinity in a whole row is 0/0. Which finite number serves as well?",
        ),
        Misconception(
            "an empty row without the bias",
            _EmptyRowWithoutBias,
            "the whole output of a query that may attend to nothing is 0",
            "Its heads give 0. The output projection still adds its bias.",
        ),
        Misconception(
            "softmax over the queries",
            _SoftmaxOverQueries,
            "the softmax runs over the queries",
            "Each query shares out one unit of attention over the keys.",
        ),
    ),
    hints=(
        "In `__init__`: four `nn.Linear(d_model, d_model)` under the names of the exercise, and "
        "num_heads.",
        "In `forward`: project each input with its own layer, split all three, attend under the "
        "mask, merge, project.",
        "`masked_attention` of exercises 02 is what the middle needs. Its mask broadcasts to "
        "(batch, heads, queries, keys), and a row without any True gives 0.",
    ),
)
