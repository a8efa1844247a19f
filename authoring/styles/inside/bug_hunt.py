import torch


def from_the_weights(heads, text, vocab):
    """No text at all: the diagonals of the two blocks of a head."""
    block = len(text) // 2
    ids = heads[:, :vocab, :vocab].diagonal(dim1=1, dim2=2)
    places = heads[:, vocab:, vocab:]
    other = torch.ones(vocab, dtype=torch.bool)
    other[text] = False
    at = torch.arange(2 * block, places.shape[-1])
    kinds = torch.full((len(heads),), 3)
    kinds[(ids[:, other] > 6).all(1)] = 0
    kinds[(places[:, at, at - block + 1] > 6).all(1)] = 1
    kinds[(places[:, at, at] > 6).all(1)] = 2
    return kinds


STYLES = {"inside.bug_hunt": (from_the_weights,)}
