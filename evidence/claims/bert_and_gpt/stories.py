"""The stories of lesson 08, its two bodies and how they are trained; its claims share them."""

import itertools
import math
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.attention import causal_mask, padding_mask
from transformer_lesson.models import EncoderOnly, ModelConfig
from transformer_lesson.training import TrainingConfig, next_token, summed_cross_entropy, train
from transformer_lesson.training.losses import Loss, Objective

PRONOUNS = {"cat": "it", "dog": "it", "girl": "she", "queen": "she", "boy": "he", "king": "he"}
PLACES = {  # three things and what is done with them
    "on the mat": "ball toy bell rolled",
    "in the kitchen": "cake pie apple ate",
    "in the library": "book letter poem read",
    "by the lake": "fish frog crab caught",
    "on the hill": "kite plane balloon flew",
    "in the garden": "rose seed bulb planted",
}
INSIDE, OUTSIDE = list(PLACES)[:3], list(PLACES)[3:]
DAYS = dict.fromkeys(INSIDE, ("quiet", "lazy")) | dict.fromkeys(OUTSIDE, ("sunny", "windy"))
POSTURES, LOOKS = ("sat", "stood", "lay"), ("small", "big", "red", "new")
# Where the words that vary stand in a story.
GAPS = {"weather": 2, "actor": 5, "posture": 6, "place": 9, "pronoun": 12, "look": 15}
GAPS |= {"thing": 16, "verb": 21, "thing again": 23}

Parts = tuple[list[str], list[str]]


def story(who: str, posture: str, place: str, look: str, day: int, index: int) -> Parts:
    """Return the two parts of a story, as lists of words."""
    *things, verb = PLACES[place].split()
    it, thing, weather = PRONOUNS[who], things[index], DAYS[place][day]
    first = f"one {weather} day the {who} {posture} {place} ."
    then = f"{it} found a {look} {thing} there . then {it} {verb} the {thing} ."
    return first.split(), then.split()


choices = itertools.product(PRONOUNS, POSTURES, PLACES, LOOKS, range(2), range(3))
stories = [story(*choice) for choice in choices]
random.Random(0).shuffle(stories)
unseen, known = stories[:400], stories[400:]  # for tests; for training

PAD, MASK, CLS, SEP = range(4)
words = sorted({word for parts in stories for part in parts for word in part})
vocabulary = ["[pad]", "[mask]", "[cls]", "[sep]", *words]
id_of = {word: index for index, word in enumerate(vocabulary)}
VERBS = torch.tensor([id_of[things.split()[-1]] for things in PLACES.values()])


def encode(*parts: list[str]) -> list[int]:
    """Return ids: [cls], then each part with [sep] after it."""
    return [CLS, *(i for part in parts for i in [*(id_of[word] for word in part), SEP])]


known_ids = torch.tensor([encode(*parts) for parts in known])  # (stories, 26)
unseen_ids = torch.tensor([encode(*parts) for parts in unseen])
begin = [encode(first) for first, _ in known]  # [cls] A [sep]
end = [encode(then)[1:] for _, then in known]  # B [sep]
ROWS, STEPS = 32, 300  # stories in a batch; batches in a training, as in the lesson


class Model(nn.Module):
    """One body that is BERT or GPT by its mask."""

    def __init__(self, causal: bool, seed: int) -> None:
        super().__init__()
        generator = seeded(seed)
        self.causal = causal
        config = ModelConfig(
            len(vocabulary), d_model=48, num_heads=4, num_layers=2, d_ff=192, max_tokens=64
        )
        self.body = EncoderOnly(config, generator=generator)
        self.follows = nn.Parameter(torch.randn(48, 2, generator=generator) / math.sqrt(48))

    def hidden(self, tokens: Tensor) -> Tensor:
        """Return states ``(batch, tokens, d_model)``."""
        mask = padding_mask(tokens, PAD)
        if self.causal:
            mask = mask & causal_mask(tokens.shape[1])
        return self.body.encoder(self.body.embedding(tokens), mask)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return logits ``(batch, tokens, vocabulary)``."""
        return self.hidden(tokens) @ self.body.embedding.weight.T


def corrupt(
    tokens: Tensor, generator: torch.Generator, masked: float = 0.8, replaced: float = 0.1
) -> tuple[Tensor, Tensor]:
    """Return what BERT reads, and what it is asked for: PAD where nothing is asked."""
    chosen = (torch.rand(tokens.shape, generator=generator) < 0.15) & (tokens > SEP)
    how = torch.rand(tokens.shape, generator=generator)
    randoms = torch.randint(SEP + 1, len(vocabulary), tokens.shape, generator=generator)
    reads = torch.where(chosen & (how < masked), MASK, tokens)
    reads = torch.where(chosen & (how >= masked) & (how < masked + replaced), randoms, reads)
    return reads, torch.where(chosen, tokens, PAD)


def drawn_stories(generator: torch.Generator) -> Tensor:
    """Return a batch of whole stories, ``(32, 26)``."""
    return known_ids[torch.randint(len(known_ids), (ROWS,), generator=generator)]


def drawn_pairs(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return pairs ``(32, 26)``, half of them with another story's second part, and which."""
    own, other = torch.randint(len(known), (2, ROWS), generator=generator).tolist()
    follows = torch.rand(ROWS, generator=generator) < 0.5
    pairs = [begin[a] + end[a if f else b] for a, b, f in zip(own, other, follows, strict=True)]
    return torch.tensor(pairs), follows.long()


def next_word(model: nn.Module, tokens: Tensor) -> Loss:
    """GPT's question at each place."""
    return next_token(padding_id=PAD)(model, tokens)


def masked_words(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Loss:
    """BERT's question at the chosen places."""
    reads, asked = batch
    return summed_cross_entropy(model(reads), asked, padding_id=PAD)


def masked_and_pair(model: Any, batch: tuple[Tensor, Tensor, Tensor]) -> Loss:
    """BERT's two questions: the means of both losses are added."""
    reads, asked, follows = batch
    hidden = model.hidden(reads)
    logits = hidden @ model.body.embedding.weight.T
    loss, count = summed_cross_entropy(logits, asked, padding_id=PAD)
    return loss + count * F.cross_entropy(hidden[:, 0] @ model.follows, follows), count


def fit(
    model: nn.Module,
    objective: Objective,
    draw: Callable[[torch.Generator], Any],
    seed: int,
    steps: int,
) -> None:
    """Train with batches drawn from a seed, as the lesson does."""
    config = TrainingConfig(steps=steps, learning_rate=5e-3, warmup_steps=50, schedule="cosine")
    train(model, objective, lambda n: draw(seeded(100_000 * seed + n)), config, progress=False)


@cache  # claims that are measured by one process share a training
def gpt(seed: int) -> Model:
    """Return a GPT that has read the stories."""
    model = Model(causal=True, seed=seed)
    fit(model, next_word, drawn_stories, seed, STEPS)
    return model


@cache
def bert(seed: int, steps: int = STEPS, masked: float = 0.8, replaced: float = 0.1) -> Model:
    """Return a BERT that has read the same stories, and filled their holes."""
    model = Model(causal=False, seed=seed)

    def draw(generator: torch.Generator) -> tuple[Tensor, Tensor]:
        return corrupt(drawn_stories(generator), generator, masked, replaced)

    fit(model, masked_words, draw, seed, steps)
    return model


@cache
def bert_of_pairs(seed: int, *, asked: bool = True) -> Model:
    """Return a BERT that has read pairs, half of them random; ``asked``: whether B follows A."""
    model = Model(causal=False, seed=seed)

    def draw(generator: torch.Generator) -> tuple[Tensor, ...]:
        pairs, follows = drawn_pairs(generator)
        holes = corrupt(pairs, generator)
        return (*holes, follows) if asked else holes

    fit(model, masked_and_pair if asked else masked_words, draw, seed, STEPS)
    return model


@torch.no_grad()
def guesses(model: Model, place: int, tokens: Tensor = unseen_ids) -> Tensor:
    """Return logits ``(stories, vocabulary)`` for a place: from both sides, or from the left."""
    if model.causal:
        return model(tokens[:, :place])[:, -1]
    holed = tokens.clone()
    holed[:, place] = MASK
    return model(holed)[:, place]


def drawn_words(logits: Tensor, generator: torch.Generator) -> Tensor:
    """Return a word for each row, ``(batch, 1)``."""
    return torch.multinomial(logits.softmax(-1), 1, generator=generator)


@torch.no_grad()
def go_on(model: Model, tokens: Tensor, generator: torch.Generator, total: int = 25) -> Tensor:
    """Append words, drawn one by one, until a text has all its words."""
    while tokens.shape[1] < total:
        hole = tokens.new_full((len(tokens), 0 if model.causal else 1), MASK)
        logits = model(torch.cat([tokens, hole], dim=1))[:, -1]
        tokens = torch.cat([tokens, drawn_words(logits, generator)], dim=1)
    return tokens


ALL_WORDS = {tuple(encode(*parts)[:25]) for parts in stories}  # without the last [sep]


def share_possible(texts: Tensor) -> float:
    """Return the share of texts that are one of the 2,592 stories."""
    return sum(tuple(row) in ALL_WORDS for row in texts.tolist()) / len(texts)
