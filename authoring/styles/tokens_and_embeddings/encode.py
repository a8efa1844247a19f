from itertools import pairwise


def one_place_at_a_time(word, merges):
    ranks = {tuple(rule[:2]): rank for rank, rule in enumerate(merges)}
    ids = list(word)
    while True:
        known = [(ranks[pair], at) for at, pair in enumerate(pairwise(ids)) if pair in ranks]
        if not known:
            return ids
        rank, at = min(known)
        ids[at : at + 2] = [merges[rank][2]]


STYLES = {"tokens.encode": (one_place_at_a_time,)}
