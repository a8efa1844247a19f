"""A small piece of real French, and the model that learns it: what lesson 06 and its lab share.

A color follows its noun and agrees with it: *the black cat* is *le chat noir*, *the black cow* is
*la vache noire*. One verb in four, *slept*, has four right translations.
"""

from functools import cache
from itertools import product

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder

ANIMALS = {"cat": "le chat", "dog": "le chien", "horse": "le cheval"}
ANIMALS |= {"mouse": "la souris", "cow": "la vache", "frog": "la grenouille"}
PLACES = {"mat": "le tapis", "bed": "le lit", "wall": "le mur"}
PLACES |= {"table": "la table", "chair": "la chaise", "road": "la route"}
COLORS = {"black": "noir noire", "white": "blanc blanche", "green": "vert verte"}
PREPOSITIONS = {"on": "sur", "under": "sous", "behind": "derrière"}
# The dot stands for the e of a feminine subject; a verb is listed as often as it is used.
VERBS = {"sat": ["était assis·"], "waited": ["attendait"], "sang": ["chantait"]}
VERBS["slept"] = 4 * ["dormait"] + 2 * ["était endormi·", "était assoupi·", "était couché·"]
# The same frequencies, and no two translations that begin with the same word.
APART = VERBS | {"slept": 4 * ["dormait"] + 2 * ["sommeillait", "somnolait", "roupillait"]}

COLORED = ["", *(f"{color} " for color in COLORS)]
SENTENCES = [
    f"the {color}{animal} {verb} {where} the {other}{place}"
    for color, animal, verb, where, other, place in product(
        COLORED, ANIMALS, VERBS, PREPOSITIONS, COLORED, PLACES
    )
]
HELD_OUT = SENTENCES[::13]  # never seen in training, whatever their translation
LEARNED = sorted({*SENTENCES} - {*HELD_OUT})

PAD, START, END = 0, 1, 2
STEPS = 150


def translations(english: str, verbs: dict[str, list[str]] = VERBS) -> list[str]:
    """Return all right translations, each as often as it is used: of *slept* ten, else one."""
    words = english.split()
    at = next(index for index, word in enumerate(words) if word in verbs)
    who, ending = _phrase(words[:at], ANIMALS)
    where, _ = _phrase(words[at + 2 :], PLACES)
    forms = [verb.replace("·", ending) for verb in verbs[words[at]]]
    return [f"{who} {form} {PREPOSITIONS[words[at + 1]]} {where}" for form in forms]


def _phrase(words: list[str], nouns: dict[str, str]) -> tuple[str, str]:
    """Translate a noun phrase; return the ending of a participle that agrees with it too."""
    article, noun = nouns[words[-1]].split()
    feminine = article == "la"
    color = [COLORS[words[1]].split()[feminine]] if len(words) == 3 else []
    return " ".join([article, noun, *color]), "e" if feminine else ""


FRENCH = [way for verbs in (VERBS, APART) for e in SENTENCES for way in translations(e, verbs)]
WORDS = {word for text in SENTENCES + FRENCH for word in text.split()}
VOCABULARY = ["[pad]", "[start]", "[end]", *sorted(WORDS)]
IDS = {word: index for index, word in enumerate(VOCABULARY)}


def encode(sentences: list[str]) -> Tensor:
    """Return ids ``(sentences, tokens)``, filled up with padding on the right."""
    rows = [torch.tensor([IDS[word] for word in text.split()]) for text in sentences]
    return pad_sequence(rows, batch_first=True, padding_value=PAD)


def decode(row: Tensor) -> str:
    """Return the words of one row of ids, without [start], up to [end]."""
    ids = row.tolist()
    ids = ids[: ids.index(END)] if END in ids else ids
    return " ".join(VOCABULARY[index] for index in ids if index not in (PAD, START))


def pairs(
    number: int, generator: torch.Generator, verbs: dict[str, list[str]] = VERBS
) -> list[tuple[str, str]]:
    """Draw English sentences to learn from, each with one of its translations."""
    which = torch.randint(len(LEARNED), (number,), generator=generator).tolist()
    turn = torch.randint(10, (number,), generator=generator).tolist()
    drawn = [(LEARNED[index], translations(LEARNED[index], verbs)) for index in which]
    return [(english, ways[t % len(ways)]) for (english, ways), t in zip(drawn, turn, strict=True)]


def share_right(
    written: list[str], sentences: list[str], verbs: dict[str, list[str]] = VERBS
) -> float:
    """Return how often what was written is one of the right translations."""
    both = zip(sentences, written, strict=True)
    return sum(french in translations(english, verbs) for english, french in both) / len(written)


@torch.no_grad()
def log_probability(model: EncoderDecoder, english: str, french: str) -> float:
    """Sum over the words of log p(word | source, words before it), the end token included."""
    target = encode([f"[start] {french} [end]"])
    logits = model(encode([english]), target[:, :-1])
    return logits.log_softmax(-1).gather(-1, target[:, 1:, None]).sum().item()


def untrained(seed: int) -> EncoderDecoder:
    """Return the model before its training, in evaluation mode."""
    config = ModelConfig(
        len(VOCABULARY), d_model=64, num_heads=4, num_layers=2, d_ff=128, max_tokens=32
    )
    return EncoderDecoder(config, generator=seeded(seed)).eval()


@cache
def trained(seed: int, *, steps: int = STEPS, apart: bool = False) -> EncoderDecoder:
    """Return the model after its training, or after its first ``steps``, each with 32 new pairs.

    Args:
        seed: of the weights and of the pairs.
        steps: where to stop.
        apart: whether the translations of *slept* begin with different words.
    """
    model = untrained(seed)
    drawn = pairs(32 * STEPS, seeded(1000 + seed), APART if apart else VERBS)
    source = encode([english for english, _ in drawn])
    target = encode([f"[start] {french} [end]" for _, french in drawn])
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
    for step in range(steps):
        warm_up, decay = (step + 1) / 30, 2 * (1 - step / STEPS)
        optimizer.param_groups[0]["lr"] = 4e-3 * min(1.0, warm_up, decay)
        rows = slice(32 * step, 32 * step + 32)
        logits = model(source[rows], target[rows, :-1])
        loss = F.cross_entropy(logits.mT, target[rows, 1:], ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
