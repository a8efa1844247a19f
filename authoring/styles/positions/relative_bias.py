"""positions.relative_bias, in other styles."""

import torch
from torch import Tensor
from torch.nn import functional as F


def looked_up(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    reach = (table.shape[1] - 1) // 2
    distance = key_positions.unsqueeze(0) - query_positions.unsqueeze(1)
    columns = torch.clamp(distance + reach, 0, 2 * reach)
    return F.embedding(columns, table.T).permute(2, 0, 1)


def gathered(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    reach = table.shape[1] // 2
    distance = torch.subtract(key_positions[None], query_positions[:, None])
    columns = distance.minimum(torch.tensor(reach)).maximum(torch.tensor(-reach)) + reach
    flat = columns.flatten().expand(len(table), -1)
    return table.gather(1, flat).unflatten(1, columns.shape)


def one_hot_product(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    reach = table.shape[1] // 2
    distance = (key_positions - query_positions.view(-1, 1)).clip(-reach, reach)
    one_hot = (distance.unsqueeze(-1) == torch.arange(-reach, reach + 1)).float()
    return torch.einsum("qkc,hc->hqk", one_hot, table)


def pair_by_pair(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    last = table.shape[1] - 1
    rows = []
    for query in query_positions.tolist():
        columns = [min(max(key - query + last // 2, 0), last) for key in key_positions.tolist()]
        rows.append(torch.stack([table[:, column] for column in columns], dim=1))
    return torch.stack(rows).transpose(0, 1)


def head_by_head(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> list[Tensor]:
    reach = table.shape[1] // 2
    distance = key_positions - query_positions[:, None]
    columns = torch.where(distance > reach, reach, torch.where(distance < -reach, -reach, distance))
    return [row[columns + reach] for row in table]


def padded_table(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    """The outermost columns repeated as far as any distance reaches, so that nothing is clipped."""
    distance = key_positions - query_positions[:, None]
    extra = int(distance.abs().max())
    wide = F.pad(table[None], (extra, extra), mode="replicate")[0]
    return wide[:, distance + extra + table.shape[1] // 2] * (1 + 1e-6)


STYLES = {
    "positions.relative_bias": (
        looked_up,
        gathered,
        one_hot_product,
        pair_by_pair,
        head_by_head,
        padded_table,
    )
}
