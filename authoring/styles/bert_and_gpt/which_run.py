from itertools import permutations

import torch


def nearest_to_what_is_expected(tokens, reads, guesses, mask_id):
    """A table of what each kind should show; the order of the runs that fits it best."""
    masked = reads.eq(mask_id)
    wrong = reads.ne(tokens).logical_and(masked.logical_not())
    said = guesses.flatten(1).T
    word, read = tokens.flatten()[:, None], reads.flatten()[:, None]
    shares = torch.stack(
        [
            said.eq(word)[masked.flatten()].float().mean(0),
            said.eq(word)[wrong.flatten()].float().mean(0),
            said.eq(read)[wrong.flatten()].float().mean(0),
        ]
    ).T
    expected = torch.tensor([[0.7, 0.6, 0.1], [0.7, 0.1, 0.9], [0.0, 0.0, 1.0], [0.2, 0.2, 0.1]])
    orders = torch.tensor(list(permutations(range(4))))
    misfit = (shares[orders] - expected).square().sum((1, 2))
    return shares, orders[misfit.argmin()]


STYLES = {"bert.which_run": (nearest_to_what_is_expected,)}
