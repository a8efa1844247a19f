from itertools import pairwise, product


def _spelled(letters, merges):
    """What each piece is made of."""
    made = {letter: (letter,) for letter in letters}
    for left, right, new_id in merges:
        made[new_id] = (*made[left], *made[right])
    return made


def merges_by_rank(letters, merges, longest):
    """Always the merge learned first of those that fit, as a tokenizer does it."""
    made = _spelled(letters, merges)
    rank = {(left, right): place for place, (left, right, _) in enumerate(merges)}

    def pieces_of(word):
        while fitting := [pair for pair in pairwise(word) if pair in rank]:
            left, right, new_id = merges[rank[min(fitting, key=rank.__getitem__)]]
            out, rest = [], word
            while rest:
                found = rest[:2] == [left, right]
                out.append(new_id if found else rest[0])
                rest = rest[1 + found :]
            word = out
        return [made[token] for token in word]

    def longest_first(word):
        out = []
        while word:
            out.append(max((p for p in made.values() if (*word[: len(p)],) == p), key=len))
            word = word[len(out[-1]) :]
        return out

    size = 1
    while size <= longest:
        for word in product(letters, repeat=size):
            if pieces_of([*word]) != longest_first([*word]):
                return [*word]
        size += 1
    return []


STYLES = {"tokens.separating": (merges_by_rank,)}
