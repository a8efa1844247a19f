"""Lab "Attention, recurrence, convolution", section 4: what gradient arrives from far away?"""

import torch
from torch import Tensor, nn

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention

GRADIENT = "gradient at the first token"
ATTENTION, RECURRENT = "attention, 256 tokens", "recurrent, 256 tokens"
ATTENTION_NEAR, RECURRENT_NEAR = "attention, 16 tokens", "recurrent, 16 tokens"
LSTM, OPEN = "LSTM, 256 tokens", "LSTM with its gates open, 256 tokens"
WIDTH = 64


def measure(seed: int, layer: str, tokens: int) -> Numbers:
    """Gradient of the last output, summed, at the first input of a layer that is not trained."""
    torch.manual_seed(seed)
    x = torch.randn(1, tokens, WIDTH, dtype=torch.float64, generator=seeded(seed)).requires_grad_()
    last: Tensor = _layer(layer)(x)[0][0, -1]
    (gradient,) = torch.autograd.grad(last.sum(), x)
    return {GRADIENT: gradient[0, 0].norm().item()}


def _layer(name: str) -> nn.Module:
    if name == "attention":
        return MultiHeadAttention(WIDTH, 4).double()
    if name == "recurrent":
        return nn.RNN(WIDTH, WIDTH, batch_first=True).double()
    layer = nn.LSTM(WIDTH, WIDTH, batch_first=True).double()
    if name == "open":  # forget gates of about 1: a cell keeps what it holds
        with torch.no_grad():
            layer.get_parameter("bias_ih_l0")[WIDTH : 2 * WIDTH] = 6.0
    return layer


def decide(runs: Runs) -> Verdict:
    """In all 20 runs, over 256 tokens and before training, the gradient at the first token is below
    0.000001 with a recurrent layer and above 0.001 with attention. True here where a recurrent
    layer whose gates start open keeps it above 0.001 in at least 16: then it depends on the
    recurrent layer.
    """
    middle = {name: runs.median(name, GRADIENT) for name in (ATTENTION, RECURRENT, LSTM, OPEN)}
    numbers = (
        f"Over 256 tokens the gradient at the first one is {middle[ATTENTION]:.1g} with attention "
        f"and {middle[RECURRENT]:.0g} with a recurrent layer; {middle[LSTM]:.0g} with an LSTM, and "
        f"{middle[OPEN]:.1g} with one whose forget gates start open."
    )
    gone = runs.count(lambda value: value < 1e-6, RECURRENT, GRADIENT)
    kept = runs.count(lambda value: value > 1e-3, ATTENTION, GRADIENT)
    rescued = runs.count(lambda value: value > 1e-3, OPEN, GRADIENT)
    if gone == kept == 20:
        return Verdict("true here" if rescued >= 16 else "true", numbers)
    return Verdict("not decided", numbers)


CLAIM = Claim(
    name="architectures.path",
    lesson="labs/03_architectures",
    conditions=(
        Condition(RECURRENT, {"layer": "recurrent", "tokens": 256}),
        Condition(ATTENTION, {"layer": "attention", "tokens": 256}),
        Condition(RECURRENT_NEAR, {"layer": "recurrent", "tokens": 16}, "control"),
        Condition(ATTENTION_NEAR, {"layer": "attention", "tokens": 16}, "control"),
        Condition(LSTM, {"layer": "lstm", "tokens": 256}, "control"),
        Condition(OPEN, {"layer": "open", "tokens": 256}, "control"),
    ),
    runs=20,
    metric=GRADIENT,
    label="gradient of the last output at the first token",
    along="tokens",
    axis="tokens",
    logarithmic=True,
)
