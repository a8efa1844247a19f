import torch


def pair_by_pair(table, query_positions, key_positions):
    last = table.shape[1] - 1
    rows = []
    for query in query_positions.tolist():
        columns = [min(max(key - query + last // 2, 0), last) for key in key_positions.tolist()]
        rows.append(torch.stack([table[:, column] for column in columns], dim=1))
    return torch.stack(rows).transpose(0, 1)


STYLES = {"positions.relative_bias": (pair_by_pair,)}
