"""heads.grouped: heads that share keys and values, converted from heads that do not."""

from torch import Generator

from transformer_checks.catalogue.draws import Draw, gapped, half, normal, spread, tidy, whole
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw,
        tokens: tuple[int, int, int],
        heads: tuple[int, int],
        d_head: int,
        d_value: int,
    ) -> dict[str, Value]:
        d_model, num_heads = tokens[-1], heads[0]
        return {
            "tokens": draw(generator, *tokens),
            "w_query": draw(generator, d_model, num_heads * d_head),
            "w_key": draw(generator, d_model, num_heads * d_head),
            "w_value": draw(generator, d_model, num_heads * d_value),
            "w_output": draw(generator, num_heads * d_value, d_model),
            "num_heads": num_heads,
            "num_kv_heads": heads[1],
        }

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
        Case(
            "large scores",
            inputs(whole, (2, 4, 6), (4, 2), 4, 3) | {"w_output": tidy(generator, 12, 6) / 1000},
        ),
    ]
    sizes, of_values = spread(19), spread(17).repeat_interleave(6)  # one for both heads of a group
    many: dict[str, Value] = {
        "tokens": normal(generator, 2, 18, 19) * sizes,
        "w_query": normal(generator, 19, 68) / (4 * sizes[:, None]),
        "w_key": normal(generator, 19, 68) / sizes[:, None],
        "w_value": normal(generator, 19, 102) * of_values / (16 * sizes[:, None]),
        "w_output": normal(generator, 102, 19) / of_values[:, None],
        "num_heads": 34,
        "num_kv_heads": 17,
    }
    zero = inputs(tidy, (1, 3, 4), (4, 2), 2, 2) | {"tokens": gapped(generator, 1, 3, 4)}
    return [
        *cases,
        Case("18 tokens, 34 heads, 17 for keys, numbers of many sizes", many),
        Case("a token of zeros", zero),
    ]


_GROUPS = "w.unflatten(1, (num_kv_heads, group, -1))"
_MEAN = f"{_GROUPS}.mean(2).flatten(1)"
_APART = {"(num_kv_heads, group, -1)).mean(2)": "(group, num_kv_heads, -1)).mean(1)"}
_INTERLEAVED = "repeat_interleave(group, dim=1)"
_TURNS = {_INTERLEAVED: "repeat(1, group, 1, 1)"}
_WEIGHTS = "torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)"
_BEFORE = {"    group =": "    old_key, old_value = w_key, w_value\n    group ="}
_SHARED = "num_kv_heads).repeat_interleave(group, dim=1)"
_OLD_KEYS = _BEFORE | {f"tokens @ w_key, {_SHARED}": "tokens @ old_key, num_heads)"}
_OLD_VALUES = _BEFORE | {f"tokens @ w_value, {_SHARED}": "tokens @ old_value, num_heads)"}

# fmt: off
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
        Slip("summed", {".mean(2)": ".sum(2)"},
             "the matrices of a group are added up, not averaged",
             "If all heads of a group were alike, what should the shared one be?"),
        Slip("first head of the group", {".mean(2)": "[:, :, 0]"},
             "the first head of each group is kept and the others are thrown away",
             "The shared head is the mean of all that it replaces."),
        Slip("mean over the columns of a head",
             {_MEAN: "w.unflatten(1, (-1, num_heads // num_kv_heads)).mean(2)"},
             "neighbouring columns are averaged, as if a group were made of columns",
             "Give heads an axis of their own before you average: column c of one head meets "
             "column c of the next."),
        Slip("one head for all", {_MEAN: f"{_GROUPS}.mean((1, 2)).repeat(1, num_kv_heads)"},
             "all heads are averaged, so that the shared ones are all alike",
             "Each shared head is the mean of its own group alone."),
        Slip("values of the group's first head",
             {f"        {_MEAN} for w in (w_key, w_value)":
                  f"        {_MEAN} if w is w_key else\n"
                  f"        {_GROUPS}[:, :, 0].flatten(1) for w in (w_key, w_value)"},
             "the keys of a group are averaged, and of its values those of its first head are kept",
             "Values are shared as keys are, and converted in the same way."),
        Slip("queries averaged too",
             {"query = split_heads":
                  f"w = w_query\n    w_query = {_GROUPS}.mean(2, keepdim=True)"
                  ".expand(-1, -1, group, -1).flatten(1)\n    query = split_heads"},
             "the queries of a group are averaged too: all its heads now do the same",
             "Only keys and values are shared. Every head keeps a query of its own."),
        Slip("the layer before it was converted", _OLD_KEYS | _OLD_VALUES,
             "the output is that of the layer before it was converted",
             "Run the layer with the new w_key and w_value."),
        Slip("values not shared", _OLD_VALUES,
             "the heads use the values that they had before; only the keys are shared",
             "A head of values is shared by the same group as its keys."),
        Slip("keys not shared", _OLD_KEYS,
             "the heads use the keys that they had before; only the values are shared",
             "A head of keys is shared by the same group as its values."),
        Slip("maps averaged", _OLD_KEYS | {
                 _WEIGHTS: f"{_WEIGHTS}.unflatten(1, (num_kv_heads, group)).mean(2)"
                           ".repeat_interleave(group, dim=1)",
             },
             "the weights of a group are averaged, not the keys that they are made of",
             "Average the matrices first; each head then makes a map with its own queries."),
        Slip("scaled by √d_model", {"query.shape[-1]": "tokens.shape[-1]"},
             "the divisor is √d_model; the dot product within a head has d_head terms",
             "How wide is the query of one head?"),
        Slip("scaled by √d_value", {"query.shape[-1]": "value.shape[-1]"},
             "the divisor is the root of the width of a head's value",
             "Values take no part in the scores. Whose width counts?"),
        Slip("scaled by √num_heads", {"query.shape[-1]": "num_heads"},
             "the divisor is the root of the number of heads",
             "How many terms does the dot product within one head have?"),
        Slip("scaled by √num_kv_heads", {"query.shape[-1]": "num_kv_heads"},
             "the divisor is the root of the number of shared heads",
             "How many terms does the dot product within one head have?"),
        Slip("scaled by a group's width",
             {"query.shape[-1]": "(query.shape[-1] * group)"},
             "the divisor is the root of a whole group's width",
             "A shared head is as wide as one head was: d_head."),
        Slip("not scaled", {" / math.sqrt(query.shape[-1])": ""},
             "the scores are not scaled",
             "What are the scores divided by, and does sharing keys change it?"),
        Slip("root forgotten", {"math.sqrt(query.shape[-1])": "query.shape[-1]"},
             "the scores are divided by d_head, not by its root",
             "The spread of a dot product grows like √d_head."),
        Slip("multiplied by √d_head",
             {"/ math.sqrt(query.shape[-1])": "* math.sqrt(query.shape[-1])"},
             "the scores are multiplied by √d_head instead of divided",
             "What is the scaling to do: make the scores larger or smaller?"),
        Slip("scaled by the number of tokens", {"query.shape[-1]": "query.shape[-2]"},
             "the divisor is the root of the number of tokens",
             "How many terms does the dot product within one head have?"),
        Slip("a fixed width of 4", {"query.shape[-1]": "4"},
             "the divisor is always 2, right for d_head 4 alone",
             "Read the width from the query's shape."),
        Slip("a fixed width of 64", {"query.shape[-1]": "64"},
             "the divisor is always 8 = √64",
             "Read the width from the query's shape."),
        Slip("softmax over the queries", {"dim=-1": "dim=-2"},
             "the softmax runs over the queries",
             "Each query shares out one unit of attention over the keys, in every head."),
        Slip("softmax over the heads", {"[-1]), dim=-1": "[-1]), dim=1"},
             "the softmax runs over the heads: the heads share one unit for each pair",
             "Every head has a unit of its own for each query."),
        Slip("no softmax", {f"{_WEIGHTS}": "query @ key.mT / math.sqrt(query.shape[-1])"},
             "the scores are used as weights: they may be negative and sum to anything",
             "Between the scores and the average one step is missing."),
        Slip("no maximum of the row subtracted", {
                 _WEIGHTS:
                     "(query @ key.mT / math.sqrt(query.shape[-1])).exp()\n"
                     "    weights = weights / weights.sum(dim=-1, keepdim=True)",
             },
             "large scores overflow or vanish: no row's own maximum is subtracted from it",
             "Use the softmax of exercises 02, or torch.softmax."),
        Slip("heads merged without a transpose",
             {"merge_heads(weights @ value)": "(weights @ value).reshape(*tokens.shape[:2], -1)"},
             "the heads are merged without moving the token axis back",
             "Your `merge_heads` has passed its check. Is it the one that is used here?"),
        Slip("values made of keys",
             {"value = split_heads(tokens @ w_value": "value = split_heads(tokens @ w_key"},
             "the values are projected with w_key",
             "Values have a projection of their own: w_value."),
        Slip("keys made of values",
             {"key = split_heads(tokens @ w_key": "key = split_heads(tokens @ w_value"},
             "the keys are projected with w_value",
             "Keys have a projection of their own: w_key."),
        Slip("values of the first head for all",
             {"weights @ value": "weights @ value[:, :1].expand_as(value)"},
             "all heads average the values of the first shared head",
             "Each group has values of its own."),
        Slip("output projection transposed",
             {"@ w_output": "@ w_output.mT.reshape(w_output.shape)"},
             "w_output is transposed",
             "It stands to the right of the merged heads. F.linear wants its weight the other "
             "way round."),
        Slip("no output projection", {" @ w_output": ""},
             "w_output is not used",
             "There are as many heads as before, and they meet w_output as before."),
        Slip("matrices in the wrong order",
             {"w_output, w_key, w_value": "w_output, w_value, w_key"},
             "w_value comes back where w_key is expected",
             "Return the output, then w_key, then w_value."),
        Slip("matrices with every head's copy",
             {"w_output, w_key, w_value": "w_output, *(w.unflatten(1, (num_kv_heads, -1))"
              ".repeat_interleave(group, dim=1).flatten(1) for w in (w_key, w_value))"},
             "each shared matrix stands there once for every head of its group: nothing is saved",
             "What is shared is kept once: w_key has num_kv_heads · d_head columns."),
        Slip("matrices as they came",
             _BEFORE | {"w_output, w_key, w_value": "w_output, old_key, old_value"},
             "w_key and w_value come back as they were before the conversion",
             "Return the averaged matrices, with num_kv_heads heads each."),
    ),
    hints=(
        "Two of the four matrices change. `unflatten(1, (num_kv_heads, group, -1))` gives their "
        "groups and the heads in a group an axis each.",
        "After `mean(2).flatten(1)` keys and values are split into num_kv_heads heads, and queries "
        "into num_heads.",
        "`repeat_interleave(group, dim=1)` gives each head its group's keys and values. From there "
        "on it is exercise 3.",
    ),
)
