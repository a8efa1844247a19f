import numpy as np
import torch


def merge_side_by_side(heads):
    return torch.cat([heads[:, head] for head in range(heads.shape[1])], dim=2)


def merge_in_numpy(heads):
    return np.concatenate(list(heads.numpy().swapaxes(0, 1)), axis=-1)


def merge_token_by_token(heads):
    return torch.stack(
        [torch.stack([token.flatten() for token in sentence.unbind(1)]) for sentence in heads]
    )


STYLES = {"heads.merge": (merge_side_by_side, merge_in_numpy, merge_token_by_token)}
