import torch


def gathered(table, query_positions, key_positions):
    reach = table.shape[1] // 2
    distance = torch.subtract(key_positions[None], query_positions[:, None])
    columns = distance.minimum(torch.tensor(reach)).maximum(torch.tensor(-reach)) + reach
    flat = columns.flatten().expand(len(table), -1)
    return table.gather(1, flat).unflatten(1, columns.shape)


def one_hot_product(table, query_positions, key_positions):
    reach = table.shape[1] // 2
    distance = (key_positions - query_positions.view(-1, 1)).clip(-reach, reach)
    one_hot = (distance.unsqueeze(-1) == torch.arange(-reach, reach + 1)).float()
    return torch.einsum("qkc,hc->hqk", one_hot, table)


def pair_by_pair(table, query_positions, key_positions):
    last = table.shape[1] - 1
    rows = []
    for query in query_positions.tolist():
        columns = [min(max(key - query + last // 2, 0), last) for key in key_positions.tolist()]
        rows.append(torch.stack([table[:, column] for column in columns], dim=1))
    return torch.stack(rows).transpose(0, 1)


STYLES = {"positions.relative_bias": (gathered, one_hot_product, pair_by_pair)}
