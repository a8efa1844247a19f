"""Lesson 01, the last section: does the vector of *bank* tell its sense, and what makes it so?"""

import random

import torch
from torch import Tensor
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.tokens_and_embeddings.text import (
    SCENES,
    SENSES,
    cosines,
    index_of,
    kept_back,
    scene,
    static_vectors,
)
from transformer_lesson import seeded
from transformer_lesson.models import EncoderOnly, ModelConfig

NEAREST, APART = "nearest is of the same sense", "cosine within less between"
TRAINED, UNTRAINED = "trained to fill gaps", "as initialised"
SCRAMBLED, MEANS = "trained on scrambled text", "mean of static vectors, no model"
COUNTED = "untrained layers over counted neighbours"
PADDING, GAP = 0, 1  # ids; those of the words come after them


def measure(seed: int, way: str) -> Numbers:
    """How often the vector nearest to that of *bank*, or *bark*, is one of the same sense.

    All sentences compared are new to the model, and only those that share no word but the form's.
    """
    source = random.Random(seed)
    text = [scene(name, source) for name in SCENES for _ in range(1000)]
    words = index_of(text)
    ids = {word: i + 2 for word, i in words.items()}
    model = EncoderOnly(
        ModelConfig(len(ids) + 2, d_model=32, num_layers=2, d_ff=64, max_tokens=8),
        generator=seeded(seed),
    )
    if way == TRAINED:
        _fill_gaps(model, _batch(text, ids), seed)
    if way == SCRAMBLED:
        _fill_gaps(model, _scrambled(_batch(text, ids), seed), seed)
    if way == COUNTED:
        table = static_vectors(text, words, 32).float()
        with torch.no_grad():  # as large as the random rows
            model.embedding.weight[2:] = table * (model.embedding.weight[2:].std() / table.std())
    static = static_vectors(text, words, 24)
    nearest, apart = [], []
    for word, *senses in SENSES:
        lines = [line for sense in senses for line in kept_back(sense, word)]
        if way == MEANS:
            rows = [static[[words[w] for w in line.split()]].mean(0) for line in lines]
            vectors = torch.stack(rows)
        else:
            read = _batch(lines, ids)
            with torch.no_grad():
                vectors = model(read)[read == ids[word]]
        share, difference = _compare(vectors)
        nearest.append(share)
        apart.append(difference)
    return {NEAREST: sum(nearest) / len(nearest), APART: sum(apart) / len(apart)}


def _batch(lines: list[str], ids: dict[str, int]) -> Tensor:
    rows = [torch.tensor([ids[word] for word in line.split()]) for line in lines]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PADDING)


def _scrambled(read: Tensor, seed: int) -> Tensor:
    """Deal all words of the text out again: as frequent as before, in no company."""
    real = read != PADDING
    words = read[real]
    dealt = words[torch.randperm(len(words), generator=seeded(seed))]
    return read.masked_scatter(real, dealt)


def _fill_gaps(model: EncoderOnly, read: Tensor, seed: int, steps: int = 600) -> None:
    """Hide three words in ten and train the model to name them."""
    generator = seeded(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(steps):
        batch = read[torch.randint(len(read), (64,), generator=generator)]
        hidden = (torch.rand(batch.shape, generator=generator) < 0.3) & (batch != PADDING)
        logits = model(batch.masked_fill(hidden, GAP))[hidden] @ model.embedding.weight.T
        optimizer.zero_grad()
        F.cross_entropy(logits, batch[hidden]).backward()
        optimizer.step()


def _compare(vectors: Tensor) -> tuple[float, float]:
    """Share of nearest vectors of the same sense; mean cosine within less that between.

    ``vectors`` are those of two senses, of four pairs of owner and quality in each, of three forms
    in each pair. Compared are vectors of different pairs; so chance is one half.
    """
    place = torch.arange(24)
    sense, pair = place // 12, place % 12 // 3
    same, other = sense[:, None] == sense, pair[:, None] != pair
    between = cosines(vectors)
    nearest = between.masked_fill(~other, -2.0).argmax(-1)
    right = (sense[nearest] == sense).double().mean()
    return right.item(), (between[same & other].mean() - between[~same & other].mean()).item()


def decide(runs: Runs) -> Verdict:
    """In all 10 trained models at least 75 % of the nearest vectors are of the same sense, among
    new sentences that share no word but those of their form, and the medians of untrained models
    and of models trained on scrambled text stay below. Then true if untrained layers over a table
    of counted neighbors stay below too (median), false if they reach it in all 10 runs: training
    must find the table, not the layers.
    """
    trained, counted = (runs.values(name, NEAREST) for name in (TRAINED, COUNTED))
    before, scrambled = (runs.median(name, NEAREST) for name in (UNTRAINED, SCRAMBLED))
    numbers = (
        f"In trained models {min(trained):.0%} to {max(trained):.0%} of the nearest vectors are of "
        f"the same sense, in untrained layers over a table of counted neighbors "
        f"{min(counted):.0%} to {max(counted):.0%}, and over a random table {before:.0%} (medians; "
        f"chance is 50 %). Static vectors, averaged without a model, reach "
        f"{runs.median(MEANS, NEAREST):.0%}."
    )
    told = min(trained) >= 0.75 and max(before, scrambled) < 0.75
    table = told and runs.median(COUNTED, NEAREST) < 0.75
    return Verdict.of(numbers, false=told and min(counted) >= 0.75, true=table)


CLAIM = Claim(
    name="embeddings.senses",
    lesson="labs/01_rows_in_a_model",
    conditions=(
        Condition(TRAINED, {"way": TRAINED}),
        Condition(UNTRAINED, {"way": UNTRAINED}, "control"),
        Condition(SCRAMBLED, {"way": SCRAMBLED}, "control"),
        Condition(COUNTED, {"way": COUNTED}, "control"),
        Condition(MEANS, {"way": MEANS}, "ideal"),
    ),
    first=200,
    metric=NEAREST,
    label="share of nearest vectors of the same sense (chance 0.5)",
)
