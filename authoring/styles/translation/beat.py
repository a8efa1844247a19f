import numpy as np
import torch


def in_numpy(sources, targets, tests, seed):
    """Which sentence holds which piece, as matrices of zeros and ones."""
    ours, here = _held(sources, 3)
    theirs, there = _held(targets, 4)
    often = there.sum(axis=0) > 1
    kept = [piece for piece, many in zip(theirs, often, strict=True) if many]
    there = there[:, often]
    both = here.T @ there
    scores = np.where(both > 0, 2 * both - 1, 0) / (here.sum(0)[:, None] + there.sum(0))
    chosen = scores.argmax(axis=1)
    best = {piece: (float(scores[i, chosen[i]]), kept[chosen[i]]) for piece, i in ours.items()}
    rows = [torch.tensor(_best_cut(best, words)) for words in tests]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).numpy()


def _held(sentences, most):
    parts = [
        {tuple(words[i : i + n]) for n in range(1, most + 1) for i in range(len(words) - n + 1)}
        for words in sentences
    ]
    number = {piece: i for i, piece in enumerate(sorted(set().union(*parts)))}
    table = np.zeros((len(sentences), len(number)), dtype=np.float32)
    for row, pieces in zip(table, parts, strict=True):
        row[[number[piece] for piece in pieces]] = 1
    return number, table


def _best_cut(best, words):
    """The translation of the best cut into known pieces, from left to right."""
    cuts = [(0.0, [])]
    for end in range(1, len(words) + 1):
        choices = [cuts[-1]]
        for start in range(max(0, end - 3), end):
            score, other = best.get(tuple(words[start:end]), (0.0, ()))
            gain = score * (end - start) ** 1.6
            choices.append((cuts[start][0] + gain, [*cuts[start][1], *other]))
        cuts.append(max(choices))
    return cuts[-1][1]


STYLES = {"translation.beat": (in_numpy,)}
