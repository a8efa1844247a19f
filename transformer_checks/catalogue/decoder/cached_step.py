"""decoder.cached_step: one new token, and the keys and values of those before it."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, normal, spread, tidy, whole
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(draw: Draw, batch: int, past: int, num_heads: int, d_head: int) -> dict[str, Value]:
        d_model = num_heads * d_head
        return {"new": draw(generator, batch, 1, d_model),
                "keys": draw(generator, batch, num_heads, past, d_head),
                "values": draw(generator, batch, num_heads, past, d_head),
                "w_query": draw(generator, d_model, d_model),
                "w_key": draw(generator, d_model, d_model),
                "w_value": draw(generator, d_model, d_model)}

    def of_many_sizes() -> dict[str, Value]:
        size = spread(36)
        names = ("w_query", "w_key", "w_value")
        return {"new": size * normal(generator, 1, 1, 36), "keys": normal(generator, 1, 2, 20, 18),
                "values": 5 * normal(generator, 1, 2, 20, 18),
                **{name: 0.2 * normal(generator, 36, 36) / size[:, None] for name in names}}

    large = inputs(whole, 1, 4, 2, 2)  # products of whole numbers are 0 or far from it
    assert isinstance(large["keys"], Tensor)
    # Two of the four scores are large and positive, and not equal.
    large["keys"] = 1e4 * large["keys"][:, :, :1] * torch.tensor([[1.0], [-1.0], [2.0], [-2.0]])
    zero = inputs(tidy, 1, 3, 2, 2)
    assert isinstance(zero["keys"], Tensor)
    zero["keys"][:, :, 1] = 0.0
    return [
        Case("2 cached tokens, one head of width 2", inputs(tidy, 1, 2, 1, 2)),
        Case("3 cached tokens, 2 heads of width 2", inputs(tidy, 1, 3, 2, 2)),
        Case("an empty cache: the first token of two texts", inputs(tidy, 2, 0, 2, 2)),
        Case("1 cached token", inputs(tidy, 1, 1, 2, 2)),
        Case("batch 2, 5 cached tokens, 3 heads of width 4", inputs(normal, 2, 5, 3, 4)),
        Case("batch 2, 4 cached tokens, 3 heads of width 2", inputs(normal, 2, 4, 3, 2)),
        Case("large numbers in the cached keys", large),
        Case("20 cached tokens, 2 heads of width 18, columns of many sizes", of_many_sizes()),
        Case("a cached key of zeros", zero),
        Case("1100 cached tokens", inputs(normal, 1, 1100, 1, 2)),
        Case("a new token of zeros", inputs(tidy, 1, 2, 2, 2) | {"new": torch.zeros(1, 1, 4)}),
        Case("batch 3, one cached token, one head", inputs(normal, 3, 1, 1, 4)),
        Case("batch 17, 2 cached tokens", inputs(normal, 17, 2, 2, 2)),
    ]


_RETURNED = "flatten(-2), all_keys, all_values"

CHECK = Check(
    name="decoder.cached_step", lesson="06_decoder", title="One step with a cache",
    answer="cached_step", returns=("output", "keys", "values"), draw=_draw,
    points=3, difficulty=3, importance=5, minutes=15, forbidden=frozenset({"attention"}),
    slips=(
        Slip("cache not advanced", {_RETURNED: "flatten(-2), keys, values"},
             "the cache comes back as it went in: the next step will not know this token",
             "Return the keys and values with the new token's at the end."),
        Slip("does not see itself", {"@ all_keys": "@ keys", "@ all_values": "@ values"},
             "the new token does not attend to itself",
             "Its own key is among the keys it may see. When is it appended?"),
        families.mask_aligned_to_the_first_key(
            {"    heads =": "    future = torch.ones_like(scores[0, 0]).triu(1).bool()\n"
                            "    scores = scores.masked_fill(future, -math.inf)\n"
                            "    heads ="}),
        families.value_projected_as_key({"new @ w_value": "new @ w_key"}),
        families.scaled_by_root_of_d_model({"math.sqrt(keys.shape[3])": "math.sqrt(new.shape[2])"}),
        Slip("divided by d_head", {"math.sqrt(keys.shape[3])": "keys.shape[3]"},
             "the divisor is d_head, not its root",
             "How many terms has the dot product of a query and a key in one head?"),
        Slip("matrices transposed",
             {"@ w_query": "@ w_query.mT", "@ w_key": "@ w_key.mT", "@ w_value": "@ w_value.mT"},
             "the matrices are transposed, as those of nn.Linear are",
             "Here they stand on the right, as they are: `new @ w_key`."),
        families.not_scaled({" / math.sqrt(keys.shape[3])": ""}),
        Slip("scaled by √num_heads", {"math.sqrt(keys.shape[3])": "math.sqrt(keys.shape[1])"},
             "the divisor is the root of the number of heads",
             "How many terms has the dot product of a query and a key in one head?"),
        families.softmax_over_heads({"softmax(dim=-1)": "softmax(dim=1)"}),
        Slip("exponentials overflow",
             {"scores.softmax(dim=-1)": "(scores.exp() / scores.exp().sum(dim=-1, keepdim=True))"},
             "the exponential of a large score is infinite",
             "Take the largest score away first, or use PyTorch's softmax."),
        Slip("heads interleaved", {"heads.transpose(1, 2)": "heads.permute(0, 2, 3, 1)"},
             "the numbers of the heads are interleaved in the output",
             "The heads stand side by side: all of the first, then all of the second."),
    ),
)
