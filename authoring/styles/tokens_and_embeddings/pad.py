from itertools import zip_longest

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence


def pytorchs_pad_sequence(sequences, padding_id):
    rows = [torch.tensor(sequence, dtype=torch.long) for sequence in sequences]
    real = [torch.ones(len(sequence), dtype=torch.bool) for sequence in sequences]
    ids = pad_sequence(rows, batch_first=True, padding_value=padding_id)
    return ids, pad_sequence(real, batch_first=True)


def numpy_rows(sequences, padding_id):
    width = max(len(sequence) for sequence in sequences)
    ids = np.full((len(sequences), width), padding_id)
    mask = np.zeros(ids.shape, bool)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = True
    return ids, mask


def columns_zipped(sequences, padding_id):
    columns = list(zip_longest(*sequences, fillvalue=None))
    ids = [[padding_id if token is None else token for token in column] for column in columns]
    mask = [[token is not None for token in column] for column in columns]
    return torch.tensor(ids).T, torch.tensor(mask).T


STYLES = {"tokens.pad": (pytorchs_pad_sequence, numpy_rows, columns_zipped)}
