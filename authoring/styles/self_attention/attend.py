import torch


def attend_by_batched_product(query, key, value, scale=0):
    leading = query.shape[:-2]
    q, k, v = (part.reshape(-1, *part.shape[-2:]) for part in (query, key, value))
    weights = torch.softmax(torch.bmm(q, k.mT) * (scale or q.shape[-1] ** -0.5), dim=2)
    output = torch.bmm(weights, v)
    return output.view(*leading, *output.shape[1:]), weights.view(*leading, *weights.shape[1:])


STYLES = {"attention.attend": (attend_by_batched_product,)}
