"""Wrong answers: those with a name, and some that nobody foresaw."""

from tests.grading.battery.mistakes import Mistake, of_catalogue, submissions
from tests.grading.battery.submission import ALONE, ANSWERS, LESSON, Submission, edited, instead

SOFTMAX = "torch.softmax(scores, dim=-1)"
SQUARE = """def causal_mask(queries, keys):
    return torch.ones(keys, keys).tril().bool()[:queries, :queries]"""
FUSED = """from torch.nn.functional import scaled_dot_product_attention
def attend(query, key, value):
    return scaled_dot_product_attention(query, key, value), query @ key.mT"""
# Answers of other lessons that none after them builds on.
OTHER_LESSONS = {
    "01_tokens_and_embeddings": ("most_frequent_pair", "pad", "nearest", "TiedModel"),
    "03_multi_head_attention": ("mask_for_pytorch", "MultiHeadAttention", "prune_heads"),
    "04_positional_encoding": ("sinusoidal_table", "relative_bias", "rotate", "alibi_bias"),
    "05_encoder": ("layer_norm", "rms_norm", "block_parameters", "sentence_vector"),
    "06_decoder": ("decoder_mask", "cross_attention", "greedy", "nucleus", "DecoderLayer"),
    "09_flash_attention": ("log_sum_exp", "merge", "row_term", "key_gradients"),
}
WIDTH = "math.sqrt(query.shape[-1])"
# Of the answers that stand alone the text is not the solution's, which slips edit.
NAMED = (
    *of_catalogue(LESSON, sorted(set(ANSWERS) - ALONE.keys() - {"which_bug"}), each=4),
    Mistake("attend", f" / {WIDTH}", "", "not scaled"),
    Mistake("attend", "dim=-1", "dim=-2", "softmax over the queries"),
    Mistake("attend", "weights @ value, weights", "weights, weights @ value", "results swapped"),
    Mistake("self_attention", "@ w_key,", "@ w_query,", "one projection for query and key"),
    Mistake("self_attention", "tokens @ w_value\n", "tokens\n", "value not projected"),
    Mistake("masked_attention", "~mask", "mask", "inverted"),
    Mistake("masked_attention", f" / {WIDTH}", "", "not scaled"),
    Mistake("repaired_heads", ".transpose(1, 2)", "", "only the scale repaired"),
    Mistake("repaired_heads", WIDTH, "math.sqrt(d_model)", "only the axis repaired"),
)
NAMELESS = (
    Mistake("causal_mask", "", SQUARE),
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
    Mistake("attend", "", FUSED, verdict="not allowed"),
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
    *(
        one
        for lesson, answers in OTHER_LESSONS.items()
        for one in (
            Submission(f"{lesson[:2]} as it is", edited(lesson=lesson), lesson=lesson),
            *submissions(of_catalogue(lesson, answers, each=1), lesson),
        )
    ),
)
