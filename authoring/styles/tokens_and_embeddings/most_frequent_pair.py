from collections import Counter
from itertools import chain, pairwise, repeat


def words_written_out(words, counts):
    text = chain.from_iterable(map(repeat, words, counts))
    totals = Counter(chain.from_iterable(map(pairwise, text)))
    most = max(totals.values())
    return list(min(pair for pair, total in totals.items() if total == most))


STYLES = {"tokens.most_frequent_pair": (words_written_out,)}
