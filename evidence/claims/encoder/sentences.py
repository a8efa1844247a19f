"""Six-token stories "cat mat dog rug … [gap]": the gap is one of two actors."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

KINDS, WIDTH = 6, 32  # actors, and as many places
GAP, IT = 2 * KINDS, 2 * KINDS + 1
TRAIN = 1400  # of the 1800 stories; the others are never trained on


def stories(question: str) -> tuple[Tensor, Tensor]:
    """Ids (stories, 6), and the actor that is the answer.

    question: "it" always means the first actor; "place" names one of the two places.
    """
    rows, answers = [], []
    pairs = [(a, b) for a in range(KINDS) for b in range(KINDS) if a != b]
    for actors in pairs:
        for places in pairs:
            for asked in (0, 1):
                word = IT if question == "it" else KINDS + places[asked]
                first, second = (actors[0], KINDS + places[0]), (actors[1], KINDS + places[1])
                rows.append([*first, *second, word, GAP])
                answers.append(actors[0] if question == "it" else actors[asked])
    return torch.tensor(rows), torch.tensor(answers)


class Reader(nn.Module):
    """Pre-norm layers that read a story and name the actor in the gap."""

    def __init__(self, num_layers: int, generator: torch.Generator) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(WIDTH, 4, 4 * WIDTH, generator=generator, attention="fused")
            for _ in range(num_layers)
        )
        self.word = nn.Parameter(0.3 * torch.randn(IT + 1, WIDTH, generator=generator))
        self.place = nn.Parameter(0.3 * torch.randn(6, WIDTH, generator=generator))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, batch: Tensor) -> Tensor:
        """Return logits (batch, words) of the last token."""
        x = self.word[batch] + self.place
        for layer in self.layers:
            x = layer(x)
        return self.norm(x[:, -1]) @ self.word.T


def trained(seed: int, num_layers: int, question: str, steps: int) -> tuple[Reader, Tensor]:
    """Train on some of the stories; return the model and the numbers of those left out."""
    generator = seeded(seed)
    batch, answers = stories(question)
    model = Reader(num_layers, generator)
    order = torch.randperm(len(batch), generator=generator)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, fused=True)
    for _ in range(steps):
        chosen = order[torch.randint(TRAIN, (64,), generator=generator)]
        loss = F.cross_entropy(model(batch[chosen]), answers[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, order[TRAIN:]
