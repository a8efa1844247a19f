"""The text of lesson 01's last sections and its labs, and vectors that counting its words gives."""

import random
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

SCENES = {  # owners, things, qualities
    "river": ("river stream brook creek", "bank bed shore mouth", "muddy wet grassy shallow"),
    "money": ("town lender firm merchant", "bank vault office purse", "rich busy honest closed"),
    "dog": ("puppy hound terrier spaniel", "bark growl yelp whine", "loud sharp hoarse sudden"),
    "tree": ("oak birch elm willow", "bark trunk crown root", "rough brown smooth thick"),
}
FORMS = ("the {t} of the {o} was {q}", "that {o} has a {q} {t}", "how {q} is the {t} of this {o}")
SENSES = (("bank", "river", "money"), ("bark", "dog", "tree"))
ROLES = {
    ("king", "queen"): "throne crown palace",
    ("man", "woman"): "coat street job",
    ("father", "mother"): "cradle family lullaby",
    ("actor", "actress"): "stage mask costume",
    ("uncle", "aunt"): "nephew visit present",
}
LIVES = ("the {p} lost {h} {t}", "{s} is a {p} and has a {t}", "a {p} wants a {t} for {h} {u}")


def scene(name: str, source: random.Random) -> str:
    """Draw a sentence about one of the four things, but none of those that are kept back.

    The first owner never has the first quality, the second never the second, and so on.
    """
    owners, things, qualities = (words.split() for words in SCENES[name])
    owner, quality = source.choice(
        [(o, q) for i, o in enumerate(owners) for j, q in enumerate(qualities) if i != j]
    )
    return source.choice(FORMS).format(o=owner, t=source.choice(things), q=quality)


def kept_back(name: str, thing: str) -> list[str]:
    """The twelve sentences with ``thing`` that ``scene`` never draws: each owner in each form."""
    owners, _, qualities = (words.split() for words in SCENES[name])
    pairs = zip(owners, qualities, strict=True)
    return [form.format(o=o, t=thing, q=q) for o, q in pairs for form in FORMS]


def life(source: random.Random, gendered: bool) -> str:
    """Draw a sentence about a man or a woman in one of five roles, told by *it* or by gender."""
    people, gender = source.choice(list(ROLES)), source.randrange(2)
    thing, use = source.sample(ROLES[people].split(), 2)
    subject, owns = (("he", "his"), ("she", "her"))[gender] if gendered else ("it", "its")
    return source.choice(LIVES).format(p=people[gender], s=subject, h=owns, t=thing, u=use)


def index_of(sentences: Sequence[str]) -> dict[str, int]:
    """A number for each word, in alphabetical order."""
    return {word: i for i, word in enumerate(sorted(set(" ".join(sentences).split())))}


def static_vectors(sentences: Sequence[str], ids: dict[str, int], width: int) -> Tensor:
    """Positive pointwise mutual information of sharing a sentence, by SVD: ``(words, width)``."""
    counts = torch.zeros(len(ids), len(ids), dtype=torch.float64)
    for sentence in sentences:
        row = torch.tensor([ids[word] for word in sentence.split()])
        first, second = (~torch.eye(len(row), dtype=torch.bool)).nonzero().T
        one = torch.ones(1, dtype=torch.float64)
        counts.index_put_((row[first], row[second]), one, accumulate=True)
    expected = counts.sum(1, keepdim=True) * counts.sum(0, keepdim=True) / counts.sum()
    surprise = (counts / expected.clamp(min=1e-9)).log().clamp(min=0)
    left, values, _ = torch.linalg.svd(surprise)
    return left[:, :width] * values[:width].sqrt()


def cosines(vectors: Tensor) -> Tensor:
    """Between any two rows: ``(rows, rows)``."""
    return F.cosine_similarity(vectors[:, None], vectors[None], dim=-1)
