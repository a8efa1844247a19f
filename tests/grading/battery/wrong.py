"""Wrong answers that nobody foresaw; notebooks/ holds more.

That each slip of the catalogue is told by its name, the author's gate says of the judge; that the
grader says what the judge says, ``test_every_slip.py`` and ``test_modes.py``.
"""

from tests.grading.battery.mistakes import Mistake, submissions
from tests.grading.battery.submission import stored

MISTAKES = (
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
SUBMISSIONS = (*submissions(MISTAKES), *stored("wrong"))
