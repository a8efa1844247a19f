import math
from bisect import bisect_right
from collections import Counter, defaultdict
from itertools import pairwise

import torch


def from_tables(texts, padding_id, losses):
    """For all that can be known a table of what follows; padding by its share."""
    after_all, skipped, after_last = _table(), _table(), _table()
    for row in texts.tolist():
        text = [token for token in row if token != padding_id]
        for place, token in enumerate(text[1:], start=1):
            after_all[tuple(text[:place])][token] += 1
            after_last[text[place - 1]][token] += 1
            if place >= 2:
                skipped[tuple(text[: place - 1])][token] += 1
    right = _mean_cost(after_all)
    share = (texts[:, 1:] != padding_id).double().mean().item()
    floors = [right, _mean_cost(skipped), _mean_cost(after_last), right * share, 0.0]
    lines = [min(range(5), key=lambda line: abs(floors[line] - end)) for end in losses.tolist()]
    return floors, lines


def _table():
    return defaultdict(Counter)


def _mean_cost(table):
    total, count = 0.0, 0
    for follows in table.values():
        here = sum(follows.values())
        total -= sum(n * math.log(n / here) for n in follows.values())
        count += here
    return total / count


def by_comparing_rows(texts, padding_id, losses):
    """All rows against all: which share the past, and which of these the target."""

    def price(alike, place):
        same = alike & (texts[:, None, place] == texts[:, place])
        return (alike.sum(1) / same.sum(1)).double().log()

    def mean(gap):
        costs, count = [], []
        for place in range(gap, texts.shape[1]):
            past = texts[:, : place - gap + 1]
            real = texts[:, place] != padding_id
            alike = (past[:, None] == past).all(-1) & real
            costs.append(price(alike, place)[real])
            count.append(real)
        return torch.cat(costs).mean(), torch.cat(count).double().mean()

    before, token = texts[:, :-1].flatten(), texts[:, 1:].flatten()
    before, token = before[token != padding_id], token[token != padding_id]
    alike = before[:, None] == before
    same = alike & (token[:, None] == token)
    bigram = (alike.sum(1) / same.sum(1)).double().log().mean()
    right, share = mean(1)
    floors = torch.stack([right, mean(2)[0], bigram, right * share, torch.zeros(()).double()])
    return floors, (losses[:, None] - floors).abs().argmin(dim=1)


class Floors:
    """A callable that walks down the tree of all texts."""

    def __call__(self, texts, padding_id, losses):
        rows = [[token for token in row if token != padding_id] for row in texts.tolist()]
        targets = sum(len(row) - 1 for row in rows)
        right = self.below([row[1:] for row in rows])
        floors = [
            right / targets,
            self.two_below([row[1:] for row in rows]) / (targets - len(rows)),
            self.pairs(rows) / targets,
            right / (len(rows) * (texts.shape[1] - 1)),
            0.0,
        ]
        ordered = sorted(floors)
        ranks = [bisect_right(ordered, end) - 1 for end in losses.tolist()]
        return torch.tensor(floors), [floors.index(ordered[rank]) for rank in ranks]

    def below(self, rests):
        """What all texts with these rests still cost."""
        branches = self.branches(rests)
        here = sum(math.log(len(rests) / len(one)) * len(one) for one in branches)
        return here + sum(self.below([rest for rest in one if rest]) for one in branches if one[0])

    def two_below(self, rests):
        """The same where each token is to be told before the one in front of it is known."""
        long = [rest[1:] for rest in rests if len(rest) > 1]
        counts = Counter(rest[0] for rest in long)
        here = sum(n * math.log(len(long) / n) for n in counts.values())
        return here + sum(self.two_below(one) for one in self.branches(rests) if one[0])

    def branches(self, rests):
        found = {}
        for rest in rests:
            found.setdefault(rest[0], []).append(rest[1:])
        return list(found.values())

    def pairs(self, rows):
        follows = Counter(pair for row in rows for pair in pairwise(row))
        before = Counter(token for row in rows for token in row[:-1])
        return sum(n * math.log(before[one] / n) for (one, _), n in follows.items())


STYLES = {"training.floors": (from_tables, by_comparing_rows, Floors())}
