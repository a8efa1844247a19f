# Derived from solutions/05_encoder.ipynb by `make exercises`.


import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson.attention import MultiHeadAttention


# %% encoder.layer_norm
def layer_norm(x: Tensor, gain: Tensor, bias: Tensor, eps: float) -> Tensor:
    """Normalise each token of x (..., tokens, d_model); gain and bias are (d_model,)."""
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + eps) * gain + bias


# %% encoder.rms_norm
def rms_norm(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    """Divide each token of x (..., tokens, d_model) by its root mean square; gain is (d_model,)."""
    mean_square = x.square().mean(dim=-1, keepdim=True)
    return x / torch.sqrt(mean_square + eps) * gain


# %% encoder.feed_forward
class FeedForward(nn.Module):
    """Map tokens (batch, tokens, d_model) to the same shape, each token by itself."""

    def __init__(self, d_model: int, d_ff: int, activation: str) -> None:
        super().__init__()
        self.activation = activation
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        if activation == "swiglu":
            self.gate = nn.Linear(d_model, d_ff)

    def forward(self, x: Tensor) -> Tensor:
        if self.activation == "swiglu":
            return self.down(F.silu(self.gate(x)) * self.up(x))
        curve = F.relu if self.activation == "relu" else F.gelu
        return self.down(curve(self.up(x)))


# %% encoder.layer
class EncoderLayer(nn.Module):
    """Map tokens (batch, tokens, d_model) to the same shape; mask: boolean, True = may attend."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__()
        self.norm = norm
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, "relu")
        self.self_attention_norm = nn.LayerNorm(d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        if self.norm == "pre":
            y = self.self_attention_norm(x)
            x = x + self.self_attention(y, mask=mask)[0]
            return x + self.feed_forward(self.feed_forward_norm(x))
        x = self.self_attention_norm(x + self.self_attention(x, mask=mask)[0])
        return self.feed_forward_norm(x + self.feed_forward(x))


# %% encoder.stack
class EncoderStack(nn.Module):
    """Map tokens (batch, tokens, d_model) to the same shape, through all layers."""

    def __init__(self, num_layers: int, d_model: int, num_heads: int, d_ff: int, norm: str) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, norm) for _ in range(num_layers)
        )
        self.final_norm = nn.LayerNorm(d_model) if norm == "pre" else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask)
        return self.final_norm(x)


# %% encoder.parameters
def block_parameters(
    d_model: int, num_heads: int, d_ff: int, gated: bool
) -> tuple[int, int, int, int]:
    """Count the parameters of attention, feed-forward and norms, and all together."""
    attention = 4 * (d_model * d_model + d_model)
    up = d_model * d_ff + d_ff
    feed_forward = (2 * up if gated else up) + d_ff * d_model + d_model
    norms = 2 * 2 * d_model
    return attention, feed_forward, norms, attention + feed_forward + norms


# %% encoder.sentence_vector
def sentence_vector(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    """Average hidden (batch, tokens, d_model) over the real tokens: (batch, d_model).

    tokens (batch, tokens) are the ids that the encoder was given.
    """
    real = (tokens != padding_id)[..., None]  # (batch, tokens, 1)
    total = hidden.masked_fill(~real, 0.0).sum(dim=1)
    return total / real.sum(dim=1).clamp(min=1)


# %% encoder.which_stack
def which_stacks(streams: Tensor) -> tuple[Tensor, Tensor]:
    """Return the kind of each stack (stacks,) and how much of a token its layers keep (stacks,).

    streams is (stacks, layers + 1, tokens, d_model).
    """
    before, after = streams[:, :-1], streams[:, 1:]
    kept = F.cosine_similarity(before, after, dim=-1).mean(dim=(1, 2))
    spread = after.std(dim=-1, correction=0)  # (stacks, layers, tokens)
    norm_last = ((spread - 1).abs() < 0.01).flatten(1).all(dim=1)
    return norm_last + 2 * (kept < 0.5), kept
