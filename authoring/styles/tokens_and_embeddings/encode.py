from itertools import pairwise

import torch

from authoring.styles.tokens_and_embeddings.merge import recursion as merge


def one_place_at_a_time(word, merges):
    ranks = {tuple(rule[:2]): rank for rank, rule in enumerate(merges)}
    ids = list(word)
    while True:
        known = [(ranks[pair], at) for at, pair in enumerate(pairwise(ids)) if pair in ranks]
        if not known:
            return ids
        rank, at = min(known)
        ids[at : at + 2] = [merges[rank][2]]


def recursion_over_the_merges(word, merges):
    if not merges:
        return torch.tensor(word)
    return recursion_over_the_merges(merge(word, *merges[0]), merges[1:])


def text_replaced(word, merges, first=200):
    text = "".join(chr(first + token) for token in word)
    for left, right, new_id in merges:
        text = text.replace(chr(first + left) + chr(first + right), chr(first + new_id))
    return [ord(letter) - first for letter in text]


STYLES = {"tokens.encode": (one_place_at_a_time, recursion_over_the_merges, text_replaced)}
