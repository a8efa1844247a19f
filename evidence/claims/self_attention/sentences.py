"""Short sentences, one attention layer and its training: what the claims of lab 02 share."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.attention import causal_mask, reference_attention

Goal = Literal["repeat", "next", "gap", "random"]
ACTORS, GAP, FUNCTION_WORDS = 6, 0, (1, 2, 3)  # "The", "the", "on"
ROWS = torch.tensor([1, 2, 5])  # actor, action, place: the other words never change
NUM_WORDS = 4 + 5 * ACTORS


def all_sentences() -> Tensor:
    """Every sentence: six actors, each with two actions and two places of its own: (24, 6)."""
    first, again, on = FUNCTION_WORDS
    rows = []
    for actor in range(4, NUM_WORDS, 5):
        for action in (actor + 1, actor + 2):
            rows += [[first, actor, action, on, again, actor + place] for place in (3, 4)]
    return torch.tensor(rows)


class OneLayer(nn.Module):
    """A word and its place, one attention, one output layer. Nothing else.

    Args:
        place_asks: whether the query is made of the place alone, not of the word.
    """

    def __init__(self, place_asks: bool = False, d_model: int = 32) -> None:
        super().__init__()
        self.place_asks = place_asks
        self.word, self.place = nn.Embedding(NUM_WORDS, d_model), nn.Embedding(6, d_model)
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.output = nn.Linear(d_model, NUM_WORDS)

    def embed(self, ids: Tensor) -> Tensor:
        """Return words with their places, (batch, 6, d_model), of ids (batch, 6)."""
        embedded: Tensor = self.word(ids) + self.place.weight
        return embedded

    def ask(self, ids: Tensor) -> Tensor:
        """Return the queries (batch, 6, d_model)."""
        x = self.embed(ids)
        queries: Tensor = self.query(self.place.weight.expand_as(x) if self.place_asks else x)
        return queries

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return logits and weights of ids (batch, 6)."""
        x = self.embed(ids)
        query, key, value = self.ask(ids), self.key(x), self.value(x)
        mixed, weights = reference_attention(query, key, value, mask)
        return self.output(mixed), weights


def task(
    goal: Goal, batch: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Return what goes in, what should come out, the rows that count, and the mask."""
    if goal == "random":  # no word tells anything about another
        batch = torch.randint(4, NUM_WORDS, batch.shape, generator=generator)
        return batch, batch, ROWS.expand(len(batch), 3), None
    if goal == "repeat":
        return batch, batch, ROWS.expand(len(batch), 3), None
    if goal == "next":  # the place, at the word before it
        return batch, batch.roll(-1, dims=1), torch.full((len(batch), 1), 4), causal_mask(6)
    at = ROWS[torch.randint(3, (len(batch), 1), generator=generator)]
    return batch.scatter(1, at, GAP), batch, at, None


def train(goal: Goal, seed: int, steps: int, place_asks: bool = False) -> OneLayer:
    """Train one layer for one goal, 64 sentences a step."""
    torch.manual_seed(seed)
    model, generator = OneLayer(place_asks), seeded(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    sentences = all_sentences()
    for _ in range(steps):
        batch = sentences[torch.randint(len(sentences), (64,), generator=generator)]
        inputs, targets, rows, mask = task(goal, batch, generator)
        chosen = torch.take_along_dim(model(inputs, mask)[0], rows[..., None], dim=1)
        loss = F.cross_entropy(chosen.flatten(0, 1), targets.gather(1, rows).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
