"""Wrong answers: those with a name, and some that nobody foresaw; notebooks/ holds more."""

from tests.grading.battery.mistakes import Mistake, of_catalogue, submissions
from tests.grading.battery.submission import ALONE, ANSWERS, LESSON, Submission, edited, stored

NAMED = (
    Mistake("attend", " / math.sqrt(query.shape[-1])", "", "not scaled"),
    Mistake("attend", "dim=-1", "dim=-2", "softmax over the queries"),
    Mistake("attend", "weights @ value, weights", "weights, weights @ value", "results swapped"),
    Mistake("self_attention", "@ w_key,", "@ w_query,", "one projection for query and key"),
    Mistake("self_attention", "tokens @ w_value\n", "tokens\n", "value not projected"),
    Mistake("masked_attention", "~mask", "mask", "inverted"),
    Mistake("masked_attention", " / math.sqrt(query.shape[-1])", "", "not scaled"),
    Mistake("repaired_heads", ".transpose(1, 2)", "", "only the scale repaired"),
    Mistake(
        "repaired_heads",
        "math.sqrt(query.shape[-1])",
        "math.sqrt(d_model)",
        "only the axis repaired",
    ),
)
NAMELESS = (
    Mistake("attention_scores", "query @ key", "query.reshape(key.shape) @ key", verdict="error"),
    Mistake("softmax", "exponentials /", "exponentials.bfloat16() /"),
    Mistake("attend", "query @", "query.bfloat16().float() @"),
    Mistake(
        "attend",
        "torch.softmax(scores, dim=-1)",
        "torch.from_numpy(scores.detach().softmax(-1).numpy())",
        "detached at once",
    ),
    Mistake(
        "self_attention",
        "torch.softmax(scores, dim=-1)",
        "torch.dropout(scores.softmax(-1), 0.1, True)",
    ),
    Mistake(
        "self_attention", "torch.softmax(scores, dim=-1)", "torch.rand_like(scores).softmax(-1)"
    ),
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
)
# Answers of other lessons that none after them builds on.
OTHERS = {
    "01_tokens_and_embeddings": ("most_frequent_pair", "pad", "nearest", "TiedModel"),
    "03_multi_head_attention": ("mask_for_pytorch", "MultiHeadAttention", "prune_heads"),
    "04_positional_encoding": ("sinusoidal_table", "relative_bias", "rotate", "alibi_bias"),
    "05_encoder": ("layer_norm", "rms_norm", "block_parameters", "sentence_vector"),
    "06_decoder": ("decoder_mask", "cross_attention", "greedy", "nucleus", "DecoderLayer"),
    "09_flash_attention": ("log_sum_exp", "merge", "row_term", "key_gradients"),
}
# Of the answers that stand alone the text is not the solution's, which slips edit.
EDITED = sorted(set(ANSWERS) - ALONE.keys() - {"which_bug"})
SUBMISSIONS = (
    *submissions((*of_catalogue(LESSON, EDITED, each=4), *NAMED)),
    *submissions(NAMELESS),
    *stored("wrong"),
    *(
        one
        for lesson, answers in OTHERS.items()
        for one in (
            Submission(f"{lesson[:2]} as it is", edited(lesson=lesson), lesson=lesson),
            *submissions(of_catalogue(lesson, answers, each=1), lesson),
        )
    ),
)
