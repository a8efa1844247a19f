"""attention.scores: one number for each query and each key."""

from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, gapped, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def pair(
        draw: Draw, leading: tuple[int, ...], queries: int, keys: int, d_head: int
    ) -> dict[str, Value]:
        return {"query": draw(generator, *leading, queries, d_head),
                "key": draw(generator, *leading, keys, d_head)}

    def large(generator: Generator, *shape: int) -> Tensor:
        return 10 * (10 * normal(generator, *shape)).round()  # whole: what cancels leaves 0

    return [
        Case("2 queries, 3 keys, d_head 4", pair(tidy, (), 2, 3, 4)),
        Case("3 queries, 2 keys, d_head 5, large numbers", pair(large, (), 3, 2, 5)),
        Case("batch 2, 6 queries, 4 keys, d_head 1", pair(normal, (2,), 6, 4, 1)),
        Case("batch 2, heads 3, 5 queries, 7 keys, d_head 8", pair(normal, (2, 3), 5, 7, 8)),
        Case("batch 1, one head, 1 query, 4 keys, d_head 6", pair(normal, (1, 1), 1, 4, 6)),
        Case("batch 3, heads 2, 2 queries, 3 keys, d_head 4", pair(normal, (3, 2), 2, 3, 4)),
        Case("batch 1, 2 queries, 1 key, d_head 3", pair(normal, (1,), 2, 1, 3)),
        Case("3 queries, 3 keys, the second of each zero", pair(gapped, (), 3, 3, 4)),
        Case("18 queries, 20 keys, d_head 22", pair(normal, (), 18, 20, 22)),
    ]


_ROOT = "math.sqrt(query.shape[-1])"

CHECK = Check(
    name="attention.scores", lesson="02_self_attention", title="Scaled scores",
    answer="attention_scores", returns=("scores",), draw=_draw,
    points=1, difficulty=1, importance=5, minutes=5, forbidden=frozenset({"attention"}),
    slips=(
        Slip("not scaled", {f" / {_ROOT}": ""}, "the dot products are not scaled",
             "Each is a sum of d_head terms. How does the spread of such a sum grow?"),
        Slip("divided by d_head", {_ROOT: "query.shape[-1]"},
             "the dot products are divided by d_head, not by its square root",
             "The variance of a sum of d_head terms is d_head. What is its standard deviation?"),
        families.scaled_by_root_of_d_model(
            {_ROOT: "math.sqrt(query.shape[-1] * (query.shape[-3] if query.dim() > 3 else 1))"}),
        Slip("scaled by the number of queries", {_ROOT: "math.sqrt(query.shape[-2])"},
             "the divisor is the root of the number of queries",
             "Which axis does the dot product sum over? Its length is under the root."),
        Slip("scaled by the number of keys", {_ROOT: "math.sqrt(key.shape[-2])"},
             "the divisor is the root of the number of keys",
             "Which axis does the dot product sum over? Its length is under the root."),
        Slip("width read from the second axis", {_ROOT: "math.sqrt(query.shape[1])"},
             "the divisor is the root of the size of axis 1, the last one only where there is no "
             "batch",
             "Count axes from the end: the width is always the last."),
        families.fixed_width(64, {_ROOT: "math.sqrt(64)"}),
        families.fixed_width(4, {_ROOT: "math.sqrt(4)"}),
        families.power_before_division({_ROOT: "query.shape[-1] ** 1/2"}),
        Slip("cosine similarity", {
                 "query @ key.transpose":
                     "torch.nn.functional.normalize(query, dim=-1, eps=0)"
                     " @ torch.nn.functional.normalize(key, dim=-1, eps=0).transpose",
                 f" / {_ROOT}": "",
             },
             "these are cosines: the vectors were normalised first",
             "Attention divides every score by the same number, so long keys can score higher."),
        Slip("distances", {"query @ key.transpose(-2, -1)": "-torch.cdist(query, key)"},
             "the scores are distances, not dot products",
             "How well a key answers a query is told by their dot product."),
    ),
)
