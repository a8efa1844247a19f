import torch


def by_positions(tokens, padding_id, causal):
    places = torch.arange(tokens.shape[1])
    order = places[:, None] >= places if causal else places[:, None] >= -1 - 0 * places
    return torch.logical_and(tokens.ne(padding_id)[:, None, None], order)


def pair_by_pair(tokens, padding_id, causal):
    length = tokens.shape[1]
    rows = [
        [
            [
                [token != padding_id and (key <= query or not causal) for key, token in pairs]
                for query in range(length)
            ]
        ]
        for pairs in (list(enumerate(row)) for row in tokens.tolist())
    ]
    return torch.tensor(rows)


class AdditiveThenTested:
    """A callable that adds scores of minus infinity, and asks at the end which are finite."""

    def __call__(self, tokens, padding_id=0, causal=False):
        length = tokens.shape[1]
        scores = torch.zeros(len(tokens), 1, length, length)
        scores += torch.where(tokens == padding_id, -torch.inf, 0.0)[:, None, None]
        if causal:
            scores += torch.full((length, length), -torch.inf).triu(1)
        return scores.isfinite()


STYLES = {"bert.mask": (by_positions, pair_by_pair, AdditiveThenTested())}
