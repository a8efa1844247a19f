import itertools
import math

import torch


def in_plain_python(p, q, guessed, random, last):
    """Word by word, place by place."""
    model, draft = p.tolist(), q.tolist()
    tokens = []
    due = model[-1]
    for place, (word, number) in enumerate(zip(guessed.tolist(), random.tolist(), strict=True)):
        if number * draft[place][word] >= model[place][word]:
            due = [max(0.0, a - b) for a, b in zip(model[place], draft[place], strict=True)]
            break
        tokens.append(word)
    running, total = 0.0, sum(due)
    for word, weight in enumerate(due):
        running += weight / total
        if running > last:
            tokens.append(word)
            break
    average, chance = 1.0, 1.0
    for ours, theirs in zip(model, draft, strict=False):
        chance *= sum(map(min, ours, theirs))
        average += chance
    return tokens, average


def recursive(p, q, guessed, random, last):
    """The first place, and then the round that begins at the second."""
    if len(q) == 0:
        return _draw(p[0], last), torch.ones(())
    later, average = recursive(p[1:], q[1:], guessed[1:], random[1:], last)
    word = guessed[:1]
    lower = torch.where(p[0] < q[0], p[0], q[0])
    if (random[0] < p[0, word] / q[0, word]).all():
        return torch.cat([word, later]), 1 + lower.sum() * average
    return _draw(p[0] - lower, last), 1 + lower.sum() * average


def _draw(weights, last):
    above = weights.double().cumsum(0) / weights.double().sum() > last
    return above.nonzero()[0]


class Round:
    """A callable that counts what is left, with products of the standard library."""

    def __call__(self, p, q, guessed, random, last):
        self.random = random
        words = list(itertools.takewhile(lambda pair: self.kept(p, q, *pair), enumerate(guessed)))
        due = p[len(words)].clone()
        if len(words) < len(q):
            due -= torch.minimum(due, q[len(words)])
        word = int((due.cumsum(0) > last * due.sum()).int().argmax())
        kept = [float(1 - torch.relu(b - a).sum()) for a, b in zip(p[:-1], q, strict=True)]
        average = math.fsum(math.prod(kept[:n]) for n in range(len(kept) + 1))
        return torch.tensor([int(w) for _, w in words] + [word]), average

    def kept(self, p, q, place, word):
        return bool(self.random[place] < p[place, word] / q[place, word])


STYLES = {"decoder.speculative": (in_plain_python, recursive, Round())}
