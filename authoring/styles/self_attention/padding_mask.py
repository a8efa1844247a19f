import torch


def viewed(tokens, padding_id):
    return torch.logical_not(tokens.eq(padding_id)).view(len(tokens), 1, 1, -1)


def padding_in_lists(tokens, padding_id):
    return [[[[token != padding_id for token in row]]] for row in tokens.tolist()]


def difference_is_not_zero(tokens, padding_id):
    return (tokens - padding_id).bool().reshape(tokens.shape[0], 1, 1, tokens.shape[1])


STYLES = {"attention.padding_mask": (viewed, padding_in_lists, difference_is_not_zero)}
