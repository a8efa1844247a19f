"""Solutions of the other lessons, and a few wrong answers to each."""

from tests.grading.battery.mistakes import Mistake, submissions
from tests.grading.battery.submission import Submission, edited

MISTAKES = {
    "01_tokens_and_embeddings": (
        Mistake(
            "most_frequent_pair", "(-totals[pair], pair)", "-totals[pair]", "tie: the first seen"
        ),
        Mistake("most_frequent_pair", "+= count", "+= 1", "counts ignored"),
        Mistake(
            "pad",
            "sequence + [padding_id] * (longest - len(sequence))",
            "[padding_id] * (longest - len(sequence)) + sequence",
        ),
        Mistake("pad", " < lengths", " >= lengths", "mask inverted"),
        Mistake("embedding_gradient", ".index_add_(0,", ".index_copy_(0,", "the last use wins"),
        Mistake("nearest", "    cosines[index] = -2.0\n", "", "the word itself"),
        Mistake(
            "nearest",
            "closest.indices, closest.values",
            "closest.values, closest.indices",
            "results swapped",
        ),
        Mistake("TiedModel", " * math.sqrt(matrix.shape[1])", "", "not multiplied"),
        Mistake("TiedModel", " + positions", "", "positions missing"),
    ),
    "03_multi_head_attention": (
        Mistake("mask_for_pytorch", "~real", "real", "not inverted"),
        Mistake(
            "mask_for_pytorch",
            ".repeat_interleave(num_heads, dim=0)",
            ".repeat(num_heads, 1, 1)",
            "heads before sentences",
        ),
        Mistake("multi_head_attention", " @ w_output", "", "no output projection"),
        Mistake(
            "multi_head_attention",
            "math.sqrt(query.shape[-1])",
            "math.sqrt(tokens.shape[-1])",
            "scaled by √d_model",
        ),
        Mistake("MultiHeadAttention", "~mask", "mask", "mask inverted"),
        Mistake(
            "MultiHeadAttention", "self.output_projection(merge", "(merge", "no output projection"
        ),
        Mistake(
            "MultiHeadAttention",
            "nn.Linear(d_model, d_model)\n        self.key",
            "[nn.Linear(d_model, d_model)]\n        self.key",
            verdict="error",
        ),
        Mistake(
            "MultiHeadAttention",
            "~mask, 0.0)",
            "~mask, 0.0)\n        weights = torch.nn.functional.dropout(weights, 0.1)",
        ),
        Mistake(
            "head_contributions",
            "w_output.view(num_heads, d_head, -1)",
            "w_output[:d_head]",
            "the first block for every head",
        ),
        Mistake("prune_heads", "for head in kept], dim=0", "for head in range(len(kept))], dim=0"),
        Mistake(
            "prune_heads",
            "kept_columns, torch.cat([rows[head] for head in kept], dim=0)",
            "torch.cat([rows[head] for head in kept], dim=0), kept_columns",
            "results swapped",
        ),
    ),
    "04_positional_encoding": (
        Mistake("sinusoidal_table", "base **", "10_000 **", "base fixed"),
        Mistake(
            "sinusoidal_table",
            "0, d_model, 2) / d_model",
            "0, d_model, 2) * 2 / d_model",
            "exponent doubled",
        ),
        Mistake("rotation", "[-sine, cosine]", "[sine, cosine]", "no minus"),
        Mistake("rotation", "k * 10_000", "10_000", "always one step"),
        Mistake(
            "add_positions",
            "start : start + embeddings.shape[1]",
            ": embeddings.shape[1]",
            "always from 0",
        ),
        Mistake(
            "relative_bias",
            "key_positions - query_positions[:, None]",
            "query_positions[:, None] - key_positions",
            "query minus key",
        ),
        Mistake(
            "rotate",
            "positions[:, None]",
            "torch.arange(x.shape[-2])[:, None]",
            "positions counted, not read",
        ),
        Mistake("rotate", "even * sine + odd", "odd"),
        Mistake("alibi_bias", "-slopes[", "slopes[", "plus"),
        Mistake("alibi_bias", ".abs()", ""),
    ),
    "05_encoder": (
        Mistake(
            "layer_norm",
            "centred.square().mean(dim=-1, keepdim=True)",
            "x.var(dim=-1, keepdim=True)",
            "unbiased variance",
        ),
        Mistake(
            "layer_norm",
            "torch.sqrt(variance + eps)",
            "(torch.sqrt(variance) + eps)",
            "eps outside the root",
        ),
        Mistake("rms_norm", " * gain", "", "gain forgotten"),
        Mistake("rms_norm", "x.square()", "(x - x.mean(-1, keepdim=True)).square()"),
        Mistake("block_parameters", "4 * (d_model * d_model + d_model)", "4 * d_model * d_model"),
        Mistake(
            "sentence_vector",
            "real.sum(dim=1).clamp(min=1)",
            "tokens.shape[1]",
            "divided by the padded length",
        ),
        Mistake("sentence_vector", ".clamp(min=1)", "", "0/0 for an empty sentence"),
    ),
    "06_decoder": (
        Mistake("decoder_mask", "<= position[", "< position[", "diagonal excluded"),
        Mistake("cross_attention", "memory @ w_value", "memory @ w_key", "value projected as key"),
        Mistake("greedy", ".masked_fill(finished, padding_id)", "", "finished rows write on"),
        Mistake("greedy", ".argmax(-1)", ".argmin(-1)", "least probable token"),
        Mistake("cached_step", " / math.sqrt(keys.shape[3])", "", "not scaled"),
        Mistake("beam_search", "** length_penalty", "** 0", "no length penalty"),
        Mistake("beam_search", ".log_softmax(-1)", "", "logits summed"),
        Mistake(
            "nucleus",
            "return kept / kept.sum(dim=-1, keepdim=True)",
            "return kept",
            "not renormalised",
        ),
        Mistake("DecoderLayer", "normed, memory, mask", "normed, normed, mask", verdict="error"),
    ),
    "09_flash_attention": (
        Mistake("log_sum_exp", "return shift + ", "return ", "maximum not added back"),
        Mistake(
            "merge",
            "a[..., None] * weighted_a + b[..., None] * weighted_b",
            "weighted_a + weighted_b",
            "weighted values not rescaled",
        ),
        Mistake("row_term", ".sum(-1)", ".mean(-1)", "mean instead of sum"),
        Mistake("key_gradients", " - row_term[:, None]", "", "row term missing"),
        Mistake("visible_tiles", "if left > last", "if left >= last"),
    ),
}

OTHER_LESSONS = tuple(
    one
    for lesson, mistakes in MISTAKES.items()
    for one in (
        Submission(f"{lesson[:2]} as it is", edited(lesson=lesson), lesson=lesson),
        *submissions(mistakes, lesson),
    )
)
