import torch
from torch import nn

from authoring.styles.multi_head_attention.module import FourLayers


class Heads(FourLayers):
    """Attention by einsum, with the exponentials by hand."""

    def forward(self, x, mask):
        query, key, value = self.projected(x)
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) * query.shape[-1] ** -0.5
        if mask is not None:
            scores = torch.where(mask, scores, float("-inf"))
        weights = torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True))
        return self.output_projection(torch.einsum("bhqk,bkhd->bqhd", weights, value).flatten(2))

    def projected(self, x):
        def split(layer):
            return layer(x).view(*x.shape[:2], self.num_heads, -1)

        return map(split, (self.query_projection, self.key_projection, self.value_projection))


class OwnNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return (x - mean) / (variance + self.eps).sqrt() * self.weight + self.bias


class AllByHand(nn.Module):
    """Own attention, own norms; which order is decided once."""

    def __init__(self, d_model, num_heads, d_ff, norm="pre"):
        super().__init__()
        self.self_attention = Heads(d_model, num_heads)
        layers = {"up": nn.Linear(d_model, d_ff), "down": nn.Linear(d_ff, d_model)}
        self.feed_forward = nn.ModuleDict(layers)
        self.self_attention_norm = OwnNorm(d_model)
        self.feed_forward_norm = OwnNorm(d_model)
        self.order = {"pre": self.pre, "post": self.post}[norm]

    def forward(self, x, mask=None):
        return self.order(x, mask)

    def feed(self, x):
        return self.feed_forward["down"](self.feed_forward["up"](x).clamp(min=0))

    def pre(self, x, mask):
        after = x + self.self_attention(self.self_attention_norm(x), mask)
        return after + self.feed(self.feed_forward_norm(after))

    def post(self, x, mask):
        after = self.self_attention_norm(x + self.self_attention(x, mask))
        return self.feed_forward_norm(after + self.feed(after))


class SentenceBySentence(AllByHand):
    """One sentence after the other."""

    def forward(self, x, mask=None):
        masks = [mask] * len(x)
        if mask is not None and mask.dim() == 4:
            masks = [mask[row % len(mask)][None] for row in range(len(x))]
        rows = [self.order(row[None], m) for row, m in zip(x, masks, strict=True)]
        return torch.cat(rows)


STYLES = {"encoder.layer": (SentenceBySentence,)}
