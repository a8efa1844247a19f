"""decoder.speculative: keep a draft's guesses so that the text follows the model."""

from itertools import combinations

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import redrawn

PARTS = 20  # probabilities are multiples of 0.05, and can be worked out by hand
MARGIN = 0.012  # between a random number and where the decision turns

SIZES = (  # guesses, words, how many guesses are kept
    (1, 4, 0),
    (1, 4, 1),
    (2, 4, 1),
    (3, 5, 0),
    (3, 5, 1),
    (3, 4, 2),
    (3, 5, 3),
    (4, 6, 2),
    (5, 7, 1),
)


def _draw(generator: Generator) -> list[Case]:
    never = _rows([[0, 5, 5], [2, 4, 4]], [[4, 2, 4]], [0], [0.0], 0.0)
    zero = _rows([[2, 0, 8], [2, 4, 4]], [[3, 4, 3]], [1], [0.0], 0.0)
    agree = _rows([[3, 5, 2], [6, 1, 3]], [[3, 5, 2]], [2], [0.99], 0.65)
    apart = _rows([[5, 5, 0, 0], [1, 2, 3, 4]], [[0, 0, 4, 6]], [3], [0.3], 0.75)
    two = _rows([[7, 2, 1, 0], [1, 2, 3, 4]], [[1, 1, 3, 5]], [2], [0.5], 0.8)
    larger = {**two, "last": 0.515}  # the larger of p and q, and |p - q|, give other words
    three = _rows([[2, 5, 2, 1, 0], [1, 2, 3, 3, 1]], [[2, 0, 1, 0, 7]], [4], [0.5], 0.68)
    drawn = [_round(generator, *sizes) for sizes in SIZES]
    return [
        *(
            Case(f"{guesses} guesses, {kept} kept" if guesses > 1 else f"one guess, {kept} kept", i)
            for (guesses, _, kept), i in zip(SIZES, drawn, strict=True)
        ),
        Case("a guess that the model never writes, and random numbers of 0", never),
        Case("the same, where the first word cannot be drawn", zero),
        Case("model and draft agree", agree),
        Case("model and draft share no word", apart),
        Case("18 guesses of 20 words, 17 kept by a little", _long(generator)),
        Case("a guess dropped where two words are due", two),
        Case("a guess dropped where two words are due, a smaller last number", larger),
        Case("a guess dropped where three words are due", three),
    ]


def _long(generator: Generator) -> dict[str, Value]:
    """18 guesses, the last of them refused; no random number lies far from where it turns."""
    p = (2 * torch.randn(19, 20, generator=generator)).softmax(-1)
    q = (2 * torch.randn(18, 20, generator=generator)).softmax(-1)
    guessed = torch.multinomial(q, 1, generator=generator)[:, 0]
    guessed[17] = 19
    p[17] = F.pad(p[17, 1:19] / p[17, 1:19].sum() * (1 - 6e-4), (1, 1))
    p[17, 0], p[17, 19] = 5e-4, 1e-4
    q[17] = F.pad(q[17, 1:19] / q[17, 1:19].sum() / 2, (1, 1))
    q[17, 19] = 0.5
    places = torch.arange(18)
    random = 0.9995 * (p[places, guessed] / q[places, guessed]).clamp(max=1)
    random[17] = 5e-4
    return {"p": p, "q": q, "guessed": guessed, "random": random, "last": 0.0}


def _rows(
    p: list[list[int]], q: list[list[int]], guessed: list[int], random: list[float], last: float
) -> dict[str, Value]:
    return {
        "p": torch.tensor(p) / 10,
        "q": torch.tensor(q) / 10,
        "guessed": torch.tensor(guessed),
        "random": torch.tensor(random),
        "last": last,
    }


def _round(generator: Generator, guesses: int, words: int, kept: int) -> dict[str, Value]:
    """Draw a round in which ``kept`` guesses are kept, and other rules go on differently."""

    def attempt() -> dict[str, Value] | None:
        p, q = (
            _probabilities(generator, guesses + 1, words),
            _probabilities(generator, guesses, words),
        )
        guessed = torch.multinomial(q, 1, generator=generator)
        share = (p[:-1].gather(1, guessed) / q.gather(1, guessed))[:, 0]
        numbers = torch.rand(guesses, generator=generator)
        random = numbers * share.clamp(max=1)
        random[kept + 1 :] = numbers[kept + 1 :] / 2  # behind the first that fails many would pass
        random[kept : kept + 1] = 1 - numbers[kept : kept + 1] * (1 - share[kept : kept + 1])
        random = (100 * random).floor().clamp(max=99) / 100
        passed = int((random < share).cumprod(0).sum())
        if passed != kept or (random - share).abs().min() < MARGIN:
            return None
        rules = _running_sums(p, q, kept, int(guessed[min(kept, guesses - 1)]))
        found = _telling(rules, apart=3 if words >= 6 else 0)
        if not len(found):
            return None
        last = found[int(torch.randint(len(found), (), generator=generator))].item()
        return {"p": p, "q": q, "guessed": guessed[:, 0], "random": random, "last": last}

    return redrawn(attempt)


def _probabilities(generator: Generator, places: int, words: int) -> Tensor:
    weights = torch.randn(places, words, generator=generator).softmax(-1)
    draws = torch.multinomial(weights, PARTS, replacement=True, generator=generator)
    return F.one_hot(draws, words).sum(1) / PARTS


def _running_sums(p: Tensor, q: Tensor, kept: int, guess: int) -> Tensor:
    """From what the further token is drawn, and then from what it might be by mistake."""
    dropped = kept < len(q)
    row = kept if dropped else kept - 1  # the last place at which there is a guess
    left = p[row] - q[row]
    right = left.clamp(min=0) if dropped else p[-1]
    wrong = [left.abs(), (-left).clamp(min=0), q[row], p[row]]
    wrong.append(p[kept + 1] if dropped else left.clamp(min=0))
    wrong += [F.one_hot(word, len(left)).float() for word in (right.argmax(), torch.tensor(guess))]
    sums = torch.stack([right, *wrong]).cumsum(-1)
    sums = sums / sums[:, -1:]
    return torch.cat([sums, right.cumsum(0)[None]]) if dropped else sums


def _telling(rules: Tensor, apart: int) -> Tensor:
    """Those values of ``last`` with which the first rule gives another word than all others.

    Of the others the first ``apart`` differ from each other too.
    """
    last = torch.arange(100) / 100
    words = (rules[:, None] <= last[:, None]).sum(-1)  # (rules, values)
    telling = (words[1:] != words[0]).all(0)
    for one, other in combinations(range(1, apart + 1), 2):
        telling &= words[one] != words[other]
    sure = ((rules[:, None] - last[:, None]).abs() > MARGIN).all(-1).all(0)
    return last[telling & sure]


CHECK = Check(
    name="decoder.speculative",
    lesson="06_decoder",
    title="A draft guesses, the model decides",
    answer="speculative_round",
    returns=("tokens", "average"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=3,
    minutes=20,
)
