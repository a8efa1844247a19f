"""attention.attend: scores, weights, and the average of the values."""

from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, gapped, normal, spread, tidy, uneven_columns
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def triple(
        draw: Draw, leading: tuple[int, ...], queries: int, keys: int, d_head: int, d_value: int,
        scale: float = 1.0,
    ) -> dict[str, Tensor]:
        return {"query": scale * draw(generator, *leading, queries, d_head),
                "key": draw(generator, *leading, keys, d_head),
                "value": draw(generator, *leading, keys, d_value)}

    zero = triple(tidy, (), 4, 4, 3, 3)
    zero["key"][1] = 0.0  # its scores are 0, which is a score like any other
    cases = [
        Case("2 queries, 3 keys, d_head 4, d_value 2", triple(tidy, (), 2, 3, 4, 2)),
        Case("4 tokens, d_head and d_value 3, one key zero", zero),
        Case("large scores", triple(normal, (), 3, 5, 4, 2, 1000.0)),
        Case("batch 2, heads 3, 5 queries, 7 keys", triple(normal, (2, 3), 5, 7, 8, 6)),
        Case("one key", triple(normal, (2,), 3, 1, 4, 2)),
        Case("gradients", triple(normal, (2,), 3, 4, 5, 2), gradients=True),
        Case("batch 1, one head, one query", triple(normal, (1, 1), 1, 4, 3, 5)),
    ]
    many = {"query": normal(generator, 18, 22) * spread(22),
            "key": normal(generator, 20, 22) / (2 * spread(22)),
            "value": uneven_columns(generator, 20, 19)}
    same, tokens = normal(generator, 2, 3), ("query", "key", "value")
    return [
        *cases,
        Case("18 queries, 20 keys, numbers of many sizes", many),
        Case("3 tokens, the second zero", triple(gapped, (), 3, 3, 4, 2)),
        Case("2 keys, d_value 1", triple(normal, (2,), 3, 2, 4, 1)),
        Case("batch 3, heads 2", triple(normal, (3, 2), 2, 3, 4, 2)),
        Case("2 tokens that ask, answer and say the same", dict.fromkeys(tokens, same)),
    ]


_SCORES = "attention_scores(query, key)"
_WEIGHTS = f"softmax({_SCORES})"
_UNSCALED = "query @ key.transpose(-2, -1)"

CHECK = Check(
    name="attention.attend", lesson="02_self_attention", title="Scaled dot-product attention",
    answer="attend", returns=("output", "weights"), draw=_draw,
    points=2, difficulty=2, importance=5, minutes=8, forbidden=frozenset({"attention"}),
    slips=(
        families.softmax_over_queries({_WEIGHTS: f"torch.softmax({_SCORES}, dim=-2)"}),
        Slip("not scaled", {_SCORES: _UNSCALED},
             "the scores are not scaled: the weights are too sure of themselves",
             "What does eq. 1 divide the scores by?"),
        Slip("scaled after the softmax",
             {_WEIGHTS: f"softmax({_UNSCALED}) / math.sqrt(query.shape[-1])"},
             "the weights are divided instead of the scores: rows no longer sum to one",
             "Scale first, softmax second."),
        families.divided_by_d_head({_SCORES: f"{_UNSCALED} / query.shape[-1]"}),
        families.fixed_width(64, {_SCORES: f"{_UNSCALED} / math.sqrt(64)"}),
        families.scaled_by_root_of_d_model({
            _SCORES:
                f"{_UNSCALED} / math.sqrt("
       "query.shape[-1] * (query.shape[-3] if query.dim() > 3 else 1))",
        }),
        Slip("no maximum subtracted", {
                 f"weights = {_WEIGHTS}":
                     f"exponentials = torch.exp({_SCORES})\n"
                     "    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)",
             },
             "large scores overflow in the exponential",
             "Use the softmax of the first exercise, or torch.softmax."),
        Slip("softmax twice", {_WEIGHTS: f"softmax({_WEIGHTS})"},
             "softmax was applied twice: the weights are nearly uniform", "Once is enough."),
        Slip("results swapped", {"weights @ value, weights": "weights, weights @ value"},
             "weights and output come back in the wrong order",
             "Return the output first, then the weights."),
        Slip("weights detached", {"weights @ value": "weights.detach() @ value"},
             "no gradient reaches query and key: the weights were detached",
             "Leave out .detach(), .data, .item() and torch.tensor(…) on the way."),
        Slip("only the best key", {
                 f"weights = {_WEIGHTS}":
                     f"best = {_SCORES}.argmax(dim=-1)\n"
                     "    weights = torch.nn.functional.one_hot(best, key.shape[-2]).to(key.dtype)",
             },
             "each query takes the value of one key: that is an argmax, not an average",
             "A soft choice gives every key some weight, so that gradients can flow."),
        Slip("a causal mask", {
                 _SCORES:
                     f"{_SCORES}.masked_fill(torch.ones(query.shape[-2], key.shape[-2])"
                     ".triu(1).bool(), -torch.inf)",
             },
             "the keys behind a query's own place are masked",
             "No mask is asked for here: every query may look at every key."),
        Slip("all keys alike", {_WEIGHTS: f"torch.ones_like({_SCORES}) / key.shape[-2]"},
             "every key gets the same weight, whatever its score",
             "The weights come from the scores. Which function turns one into the other?"),
    ),
)
