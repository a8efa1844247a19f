import torch


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


STYLES = {"bert.mask": (pair_by_pair,)}
