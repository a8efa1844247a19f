from collections import Counter
from itertools import permutations

import numpy as np
import torch


def place_by_place(tokens, reads, guesses, mask_id):
    """Counts in plain Python; each run is known by what it says most."""
    places = list(zip(tokens.flatten().tolist(), reads.flatten().tolist(), strict=True))
    shares, kinds = [], {}
    for run, said in enumerate(guesses.flatten(1).tolist()):
        counts = Counter()
        for (word, read), guess in zip(places, said, strict=True):
            if read == mask_id:
                counts.update(holes=1, filled=guess == word, mask=guess == mask_id)
            elif read != word:
                counts.update(wrong=1, mended=guess == word, repeated=guess == read)
        shares.append(
            [
                counts["filled"] / counts["holes"],
                counts["mended"] / counts["wrong"],
                counts["repeated"] / counts["wrong"],
            ]
        )
        if len(set(said)) == 1:
            kinds[3] = run
        elif counts["mask"] > counts["filled"]:
            kinds[2] = run
        else:
            kinds[int(counts["repeated"] > counts["mended"])] = run
    return shares, [kinds[kind] for kind in range(4)]


def with_numpy(tokens, reads, guesses, mask_id):
    """Averages over selected columns, and two sorts."""
    word, read = tokens.numpy().ravel(), reads.numpy().ravel()
    said = guesses.numpy().reshape(4, -1)
    hole = np.flatnonzero(read == mask_id)
    wrong = np.flatnonzero((read != mask_id) & (read != word))
    shares = np.empty((4, 3))
    shares[:, 0] = (said[:, hole] == word[hole]).mean(axis=1)
    shares[:, 1] = (said[:, wrong] == word[wrong]).mean(axis=1)
    shares[:, 2] = (said[:, wrong] == read[wrong]).mean(axis=1)
    copies = np.argsort(shares[:, 2])[-2:]
    others = np.argsort(shares[:, 2])[:2]
    labels, all_places = copies[np.argsort(shares[copies, 0])]
    constant, sound = others[np.argsort(shares[others, 1])]
    return shares, np.array([sound, all_places, labels, constant])


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


STYLES = {"bert.which_run": (place_by_place, with_numpy, nearest_to_what_is_expected)}
