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


STYLES = {"attention.which_bug": (made_again,)}
