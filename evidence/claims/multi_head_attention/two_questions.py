"""Sentences that pose two questions, and a model of one attention layer that answers them.

*The hen sat on the bull then he slept*, with sixteen nouns, eight she and eight he in turn. Every
sentence there is can be listed, so shares of right answers are exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

from evidence.claims.multi_head_attention.side_by_side import drawn_for_each, group_of, train
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention

NOUNS = 16
THE, SAT, ON, THEN, SLEPT, SHE = range(NOUNS, NOUNS + 6)  # "he" is SHE + 1
WORDS, PLACES = NOUNS + 7, 9
WHO, WHOM = 1, 5  # where the two nouns stand


@dataclass(frozen=True, eq=False)
class Task:
    """Sentences ``(sentences, tokens)``, their answers ``(sentences, 2)``, the row that is asked.

    ``unseen`` are sentences that no training shows.
    """

    sentences: Tensor
    answers: Tensor
    row: int
    unseen: tuple[Tensor, Tensor]


@cache
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


@cache
def couples() -> Task:
    """Asked at *sat*: which she is there, and which he? Either may come first."""
    pairs = _couples()
    sentences = torch.tensor([[THE, 0, SAT, ON, THE, 0]]).repeat(len(pairs), 1)
    sentences[:, [WHO, WHOM]] = pairs
    she_first = pairs[:, :1] % 2 == 0
    answers = torch.where(she_first, pairs, pairs.flip(1))
    return Task(sentences, answers, 2, (sentences[:0], pairs[:0]))


@cache
def roles() -> Task:
    """Asked at *she* or *he*: who is the subject of *sat*, and which noun does the pronoun mean?"""
    pairs = _couples().repeat(2, 1)
    he = torch.arange(len(pairs)) * 2 // len(pairs)
    sentences = torch.tensor([[THE, 0, SAT, ON, THE, 0, THEN, 0, SLEPT]]).repeat(len(pairs), 1)
    sentences[:, [WHO, WHOM]], sentences[:, 7] = pairs, SHE + he
    meant = torch.where(pairs[:, 0] % 2 == he, pairs[:, 0], pairs[:, 1])
    return Task(sentences, torch.stack([pairs[:, 0], meant], 1), 7, (sentences[:0], pairs[:0]))


TASKS: dict[str, Callable[[], Task]] = {
    "roles": roles,
    "places": places,
    "sorted": partial(places, sorted_nouns=True),
    "couples": couples,
}


def _couples() -> Tensor:
    pairs = _different(torch.arange(NOUNS))
    return pairs[(pairs[:, 0] - pairs[:, 1]) % 2 == 1]  # a she and a he


def _different(nouns: Tensor) -> Tensor:
    pairs = torch.cartesian_prod(nouns, nouns)
    return pairs[pairs[:, 0] != pairs[:, 1]]


class OneLayer(nn.Module):
    """A word and its place, one attention, two answers.

    Args:
        seed: of the initial weights.
        num_heads: the number of heads.
        d_model: their total width.
        blind: whether queries and keys see the place alone, so that the weights cannot depend on
            the words.
        silent: how many heads contribute nothing, from the start.
    """

    heard: Tensor

    def __init__(
        self, seed: int, num_heads: int, d_model: int = 32, blind: bool = False, silent: int = 0
    ) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.word, self.place = nn.Embedding(WORDS, d_model), nn.Embedding(PLACES, d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.answer = nn.Linear(d_model, 2 * NOUNS)
        self.blind = blind
        heard = torch.arange(num_heads) >= silent
        self.register_buffer("heard", heard.float().unsqueeze(1), persistent=False)

    def forward(self, sentences: Tensor, row: int, weights: Tensor | None = None) -> Tensor:
        """Return logits ``(sentences, 2, nouns)``, with its own weights or those given."""
        tokens = self.embed(sentences)
        weights = self.weights(tokens, row) if weights is None else weights
        return self.logits(self.heads(tokens, weights))

    def embed(self, sentences: Tensor) -> Tensor:
        """Add words and places: ``(sentences, tokens, d_model)``."""
        return self.word(sentences) + self.place.weight[: sentences.shape[1]]

    def weights(self, tokens: Tensor, row: int) -> Tensor:
        """Return the weights of one row, ``(sentences, heads, keys)``."""
        if self.blind:
            tokens = self.place.weight[: tokens.shape[1]].expand_as(tokens)
        query = self._split(self.attention.query_projection(tokens[:, row : row + 1]))
        key = self._split(self.attention.key_projection(tokens))
        # A sum of products: much faster here than thousands of small matrix products.
        return ((query * key).sum(-1) / self.attention.d_head**0.5).softmax(-1)

    def heads(self, tokens: Tensor, weights: Tensor) -> Tensor:
        """Average the values; return ``(sentences, heads, d_head)``."""
        value = self._split(self.attention.value_projection(tokens))
        return (weights.unsqueeze(-1) * value).sum(-2) * self.heard

    def _split(self, tokens: Tensor) -> Tensor:
        return tokens.unflatten(-1, (self.attention.num_heads, -1)).transpose(1, 2)

    def logits(self, heads: Tensor) -> Tensor:
        """Return logits ``(sentences, 2, nouns)`` from what the heads bring home."""
        mixed = self.attention.output_projection(heads.flatten(1))
        return self.answer(mixed).unflatten(-1, (2, -1))


def trained(seed: int, question: str, steps: int, num_heads: int, **others: Any) -> OneLayer:
    """The model of one run; see ``_group``, whose other arguments it takes too."""
    seeds = group_of(seed)
    return _group(seeds, question, steps, num_heads, **others)[seeds.index(seed)]


@cache
def _group(
    seeds: range,
    question: str,
    steps: int,
    num_heads: int,
    *,
    d_model: int = 32,
    blind: bool = False,
    silent: int = 0,
    copied: tuple[str, ...] = (),
    forced: bool = False,
) -> list[OneLayer]:
    """Train the models of several runs; the first that is asked for trains them all.

    Args:
        seeds: of the runs.
        question: one of ``TASKS``.
        steps: of Adam, on 64 sentences each, which differ from run to run.
        num_heads, d_model, blind, silent: of the model.
        copied: projections in which head 1 starts as a copy of head 0.
        forced: whether head 0 looks at the first answer's noun, and head 1 at the second's.
    """
    task = TASKS[question]()
    models = [OneLayer(seed, num_heads, d_model, blind, silent) for seed in seeds]
    for model in models:
        _copy_head(model, copied)
    chosen = drawn_for_each(seeds, len(task.sentences), (steps, 64)).unbind(1)

    def loss(parameters: dict[str, Tensor], sentences: Tensor, answers: Tensor) -> Tensor:
        weights = forced_weights(sentences, answers) if forced else None
        logits = functional_call(models[0], parameters, (sentences, task.row, weights))
        return F.cross_entropy(logits.flatten(0, 1), answers.flatten())

    train(models, loss, ((task.sentences[c], task.answers[c]) for c in chosen))
    return models


@torch.no_grad()
def _copy_head(model: OneLayer, kinds: tuple[str, ...]) -> None:
    d_head = model.attention.d_head
    for kind in kinds:  # the biases start at 0, alike already
        weight = model.attention.get_parameter(f"{kind}_projection.weight")
        rows = weight.T if kind == "output" else weight
        rows[d_head : 2 * d_head] = rows[:d_head]


def forced_weights(sentences: Tensor, answers: Tensor) -> Tensor:
    """Weights ``(sentences, 2, keys)`` of which each head's lie on the noun of one answer."""
    at_who = sentences[:, [WHO]] == answers
    keys = torch.arange(sentences.shape[1])
    return (keys == torch.where(at_who, WHO, WHOM).unsqueeze(-1)).float()


def right(model: OneLayer, heads: Tensor, answers: Tensor) -> Tensor:
    """Return which answers are right, ``(sentences, 2)``, given what the heads bring home."""
    return model.logits(heads).argmax(-1) == answers
