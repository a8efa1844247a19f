# Derived from solutions/01_tokens_and_embeddings.ipynb by `make exercises`.


import math
from collections import Counter
from itertools import pairwise, product

import torch
from torch import Tensor, nn


# %% tokens.most_frequent_pair
def most_frequent_pair(words: list[list[int]], counts: list[int]) -> tuple[int, int]:
    """Return the pair of neighbours that occurs most often; ties go to the smallest ids."""
    totals: Counter[tuple[int, int]] = Counter()
    for word, count in zip(words, counts):
        for pair in pairwise(word):
            totals[pair] += count
    return min(totals, key=lambda pair: (-totals[pair], pair))


# %% tokens.merge
def merge(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    """Replace each pair (left, right) of neighbours by new_id, from left to right."""
    merged, at = [], 0
    while at < len(ids):
        found = ids[at : at + 2] == [left, right]
        merged.append(new_id if found else ids[at])
        at += 2 if found else 1
    return merged


# %% tokens.encode
def encode(word: list[int], merges: list[list[int]]) -> list[int]:
    """Cut a word, a list of ids, by merges [left, right, new_id] in the order of learning."""
    # A merge uses only what exists before it, so none can become possible after its turn.
    for left, right, new_id in merges:
        word = merge(word, left, right, new_id)
    return word


# %% tokens.pad
def pad(sequences: list[list[int]], padding_id: int) -> tuple[Tensor, Tensor]:
    """Return the ids and the mask (True = real), both (batch, tokens)."""
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    longest = int(lengths.max())
    filled = [sequence + [padding_id] * (longest - len(sequence)) for sequence in sequences]
    return torch.tensor(filled), torch.arange(longest) < lengths[:, None]


# %% tokens.embedding_gradient
def embedding_gradient(ids: Tensor, upstream: Tensor, vocab_size: int) -> Tensor:
    """Return the gradient (vocab_size, d_model) of the table whose rows were looked up.

    ids is (batch, tokens), upstream is (batch, tokens, d_model).
    """
    gradient = torch.zeros(vocab_size, upstream.shape[-1], dtype=upstream.dtype)
    return gradient.index_add_(0, ids.flatten(), upstream.flatten(0, 1))


# %% tokens.nearest
def nearest(vectors: Tensor, index: int, count: int) -> tuple[Tensor, Tensor]:
    """Return the indices (count,) of the words nearest to word index, and their cosines (count,).

    vectors is (words, width).
    """
    lengths = vectors.norm(dim=-1, keepdim=True).clamp(min=1e-9)
    units = vectors / lengths
    cosines = units @ units[index]
    cosines[index] = -2.0
    closest = cosines.topk(count)
    return closest.indices, closest.values


# %% tokens.tied_model
class TiedModel(nn.Module):
    """An embedding that is the output layer too; its weight is (vocab_size, d_model)."""

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, ids: Tensor, positions: Tensor) -> Tensor:
        """Return logits (batch, tokens, vocab_size).

        ids is (batch, tokens), positions is (tokens, d_model).
        """
        matrix = self.embedding.weight
        hidden = self.embedding(ids) * math.sqrt(matrix.shape[1]) + positions
        return hidden @ matrix.T


# %% tokens.separating
def separating_word(letters: list[int], merges: list[list[int]], longest: int) -> list[int]:
    """Return the shortest word of up to longest letters that two rules cut differently, or [].

    The rules: merges [left, right, new_id] in the order learned, and the longest piece first.
    """
    pieces = {letter: [letter] for letter in letters}
    for left, right, new_id in merges:
        pieces[new_id] = pieces[left] + pieces[right]

    def longest_first(word: list[int]) -> list[int]:
        cut: list[int] = []
        while word:
            fitting = [new for new, piece in pieces.items() if word[: len(piece)] == piece]
            cut.append(max(fitting, key=lambda new: len(pieces[new])))
            word = word[len(pieces[cut[-1]]) :]
        return cut

    for size in range(1, longest + 1):
        for word in map(list, product(letters, repeat=size)):
            if encode(word, merges) != longest_first(word):
                return word
    return []
