from itertools import zip_longest

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence


def with_pad_sequence(sources, targets, start_id, end_id, padding_id):
    """torch pads."""
    rows = (
        [torch.tensor([*words, end_id]) for words in sources],
        [torch.tensor([start_id, *words]) for words in targets],
        [torch.tensor([*words, end_id]) for words in targets],
    )
    return [pad_sequence(part, batch_first=True, padding_value=padding_id) for part in rows]


def by_columns(sources, targets, start_id, end_id, padding_id):
    """Columns first, then transposed."""
    columns = (
        zip_longest(*([*words, end_id] for words in sources), fillvalue=padding_id),
        zip_longest(*([start_id, *words] for words in targets), fillvalue=padding_id),
        zip_longest(*([*words, end_id] for words in targets), fillvalue=padding_id),
    )
    return tuple(np.array(list(part)).T for part in columns)


def in_int32(sources, targets, start_id, end_id, padding_id):
    """Word by word into tensors of 32 bits."""
    batch = len(sources)
    widths = [max(len(words) for words in rows) + 1 for rows in (sources, targets)]
    source = torch.empty(batch, widths[0], dtype=torch.int32).fill_(padding_id)
    inputs = torch.empty(batch, widths[1], dtype=torch.int32).fill_(padding_id)
    asked = inputs.clone()
    for i in range(batch):
        for j, word in enumerate(sources[i]):
            source[i, j] = word
        source[i, len(sources[i])] = end_id
        inputs[i, 0] = start_id
        for j, word in enumerate(targets[i]):
            inputs[i, j + 1] = word
            asked[i, j] = word
        asked[i, len(targets[i])] = end_id
    return source, inputs, asked


STYLES = {"translation.pairs": (with_pad_sequence, by_columns, in_int32)}
