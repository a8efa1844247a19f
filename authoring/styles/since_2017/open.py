import torch
from torch import nn
from torch.nn import functional as F

WORDS, WIDTH = 16, 16


class Taps(nn.Module):
    """No attention: each feature is a weighted sum of the last words' features."""

    def __init__(self, reach=5):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.taps = nn.Parameter(torch.randn(reach, WIDTH) / reach**0.5)
        self.norm, self.up = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH)
        self.down, self.output = nn.Linear(4 * WIDTH, WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, tokens):
        x = self.embedding(tokens)
        padded = [F.pad(x, (0, 0, back, 0))[:, : x.shape[1]] for back in range(len(self.taps))]
        x = self.norm(sum(tap * part for tap, part in zip(self.taps, padded, strict=True)))
        return self.output(x + self.down(F.relu(self.up(x))))


class Biased(nn.Module):
    """Attention by distance alone, one learned number for each head and distance."""

    def __init__(self, heads=2, reach=5):
        super().__init__()
        self.embedding, self.value = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.bias = nn.Parameter(torch.zeros(heads, reach))
        self.mix = nn.Linear(WIDTH, WIDTH)
        self.norm, self.up = nn.RMSNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, tokens):
        x, (heads, reach) = self.embedding(tokens), self.bias.shape
        places = torch.arange(tokens.shape[1])
        back = places[:, None] - places
        outside = (back < 0) | (back >= reach)
        scores = 4 * self.bias[:, back.clamp(0, reach - 1)].masked_fill(outside, -torch.inf)
        values = self.value(x).unflatten(-1, (heads, -1)).transpose(1, 2)
        x = x + self.mix((scores.softmax(-1) @ values).transpose(1, 2).flatten(-2))
        up, gate = self.up(self.norm(x)).chunk(2, dim=-1)
        return (x + self.down(up * F.silu(gate))) @ self.embedding.weight.T


class Last(nn.Module):
    """One linear layer over the last words side by side."""

    def __init__(self, reach=5):
        super().__init__()
        self.reach, self.output = reach, nn.Linear(reach * WORDS, WORDS)

    def forward(self, tokens):
        x, width = F.one_hot(tokens, WORDS).float(), tokens.shape[1]
        last = [F.pad(x, (0, 0, back, 0))[:, :width] for back in range(self.reach)]
        return self.output(torch.cat(last, dim=-1))


class Trained:
    """A callable that trains a model in another loop: without shuffling, by AdamW."""

    def __init__(self, model, epochs=3, rate=0.02):
        self.model, self.epochs, self.rate = model, epochs, rate

    def __call__(self, texts, contexts, seed):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = self.model().train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=self.rate, weight_decay=0.0)
        for batch in texts.split(32) * self.epochs:
            logits = model(batch[:, :-1])
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten()).backward()
            optimizer.step()
        return model.eval()(contexts)[:, -1].argmax(dim=-1).tolist()


STYLES = {
    "modern.open": (Trained(Taps), Trained(Biased, epochs=2, rate=0.03), Trained(Last, epochs=8))
}
