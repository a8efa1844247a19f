import numpy as np
import torch


def with_numpy(source_lengths, target_lengths, max_tokens):
    """A lexical sort, and a running maximum for each batch."""
    order = np.lexsort((source_lengths, target_lengths))
    widths = np.maximum(source_lengths, target_lengths)[order]
    sizes = []
    start = 0
    while start < len(widths):
        filled = np.maximum.accumulate(widths[start:]) * np.arange(1, len(widths) - start + 1)
        sizes.append(int((filled <= max_tokens).sum()))
        start += sizes[-1]
    return order, np.array(sizes)


def two_stable_sorts(source_lengths, target_lengths, max_tokens):
    """On tensors: sorted by the source, then stably by the target."""
    source, target = torch.tensor(source_lengths), torch.tensor(target_lengths)
    order = source.argsort(stable=True)
    order = order[target[order].argsort(stable=True)]
    longest, sizes = 0, list[int]()
    for width in torch.maximum(source, target)[order].tolist():
        longest = max(longest, width)
        if not sizes or (sizes[-1] + 1) * longest > max_tokens:
            sizes.append(0)
            longest = width
        sizes[-1] += 1
    return order, torch.tensor(sizes)


def recursive(source_lengths, target_lengths, max_tokens):
    """The largest first batch, then the rest."""
    triples = sorted(zip(target_lengths, source_lengths, range(len(source_lengths)), strict=True))

    def cut(rest):
        if not rest:
            return ()
        rows = max(
            n
            for n in range(1, len(rest) + 1)
            if n * max(max(pair[:2]) for pair in rest[:n]) <= max_tokens
        )
        return (rows, *cut(rest[rows:]))

    return tuple(index for *_, index in triples), cut(triples)


STYLES = {"translation.batches": (with_numpy, two_stable_sorts, recursive)}
