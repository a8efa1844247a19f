from collections import Counter
from itertools import chain, pairwise, repeat

import torch


def words_written_out(words, counts):
    text = chain.from_iterable(map(repeat, words, counts))
    totals = Counter(chain.from_iterable(map(pairwise, text)))
    most = max(totals.values())
    return list(min(pair for pair, total in totals.items() if total == most))


def counted_pair_by_pair(words, counts, *, best=0):
    winner = (-1, -1)
    for pair in sorted({pair for word in words for pair in pairwise(word)}):
        total = sum(
            count * list(pairwise(word)).count(pair)
            for word, count in zip(words, counts, strict=True)
        )
        if total > best:
            winner, best = pair, total
    return winner


def pairs_as_one_number(words, counts):
    base = 1 + max(map(max, words))
    codes = [torch.tensor(word[:-1]) * base + torch.tensor(word[1:]) for word in words]
    weights = [torch.full((len(code),), count) for code, count in zip(codes, counts, strict=True)]
    totals = torch.bincount(torch.cat(codes).long(), torch.cat(weights))
    code = (totals == totals.max()).nonzero()[0]
    return torch.cat((code // base, code % base))


STYLES = {
    "tokens.most_frequent_pair": (words_written_out, counted_pair_by_pair, pairs_as_one_number)
}
