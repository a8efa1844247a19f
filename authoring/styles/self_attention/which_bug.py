from itertools import combinations

import torch


def _versions(scores):
    """All five ways from scores to weights."""
    tokens = len(scores)
    later = torch.ones(tokens, tokens).triu(1).bool()
    yield scores.masked_fill(later, -1e9).softmax(1)
    yield scores.masked_fill(later, -1e9).softmax(0)
    yield scores.masked_fill(later.roll(1, 1) & later, -1e9).softmax(1)
    yield scores.softmax(1).masked_fill(later, 0)
    yield scores.masked_fill(later.T, -1e9).softmax(1)


def made_again(query, key, weights):
    """Each version made with the divisor that it would have had; the nearest is the one."""
    products, found = query.double() @ key.double().T, []
    last, first, column = ((-1, 0), (-1, 1)), ((0, 0), (0, 1)), ((1, 0), (2, 0))
    for bug, (i, j) in enumerate([last, column, last, last, first]):
        if weights[i] > 0 and weights[j] > 0:
            log_ratio = (weights[i].double() / weights[j]).log()
            divisor = ((products[i] - products[j]) / log_ratio).item()
            again = list(_versions(products / divisor))[bug]
            found.append(((again - weights).abs().max().item(), bug, divisor))
    _, bug, divisor = min(found)
    return bug, divisor


def every_pair(query, key, weights):
    """The median of what all pairs of visible weights say."""
    above = weights.triu(1).count_nonzero()
    if above == 0:
        off = [(weights.sum(axis) - 1).abs().max() < 1e-4 for axis in (1, 0)]
        bug = 0 if off[0] else 1 if off[1] else 3
    else:
        bug = 2 if weights[1, 0] > 0 else 4
    turned = bug == 1
    weights, products = (m.T if turned else m for m in (weights, query @ key.T))
    quotients = [
        (products[row, i] - products[row, j]) / (weights[row, i].log() - weights[row, j].log())
        for row in range(len(weights))
        for i, j in combinations(weights[row].nonzero().flatten().tolist(), 2)
    ]
    return [torch.tensor(bug), torch.stack(quotients).median()]


def centred_logarithms(query, key, weights):
    """Least squares over all visible weights, each softmax less its mean."""
    seen = weights != 0
    if seen[0].all():
        bug = 4
    elif seen[0, 1]:
        bug = 2
    else:
        bug = 3 - 3 * int(torch.isclose(weights[0, 0], torch.tensor(1.0)) and _ones(weights, 1))
        bug = 1 if bug == 3 and _ones(weights, 0) else bug
    axis = 0 if bug == 1 else 1

    def centred(matrix):
        matrix = matrix.masked_fill(~seen, 0.0)
        mean = matrix.sum(axis, keepdim=True) / seen.sum(axis, keepdim=True)
        return (matrix - mean).masked_fill(~seen, 0.0)

    products, logs = centred(torch.einsum("qd,kd->qk", query, key)), centred(weights.log())
    return bug, products.square().sum() / (products * logs).sum()


def _ones(weights, axis):
    return torch.allclose(weights.sum(axis), torch.ones(len(weights)), atol=1e-3)


STYLES = {"attention.which_bug": (made_again, every_pair, centred_logarithms)}
