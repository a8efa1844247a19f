"""tokens.pad, in other styles."""

from itertools import chain, zip_longest

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

Sequences = list[list[int]]


def pytorchs_pad_sequence(sequences: Sequences, padding_id: int) -> tuple[Tensor, Tensor]:
    rows = [torch.tensor(sequence, dtype=torch.long) for sequence in sequences]
    real = [torch.ones(len(sequence), dtype=torch.bool) for sequence in sequences]
    ids = pad_sequence(rows, batch_first=True, padding_value=padding_id)
    return ids, pad_sequence(real, batch_first=True)


def plain_lists(sequences: Sequences, padding_id: int) -> list[list[list[int]]]:
    width = max(map(len, sequences))
    ids = [sequence + [padding_id] * (width - len(sequence)) for sequence in sequences]
    return [ids, [[at < len(sequence) for at in range(width)] for sequence in sequences]]


def numpy_rows(sequences: Sequences, padding_id: int) -> tuple[np.ndarray, np.ndarray]:
    width = max(len(sequence) for sequence in sequences)
    ids = np.full((len(sequences), width), padding_id)
    mask = np.zeros(ids.shape, bool)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = True
    return ids, mask


def filled_through_the_mask(sequences: Sequences, padding_id: int) -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    mask = torch.arange(int(lengths.max())).expand(len(sequences), -1) < lengths.unsqueeze(1)
    ids = torch.full(mask.shape, padding_id)
    ids[mask] = torch.tensor(list(chain(*sequences)))
    return ids, mask


def columns_zipped(sequences: Sequences, padding_id: int) -> tuple[Tensor, Tensor]:
    columns = list(zip_longest(*sequences, fillvalue=None))
    ids = [[padding_id if token is None else token for token in column] for column in columns]
    mask = [[token is not None for token in column] for column in columns]
    return torch.tensor(ids).T, torch.tensor(mask).T


def padded_one_by_one(sequences: Sequences, padding_id: int) -> tuple[Tensor, Tensor]:
    width = max(map(len, sequences))
    rows = [torch.tensor(sequence, dtype=torch.int32) for sequence in sequences]
    ids = [F.pad(row, (0, width - len(row)), value=padding_id) for row in rows]
    mask = [F.pad(torch.ones_like(row), (0, width - len(row))) for row in rows]
    return torch.stack(ids), torch.stack(mask) == 1


STYLES = {
    "tokens.pad": (
        pytorchs_pad_sequence,
        plain_lists,
        numpy_rows,
        filled_through_the_mask,
        columns_zipped,
        padded_one_by_one,
    )
}
