from itertools import zip_longest

import torch


def columns_zipped(sequences, padding_id):
    columns = list(zip_longest(*sequences, fillvalue=None))
    ids = [[padding_id if token is None else token for token in column] for column in columns]
    mask = [[token is not None for token in column] for column in columns]
    return torch.tensor(ids).T, torch.tensor(mask).T


STYLES = {"tokens.pad": (columns_zipped,)}
