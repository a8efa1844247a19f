from itertools import pairwise, product


def _spelled(letters, merges):
    """What each piece is made of."""
    made = {letter: (letter,) for letter in letters}
    for left, right, new_id in merges:
        made[new_id] = (*made[left], *made[right])
    return made


def recursively(letters, merges, longest):
    made = _spelled(letters, merges)
    by_length = sorted(made, key=lambda piece: -len(made[piece]))

    def greedy(word):
        if not word:
            return []
        first = next(p for p in by_length if word[: len(made[p])] == made[p])
        return [first, *greedy(word[len(made[first]) :])]

    def merged(word, rules):
        if not rules:
            return word
        (left, right, new_id), *rest = rules
        out = []
        for token in word:
            if out and out[-1] == left and token == right:
                out[-1] = new_id
            else:
                out.append(token)
        return merged(out, rest)

    def search(words):
        for word in words:
            if greedy(word) != merged(list(word), merges):
                return list(word)
        longer = [(*word, letter) for word in words for letter in letters]
        return search(longer) if len(longer[0]) <= longest else []

    return search([()])


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


def counting_in_base(letters, merges, longest):
    """Words as numbers whose digits are letters."""
    made, base = _spelled(letters, merges), len(letters)

    def cut_by_merges(word):
        for left, right, new_id in merges:
            for at in range(len(word) - 1):
                if word[at : at + 2] == [left, right]:
                    word = [*word[:at], new_id, *word[at + 2 :]]
        return word

    def cut_by_length(word):
        for size in range(len(word), 0, -1):
            for token, piece in made.items():
                if list(piece) == word[:size]:
                    return [token, *cut_by_length(word[size:])]
        return []

    for size in range(1, longest + 1):
        for number in range(base**size):
            word = [letters[number // base**place % base] for place in reversed(range(size))]
            if cut_by_merges(word) != cut_by_length(word):
                return word
    return []


STYLES = {"tokens.separating": (recursively, merges_by_rank, counting_in_base)}
