"""heads.grouped: heads that share keys and values, converted from heads that do not."""

from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, gapped, half, normal, spread, tidy, whole
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, tokens: tuple[int, int, int], heads: tuple[int, int], d_head: int, d_value: int
    ) -> dict[str, Value]:
        d_model, num_heads = tokens[-1], heads[0]
        return {"tokens": draw(generator, *tokens),
                "w_query": draw(generator, d_model, num_heads * d_head),
                "w_key": draw(generator, d_model, num_heads * d_head),
                "w_value": draw(generator, d_model, num_heads * d_value),
                "w_output": draw(generator, num_heads * d_value, d_model), "num_heads": num_heads,
                "num_kv_heads": heads[1]}

    cases = [
        Case("4 heads of width 1, 2 of them for keys", inputs(tidy, (1, 2, 3), (4, 2), 1, 1)),
        Case("2 heads of width 2, 1 for keys", inputs(tidy, (1, 2, 3), (2, 1), 2, 2)),
        Case("6 heads, 2 for keys", inputs(half, (2, 5, 7), (6, 2), 3, 3)),
        Case("6 heads, 3 for keys", inputs(normal, (3, 4, 5), (6, 3), 2, 2)),
        Case("values wider than queries and keys", inputs(normal, (2, 3, 4), (4, 2), 3, 5)),
        Case("8 heads, 1 for keys", inputs(normal, (2, 3, 5), (8, 1), 3, 2)),
        Case("as many heads for keys as for queries", inputs(normal, (2, 4, 6), (3, 3), 2, 2)),
        Case("one head", inputs(normal, (2, 3, 4), (1, 1), 3, 3)),
        Case("a sentence of one token", inputs(normal, (1, 1, 4), (4, 2), 2, 2)),
        Case("gradients", inputs(normal, (2, 3, 4), (4, 2), 2, 3), gradients=True),
        # Beside small results what large scores round is no matter.
        Case("large scores",
             inputs(whole, (2, 4, 6), (4, 2), 4, 3) | {"w_output": tidy(generator, 12, 6) / 1000}),
    ]
    sizes, of_values = spread(19), spread(17).repeat_interleave(6)  # one for both heads of a group
    many: dict[str, Value] = {
        "tokens": normal(generator, 2, 18, 19) * sizes,
        "w_query": normal(generator, 19, 68) / (4 * sizes[:, None]),
        "w_key": normal(generator, 19, 68) / sizes[:, None],
        "w_value": normal(generator, 19, 102) * of_values / (16 * sizes[:, None]),
        "w_output": normal(generator, 102, 19) / of_values[:, None], "num_heads": 34,
        "num_kv_heads": 17,
    }
    zero = inputs(tidy, (1, 3, 4), (4, 2), 2, 2) | {"tokens": gapped(generator, 1, 3, 4)}
    return [
        *cases,
        Case("18 tokens, 34 heads, 17 for keys, numbers of many sizes", many),
        Case("a token of zeros", zero),
    ]


_APART = {"(num_kv_heads, group, -1)).mean(2)": "(group, num_kv_heads, -1)).mean(1)"}
_INTERLEAVED = "repeat_interleave(group, dim=1)"
_TURNS = {_INTERLEAVED: "repeat(1, group, 1, 1)"}

CHECK = Check(
    name="heads.grouped", lesson="03_multi_head_attention", title="Fewer keys than queries",
    answer="grouped_attention", returns=("output", "w_key", "w_value"), draw=_draw,
    points=2, difficulty=4, importance=4, minutes=18, forbidden=frozenset({"attention"}),
    slips=(
        Slip("heads that stand apart averaged", _APART,
             "heads that stand num_kv_heads apart are averaged; a group is neighbours",
             "With six heads and two for keys: which three does the first one replace?"),
        Slip("a group's size for the number of groups",
             {"group = num_heads // num_kv_heads":
                  "group, num_kv_heads = num_kv_heads, num_heads // num_kv_heads"},
             "num_kv_heads is taken for the number of heads in a group",
             "With six heads and num_kv_heads = 2 there are two groups, of three heads each."),
        Slip("shared heads in turns", _TURNS,
             "head h reads the keys and values h % num_kv_heads: the groups are no neighbours",
             "The first num_heads // num_kv_heads heads all read shared head 0. "
             "`repeat` and `repeat_interleave` differ in this."),
        Slip("groups of heads that stand apart", _APART | _TURNS,
             "a group is made of heads that stand num_kv_heads apart",
             "With six heads and two for keys the first group is 0, 1 and 2."),
        Slip("first head of the group", {".mean(2)": "[:, :, 0]"},
             "the first head of each group is kept and the others are thrown away",
             "The shared head is the mean of all that it replaces."),
        Slip("first heads", {".mean(2)": ".flatten(1, 2)[:, :num_kv_heads]"},
             "the first heads are kept, whatever group they belong to, and the others thrown away",
             "Every group becomes one head: the mean of its own."),
        families.scaled_by_root_of_d_model({"query.shape[-1]": "tokens.shape[-1]"}),
        families.not_scaled({" / math.sqrt(query.shape[-1])": ""}),
        families.root_forgotten({"math.sqrt(query.shape[-1])": "query.shape[-1]"}),
        families.no_softmax({"torch.softmax(": "(", ", dim=-1": ""}),
        families.fixed_width(64, {"query.shape[-1]": "64"}),
        families.softmax_over_queries({"dim=-1": "dim=-2"}),
        families.softmax_over_heads({"[-1]), dim=-1": "[-1]), dim=1"}),
        families.heads_merged_without_a_transpose(
            {"merge_heads(weights @ value)": "(weights @ value).reshape(*tokens.shape[:2], -1)"}),
        Slip("no output projection", {" @ w_output": ""}, "w_output is not used",
             "There are as many heads as before, and they meet w_output as before."),
    ),
)
