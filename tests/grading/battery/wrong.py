"""Wrong answers: those with a name, and some that nobody foresaw."""

from tests.grading.battery.mistakes import Mistake, submissions
from tests.grading.battery.other_lessons import OTHER_LESSONS
from tests.grading.battery.submission import Submission, instead

MAXIMUM = "scores.amax(dim=-1, keepdim=True)"
TOTAL = "exponentials.sum(dim=-1, keepdim=True)"
WIDTH = "math.sqrt(query.shape[-1])"
LOWEST = "torch.finfo(scores.dtype).min"
SOFTMAX = "torch.softmax(scores, dim=-1)"
ZEROED = ".masked_fill(~mask, 0.0)"
FILLED = f"scores = scores.masked_fill(~mask, {LOWEST})\n    weights = {SOFTMAX}{ZEROED}"
COMPARED = "torch.arange(keys) <= position_of_query"

SQUARE = """def causal_mask(queries, keys):
    return torch.ones(keys, keys).tril().bool()[:queries, :queries]"""
FUSED = """from torch.nn.functional import scaled_dot_product_attention
def attend(query, key, value):
    return scaled_dot_product_attention(query, key, value), query @ key.mT"""

NAMED = (
    Mistake("softmax", f"scores - {MAXIMUM}", "scores", "no maximum subtracted"),
    Mistake("softmax", MAXIMUM, "scores.max()", "one maximum for all rows"),
    Mistake("softmax", "amax(dim", "mean(dim", "mean subtracted"),
    Mistake("softmax", f" / {TOTAL}", "", "not normalised"),
    Mistake("softmax", "scores.amax(", "scores.abs().amax(", "largest magnitude subtracted"),
    Mistake("softmax", f"scores - {MAXIMUM}", "scores.clamp(-80, 80)", "clamped scores"),
    Mistake("softmax", "exponentials.sum(", "exponentials.norm(", "divided by the Euclidean norm"),
    Mistake(
        "softmax", f"exponentials / {TOTAL}", f"scores - {MAXIMUM} - {TOTAL}.log()", "log-softmax"
    ),
    Mistake("attention_scores", f" / {WIDTH}", "", "not scaled"),
    Mistake("attention_scores", WIDTH, "query.shape[-1]", "divided by d_head"),
    Mistake("attention_scores", WIDTH, "8", "a fixed width of 64"),
    Mistake("attention_scores", WIDTH, "math.sqrt(512)", "a fixed width of 512"),
    Mistake(
        "attention_scores", "query.shape[-1]", "query.shape[-2]", "scaled by the number of queries"
    ),
    Mistake("attention_scores", "query.shape[-1]", "key.shape[-2]", "scaled by the number of keys"),
    Mistake("attention_scores", "/ math", "* math", "multiplied by √d_head"),
    Mistake(
        "attention_scores",
        "query @ key.transpose(-2, -1)",
        "key @ query.transpose(-2, -1)",
        "queries and keys swapped",
    ),
    Mistake("attend", f" / {WIDTH}", "", "not scaled"),
    Mistake("attend", "dim=-1", "dim=-2", "softmax over the queries"),
    Mistake("attend", "weights @ value", "weights @ key", "averages keys instead of values"),
    Mistake("attend", "weights @ value, weights", "weights, weights @ value", "results swapped"),
    Mistake("attend", SOFTMAX, "scores", "no softmax"),
    Mistake("attend", SOFTMAX, f"{SOFTMAX}.detach()", "weights detached"),
    Mistake("attend", SOFTMAX, f"{SOFTMAX}.softmax(-1)", "softmax twice"),
    Mistake("attend", WIDTH, "math.sqrt(value.shape[-1])", "scaled by √d_value"),
    Mistake("self_attention", "@ w_key,", "@ w_query,", "one projection for query and key"),
    Mistake("self_attention", "tokens @ w_value\n", "tokens\n", "value not projected"),
    Mistake("self_attention", "@ w_value\n", "@ w_key\n", "value projected as key"),
    Mistake("self_attention", "query, key, value", "key, query, value", "query and key swapped"),
    Mistake("self_attention", WIDTH, "math.sqrt(tokens.shape[-1])", "scaled by √d_model"),
    Mistake(
        "self_attention", WIDTH, "math.sqrt(tokens.shape[-2])", "scaled by the number of tokens"
    ),
    Mistake("self_attention", f" / {WIDTH}", "", "not scaled"),
    Mistake("causal_mask", " + keys - queries", "", "aligned to the first key"),
    Mistake("causal_mask", "<=", "<", "diagonal excluded"),
    Mistake("causal_mask", "<=", ">=", "upper triangle"),
    Mistake("causal_mask", "<=", ">", "inverted"),
    Mistake("causal_mask", COMPARED, f"({COMPARED}).float()", "ones and zeros"),
    Mistake("causal_mask", COMPARED, f"({COMPARED}).int()", "integers"),
    Mistake("causal_mask", COMPARED, f"({COMPARED}).T", "rows and columns swapped"),
    Mistake("causal_mask", COMPARED, "torch.ones(queries, keys).bool()", "everything allowed"),
    Mistake("padding_mask", "!=", "==", "inverted"),
    Mistake("padding_mask", "!= padding_id", "!= 0", "padding id fixed at 0"),
    Mistake("padding_mask", "!=", ">", "every larger id is a token"),
    Mistake("padding_mask", "[:, None, None, :]", "", "no axes for heads and queries"),
    Mistake("padding_mask", "[:, None, None, :]", "[:, None, :]", "one axis missing"),
    Mistake("padding_mask", "None, :]", ":, None]", "hides queries instead of keys"),
    Mistake("padding_mask", "None, :]", "None, :].int()", "integers"),
    Mistake("masked_attention", FILLED, FILLED.replace(ZEROED, ""), "-1e9 and an empty row"),
    Mistake(
        "masked_attention",
        FILLED,
        FILLED.replace(ZEROED, "").replace(LOWEST, "-torch.inf"),
        "-inf and an empty row",
    ),
    Mistake("masked_attention", FILLED, f"weights = {SOFTMAX}{ZEROED}", "mask after the softmax"),
    Mistake("masked_attention", "~mask", "mask", "inverted"),
    Mistake(
        "masked_attention",
        FILLED,
        FILLED.replace(ZEROED, "").replace(LOWEST, "-100.0"),
        "filled with -100",
    ),
    Mistake("masked_attention", FILLED, f"weights = {SOFTMAX}", "mask ignored"),
    Mistake(
        "masked_attention", FILLED, "weights = (scores + mask).softmax(-1)", "boolean mask added"
    ),
    Mistake("masked_attention", f" / {WIDTH}", "", "not scaled"),
    Mistake("repaired_heads", "heads.transpose(1, 2)", "heads", "heads merged without a transpose"),
    Mistake("repaired_heads", WIDTH, "math.sqrt(d_model)", "only the axis repaired"),
    Mistake("repaired_heads", ".transpose(1, 2)", "", "only the scale repaired"),
    Mistake("repaired_heads", " @ w_out", "", "no output projection"),
    Mistake("repaired_heads", "dim=-1", "dim=-2", "softmax over the queries"),
    Mistake("repaired_heads", f" / {WIDTH}", "", "scale removed"),
    Mistake(
        "softmax", "exponentials = ", "scores -= 0.1\n    exponentials = ", "writes into its input"
    ),
    Mistake("padding_mask", "return", "tokens += 1; tokens -= 1; tokens[0, 0] += 1\n    return"),
)
NAMELESS = (
    Mistake(
        "causal_mask",
        "",
        SQUARE,
    ),
    Mistake("attention_scores", "query @ key", "query.reshape(key.shape) @ key", verdict="error"),
    Mistake("softmax", "exponentials /", "exponentials.bfloat16() /"),
    Mistake("attend", "query @", "query.bfloat16().float() @"),
    Mistake(
        "attend",
        SOFTMAX,
        "torch.from_numpy(scores.detach().softmax(-1).numpy())",
        "weights detached",
    ),
    Mistake("self_attention", SOFTMAX, "torch.dropout(scores.softmax(-1), 0.1, True)"),
    Mistake("self_attention", SOFTMAX, "torch.rand_like(scores).softmax(-1)"),
    Mistake("padding_mask", "tokens !=", "tokens.to('meta') !=", verdict="error"),
    Mistake("masked_attention", "weights @ value", "weights @ value * float('nan')"),
    Mistake("masked_attention", "return", "return None\n    return", verdict="not attempted"),
    Mistake(
        "masked_attention",
        "return weights @ value, weights",
        "return weights @ value",
        verdict="error",
    ),
    Mistake("attention_scores", "return", "return str", verdict="error"),
    Mistake("repaired_heads", "return", "return 1e-2 +"),
    Mistake("repaired_heads", "num_heads):", "num_heads, more):", verdict="error"),
    Mistake(
        "attend",
        "",
        FUSED,
        verdict="not allowed",
    ),
    Mistake("softmax", "", "softmax = torch.nn.Softmax(dim=-1)", verdict="not allowed"),
    Mistake(
        "self_attention", "", "class self_attention(torch.nn.Module):\n    pass", verdict="error"
    ),
)
COUNTED = """calls = 0
def padding_mask(tokens, padding_id):
    global calls
    calls += 1
    return ((tokens != padding_id) & (calls != 3))[:, None, None, :]"""
REMEMBERED = """known = {}
def causal_mask(queries, keys):
    if queries in known:
        return known[queries].zero_()
    known[queries] = torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
    return known[queries]"""
ONCE_RIGHT = """seen = []
def causal_mask(queries, keys):
    again = (queries, keys) in seen
    seen.append((queries, keys))
    return (torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries) ^ again"""
BY_GLOBAL_SEED = """def causal_mask(queries, keys):
    mask = torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
    return mask & (torch.rand(queries, keys) < 0.9)"""

SUBMISSIONS = (
    *submissions(NAMED),
    *submissions(NAMELESS),
    Submission("wrong in the third call", instead(padding_mask=COUNTED), {"padding_mask": "wrong"}),
    Submission("a cache that spoils", instead(causal_mask=REMEMBERED), {"causal_mask": "wrong"}),
    Submission("right only once", instead(causal_mask=ONCE_RIGHT), {"causal_mask": "wrong"}),
    Submission("chance", instead(causal_mask=BY_GLOBAL_SEED), {"causal_mask": "wrong"}),
    *OTHER_LESSONS,
)
