"""decoder.speculative: keep a draft's guesses so that the text follows the model."""

from itertools import combinations

import torch
from torch import Generator, Tensor
from torch.nn import functional as F

from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip

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
    while True:
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
            continue
        rules = _running_sums(p, q, kept, int(guessed[min(kept, guesses - 1)]))
        found = _telling(rules, apart=3 if words >= 6 else 0)
        if len(found):
            last = found[int(torch.randint(len(found), (), generator=generator))].item()
            flat = guessed[:, 0]
            return {"p": p, "q": q, "guessed": flat, "random": random, "last": last}


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


_LEFT = "(p[kept] - q[kept]).clamp(min=0)"
_TOKENS = "torch.cat([guessed[:kept], drawn[None]])"
_BOTH = "torch.minimum(p[:-1], q).sum(-1)"
_AVERAGE = "1 + both.cumprod(0).sum()"

# fmt: off
CHECK = Check(
    name="decoder.speculative", lesson="06_decoder", title="A draft guesses, the model decides",
    answer="speculative_round", returns=("tokens", "average"), draw=_draw,
    points=3, difficulty=4, importance=3, minutes=20,
    slips=(
        Slip("drawn from p", {_LEFT: "p[kept]"},
             "in place of a guess that is not kept a token is drawn from p itself: what the draft "
             "likes was kept often already, and now comes out too often",
             "Some of p(x) has come out through guesses that were kept. How much is still due?"),
        Slip("drawn from q", {_LEFT: "q[kept]"},
             "in place of a guess that is not kept a token is drawn from the draft",
             "The text must follow p. How much of p(x) is still due once guesses were kept?"),
        Slip("what q has more", {"(p[kept] - q[kept])": "(q[kept] - p[kept])"},
             "the token is drawn from what q has more than p: words that came out too often",
             "Which words come out too seldom if guesses alone are kept?"),
        Slip("the absolute difference", {".clamp(min=0)": ".abs()"},
             "the token is drawn from |p - q|: words that the draft likes too much get a share",
             "Where q exceeds p, kept guesses give all of p(x) already. How much is due there?"),
        Slip("what is left not renormalised", {"last * sums[-1]": "last"},
             "what is left of p is drawn from as it is, though it does not sum to one",
             "To draw from weights, divide them by their sum first."),
        Slip("the most probable instead of a draw",
             {"(sums <= last * sums[-1]).sum()": "left.argmax()"},
             "the further token is the most probable one, whatever `last` says",
             "It must be drawn: each word as often as its share says."),
        Slip("drawn one word too early", {"(sums <= last * sums[-1]).sum()":
                                          "(sums <= last * sums[-1]).sum() - 1"},
             "the word before the right one is drawn: the last one whose sum is not above `last`",
             "It is the first word at which the running sum is *above* `last`."),
        Slip("ratio inverted", {"p[places, guessed] / q[places, guessed]":
                                "q[places, guessed] / p[places, guessed]"},
             "guesses are kept with probability q/p",
             "A guess that the model thinks more probable than the draft does is always kept."),
        Slip("compared with p alone", {" / q[places, guessed]": ""},
             "guesses are kept with probability p, not p/q",
             "The draft draws x with probability q(x). How often may it be kept so that x comes "
             "out at most p(x) of the time?"),
        Slip("random numbers ignored", {"random < share": "share >= 1"},
             "a guess is kept only where p is at least q; `random` decides nothing",
             "Where p is half of q, half of the guesses are kept."),
        Slip("kept only where p is greater", {"random < share": "share > 1"},
             "a guess is kept only where p is greater than q; `random` decides nothing",
             "Where p is half of q, half of these guesses must be kept."),
        Slip("kept at equality", {"random < share": "random <= share"},
             "a guess is kept where its random number equals p/q: at 0 even one that the model "
             "never writes",
             "Below, not at: with probability 0 nothing is kept."),
        Slip("a word of probability 0 drawn", {"sums <= last": "sums < last"},
             "with `last` 0 a word of probability 0 is drawn: its running sum is not above `last`",
             "Is the comparison strict (what does searchsorted do at equality?), and is anything "
             "added to the probabilities?"),
        Slip("the dropped guess taken out of p", {
                 f"{_LEFT} if kept < len(guessed) else p[kept]":
                     "p[kept].clone()\n"
                     "    left[guessed[kept : kept + 1]] = 0",
             },
             "the token is drawn from p without the guess that was dropped",
             "That word was kept too seldom only by p - q, if at all."),
        Slip("the whole distance", {_BOTH: "1 - (p[:-1] - q).abs().sum(-1)"},
             "a guess is counted as dropped with probability Σ|p - q|: twice as often as it is",
             "What p has more than q in one place, it has less in others."),
        Slip("kept where above", {"random < share": "random > share"},
             "guesses are kept where they should be dropped",
             "A number drawn evenly from 0 to 1 is below p/q with probability p/q."),
        Slip("guesses behind a dropped one",
             {_TOKENS: "torch.cat([guessed[random < share], drawn[None]])"},
             "guesses behind the first that is not kept are kept too",
             "They were guessed after a word that is not in the text."),
        Slip("as many as pass", {".cumprod(0).sum())\n    left": ".sum())\n    left"},
             "guesses that pass are counted wherever they stand; those behind the first that fails "
             "must not count",
             "Stop at the first guess that is not kept."),
        Slip("the row after the guess", {"p[places, guessed]": "p[places + 1, guessed]"},
             "a guess is judged by the row of p that comes after it",
             "Row i of p and row i of q stand for the same place."),
        Slip("drawn from the next row", {"else p[kept]": "else p[kept]\n    "
                                         "left = p[kept + 1] if kept < len(guessed) else left"},
             "in place of a dropped guess a token is drawn from the row of p after it",
             "That row supposes that the guess stands in the text."),
        Slip("no token after all guesses", {_TOKENS: f"{_TOKENS}[: len(guessed)]"},
             "where all guesses are kept, the token after them is missing",
             "The model has read all guesses: the last row of p is there at no further cost."),
        Slip("q taken off after all guesses",
             {f"{_LEFT} if kept < len(guessed) else p[kept]":
                  "(p[kept] - q[min(kept, len(q) - 1)]).clamp(min=0)"},
             "after the last guess q is taken off too, though the draft guessed nothing there",
             "What was not guessed cannot have come out too often: draw from p."),
        Slip("no token in place of the dropped one",
             {_TOKENS: "guessed[:kept] if kept < len(guessed) else "
                       "torch.cat([guessed, drawn[None]])"},
             "nothing stands in place of the guess that is not kept",
             "Each round gives a token at least, however poor the draft."),
        Slip("the dropped guess stays", {_TOKENS: "torch.cat([guessed[: kept + 1], drawn[None]])"},
             "the guess that is not kept stays in the text, and the new token follows it",
             "The new token stands in its place."),
        Slip("the further token not counted", {_AVERAGE: "both.cumprod(0).sum()"},
             "the average counts the guesses that are kept, and not the token drawn after them",
             "If every guess is dropped, how many tokens does a round give?"),
        Slip("each guess by itself", {_AVERAGE: "1 + both.sum()"},
             "the average counts each guess as if those before it were always kept",
             "The third guess counts only where the first and the second are kept too."),
        Slip("all guesses or none", {"both.cumprod(0).sum()": "len(both) * both.prod()"},
             "the average counts rounds in which all guesses are kept, and no others",
             "A round may keep one guess and drop the second."),
        Slip("one rate for all places",
             {_AVERAGE: "1 + both.mean().expand(len(both)).cumprod(0).sum()"},
             "the average takes the mean rate at which guesses are kept for each place: the "
             "paper's closed formula, which holds where all places have the same rate",
             "Multiply the rates of the places themselves."),
        Slip("these guesses alone", {_BOTH: "share.clamp(max=1)"},
             "the average is that for these very guesses, not over all that the draft may guess",
             "The draft guesses x with probability q(x). Average over x."),
        Slip("the chance that two draws agree", {_BOTH: "(p[:-1] * q).sum(-1)"},
             "a guess is counted as kept where a draw from p would have given the same word: "
             "the sum of p(x) q(x)",
             "The draft guesses x with probability q(x), and it is kept with min(1, p(x) / q(x))."),
        Slip("ratios not cut at 1", {_BOTH: "(q * p[:-1] / q.clamp(min=1e-9)).sum(-1)"},
             "the average takes p/q as a probability where it exceeds 1",
             "No guess is kept more often than always."),
        Slip("the number in this round", {_AVERAGE: "p.new_tensor(kept + 1)"},
             "the average is the number of tokens of this round",
             "Another draw of the draft gives another number. Which on average?"),
        Slip("the draft's row shifted", {_BOTH: "torch.minimum(p[1:], q).sum(-1)"},
             "the average compares q with the row of p after it",
             "Row i of p and row i of q stand for the same place."),
        Slip("a softmax of the difference", {_LEFT: "(p[kept] - q[kept]).softmax(0)"},
             "the token is drawn from the softmax of p - q: words that come out often enough get "
             "a share too",
             "Softmax is for logits. How much of p(x) is still due where p(x) is below q(x)?"),
        Slip("a softmax of what is left", {".clamp(min=0)": ".clamp(min=0).softmax(0)"},
             "the token is drawn from the softmax of max(0, p - q): words of which nothing is left "
             "get a share too",
             "Softmax is for logits. What is left only has to be divided by its sum."),
        Slip("all of p where it is above q",
             {_LEFT: "p[kept] * (p[kept] > q[kept])"},
             "the token is drawn from p itself among the words of which p is above q: what kept "
             "guesses have given of them is not taken off",
             "Some of p(x) has come out through guesses that were kept. How much is still due?"),
    ),
    hints=(
        "Take one place and one word x. The draft guesses it with probability q(x), and it is kept "
        "with probability min(1, p(x) / q(x)): it comes out with min(p(x), q(x)). How much of p(x) "
        "is still due?",
        "What is due is max(0, p(x) - q(x)). It sums to the probability that the guess was "
        "dropped, so divide it by its sum before you draw.",
        "A guess at a place is kept with probability Σ min(p(x), q(x)). The second one counts only "
        "where the first is kept: multiply along the places, add up, and add the token that every "
        "round gives.",
    ),
)
