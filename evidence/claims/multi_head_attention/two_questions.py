"""Sentences that pose two questions, and a model of one attention layer that answers them.

*The hen sat on the bull then he slept*, with sixteen nouns, eight she and eight he in turn. Every
sentence there is can be listed, so shares of right answers are exact.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention

NOUNS = 16
THE, SAT, ON, THEN, SLEPT, SHE = range(NOUNS, NOUNS + 6)  # "he" is SHE + 1
WORDS, PLACES = NOUNS + 7, 9
WHO, WHOM = 1, 5  # where the two nouns stand


class Task(NamedTuple):
    """Sentences ``(sentences, tokens)``, their answers ``(sentences, 2)``, the row that is asked.

    ``unseen`` are sentences that no training shows.
    """

    sentences: Tensor
    answers: Tensor
    row: int
    unseen: tuple[Tensor, Tensor]


def places(*, sorted_nouns: bool = False) -> Task:
    """Asked at *sat*: who sat, and on whom? Forty of the 240 pairs are held back.

    With ``sorted_nouns`` the first noun is always a she and the second a he, none held back: which
    two nouns there are then says who is who.
    """
    nouns = torch.arange(NOUNS)
    pairs = torch.cartesian_prod(nouns[::2], nouns[1::2]) if sorted_nouns else _different(nouns)
    pairs = pairs[torch.randperm(len(pairs), generator=seeded(0))]
    sentences = torch.tensor([[THE, 0, SAT, ON, THE, 0]]).repeat(len(pairs), 1)
    sentences[:, [WHO, WHOM]] = pairs
    held = 0 if sorted_nouns else 40
    return Task(sentences[held:], pairs[held:], 2, (sentences[:held], pairs[:held]))


def roles() -> Task:
    """Asked at *she* or *he*: who is the subject of *sat*, and which noun does the pronoun mean?"""
    pairs = _different(torch.arange(NOUNS))
    pairs = pairs[(pairs[:, 0] - pairs[:, 1]) % 2 == 1].repeat(2, 1)  # a she and a he
    he = torch.arange(len(pairs)) * 2 // len(pairs)
    sentences = torch.tensor([[THE, 0, SAT, ON, THE, 0, THEN, 0, SLEPT]]).repeat(len(pairs), 1)
    sentences[:, [WHO, WHOM]], sentences[:, 7] = pairs, SHE + he
    meant = torch.where(pairs[:, 0] % 2 == he, pairs[:, 0], pairs[:, 1])
    return Task(sentences, torch.stack([pairs[:, 0], meant], 1), 7, (sentences[:0], pairs[:0]))


def _different(nouns: Tensor) -> Tensor:
    pairs = torch.cartesian_prod(nouns, nouns)
    return pairs[pairs[:, 0] != pairs[:, 1]]


class OneLayer(nn.Module):
    """A word and its place, one attention, two answers.

    Args:
        num_heads: the number of heads.
        d_model: their total width.
        blind: whether queries and keys see the place alone, so that the weights cannot depend on
            the words.
        silent: heads that contribute nothing, from the start.
    """

    def __init__(
        self,
        num_heads: int,
        d_model: int = 32,
        *,
        blind: bool = False,
        silent: tuple[int, ...] = (),
    ) -> None:
        super().__init__()
        self.word, self.place = nn.Embedding(WORDS, d_model), nn.Embedding(PLACES, d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.answer = nn.Linear(d_model, 2 * NOUNS)
        self.blind = blind
        self.register_buffer("heard", torch.ones(num_heads, 1))
        self.heard[list(silent)] = 0.0

    def embed(self, sentences: Tensor) -> Tensor:
        """Add words and places: ``(sentences, tokens, d_model)``."""
        return self.word(sentences) + self.place.weight[: sentences.shape[1]]

    def weights(self, tokens: Tensor, row: int) -> Tensor:
        """Return the weights of one row, ``(sentences, heads, keys)``."""
        if self.blind:
            tokens = self.place.weight[: tokens.shape[1]].expand_as(tokens)
        query = self._split(self.attention.query_projection(tokens[:, row : row + 1]))
        key = self._split(self.attention.key_projection(tokens))
        return (query @ key.mT / self.attention.d_head**0.5).softmax(-1).squeeze(-2)

    def heads(self, tokens: Tensor, weights: Tensor) -> Tensor:
        """Average the values; return ``(sentences, heads, d_head)``."""
        value = self._split(self.attention.value_projection(tokens))
        return (weights.unsqueeze(-2) @ value).squeeze(-2) * self.heard

    def _split(self, tokens: Tensor) -> Tensor:
        return tokens.unflatten(-1, (self.attention.num_heads, -1)).transpose(1, 2)

    def logits(self, heads: Tensor) -> Tensor:
        """Return logits ``(sentences, 2, nouns)`` from what the heads bring home."""
        mixed = self.attention.output_projection(heads.flatten(1))
        return self.answer(mixed).unflatten(-1, (2, -1))


def train(
    model: OneLayer, task: Task, steps: int, seed: int, weights: Tensor | None = None
) -> OneLayer:
    """Train with Adam on random batches of 64; ``weights`` of all sentences replace its own."""
    optimiser, generator = torch.optim.Adam(model.parameters(), lr=5e-3, fused=True), seeded(seed)
    for _ in range(steps):
        chosen = torch.randint(len(task.sentences), (64,), generator=generator)
        tokens = model.embed(task.sentences[chosen])
        own = model.weights(tokens, task.row) if weights is None else weights[chosen]
        logits = model.logits(model.heads(tokens, own))
        loss = F.cross_entropy(logits.flatten(0, 1), task.answers[chosen].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model


def right(model: OneLayer, heads: Tensor, answers: Tensor) -> Tensor:
    """Return which answers are right, ``(sentences, 2)``, given what the heads bring home."""
    return model.logits(heads).argmax(-1) == answers
