"""tokens.separating, in other styles."""

from itertools import chain, pairwise, product

Merges = list[list[int]]


def _spelled(letters: list[int], merges: Merges) -> dict[int, tuple[int, ...]]:
    """What each piece is made of."""
    made: dict[int, tuple[int, ...]] = {letter: (letter,) for letter in letters}
    for left, right, new_id in merges:
        made[new_id] = (*made[left], *made[right])
    return made


def by_where_they_are_cut(letters: list[int], merges: Merges, longest: int) -> list[int]:
    """Both rules as places of cuts, not as pieces."""
    made = _spelled(letters, merges)
    known = set(made.values())

    def merged(word: tuple[int, ...]) -> set[int]:
        parts = list(word)
        for left, right, new_id in merges:
            at = 0
            while at + 1 < len(parts):
                if (parts[at], parts[at + 1]) == (left, right):
                    parts[at : at + 2] = [new_id]
                at += 1
        ends, end = set(), 0
        for part in parts:
            end += len(made[part])
            ends.add(end)
        return ends

    def longest_first(word: tuple[int, ...]) -> set[int]:
        ends, start = set(), 0
        while start < len(word):
            start = max(e for e in range(start + 1, len(word) + 1) if word[start:e] in known)
            ends.add(start)
        return ends

    words = chain.from_iterable(product(letters, repeat=size) for size in range(1, longest + 1))
    return list(next((word for word in words if merged(word) != longest_first(word)), ()))


def recursively(letters: list[int], merges: Merges, longest: int) -> list[int]:
    made = _spelled(letters, merges)
    by_length = sorted(made, key=lambda piece: -len(made[piece]))

    def greedy(word: tuple[int, ...]) -> list[int]:
        if not word:
            return []
        first = next(p for p in by_length if word[: len(made[p])] == made[p])
        return [first, *greedy(word[len(made[first]) :])]

    def merged(word: list[int], rules: Merges) -> list[int]:
        if not rules:
            return word
        (left, right, new_id), *rest = rules
        out: list[int] = []
        for token in word:
            if out and out[-1] == left and token == right:
                out[-1] = new_id
            else:
                out.append(token)
        return merged(out, rest)

    def search(words: list[tuple[int, ...]]) -> list[int]:
        for word in words:
            if greedy(word) != merged(list(word), merges):
                return list(word)
        longer = [(*word, letter) for word in words for letter in letters]
        return search(longer) if len(longer[0]) <= longest else []

    return search([()])


def merges_by_rank(letters: list[int], merges: Merges, longest: int) -> list[int]:
    """Always the merge learned first of those that fit, as a tokenizer does it."""
    made = _spelled(letters, merges)
    rank = {(left, right): place for place, (left, right, _) in enumerate(merges)}

    def pieces_of(word: list[int]) -> list[tuple[int, ...]]:
        while fitting := [pair for pair in pairwise(word) if pair in rank]:
            left, right, new_id = merges[rank[min(fitting, key=rank.__getitem__)]]
            out, rest = [], word
            while rest:
                found = rest[:2] == [left, right]
                out.append(new_id if found else rest[0])
                rest = rest[1 + found :]
            word = out
        return [made[token] for token in word]

    def longest_first(word: list[int]) -> list[tuple[int, ...]]:
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


def as_text(letters: list[int], merges: Merges, longest: int) -> list[int]:
    """Ids as characters: all words sorted by length and then as text."""
    made = {chr(piece): "".join(map(chr, by)) for piece, by in _spelled(letters, merges).items()}
    alphabet = [chr(letter) for letter in letters]

    def merged(word: str) -> list[str]:
        tokens = word
        for left, right, new_id in merges:
            tokens = tokens.replace(chr(left) + chr(right), chr(new_id))
        return [made[token] for token in tokens]

    def longest_first(word: str) -> list[str]:
        out = []
        while word:
            out.append(max(filter(word.startswith, made.values()), key=len))
            word = word.removeprefix(out[-1])
        return out

    sizes = range(1, longest + 1)
    words = ["".join(word) for size in sizes for word in product(alphabet, repeat=size)]
    apart = [word for word in words if merged(word) != longest_first(word)]
    return [ord(letter) for letter in min(apart, key=lambda word: (len(word), word), default="")]


def counting_in_base(letters: list[int], merges: Merges, longest: int) -> list[int]:
    """Words as numbers whose digits are letters."""
    made, base = _spelled(letters, merges), len(letters)

    def cut_by_merges(word: list[int]) -> list[int]:
        for left, right, new_id in merges:
            for at in range(len(word) - 1):
                if word[at : at + 2] == [left, right]:
                    word = [*word[:at], new_id, *word[at + 2 :]]
        return word

    def cut_by_length(word: list[int]) -> list[int]:
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


STYLES = {
    "tokens.separating": (
        by_where_they_are_cut,
        recursively,
        merges_by_rank,
        as_text,
        counting_in_base,
    )
}
